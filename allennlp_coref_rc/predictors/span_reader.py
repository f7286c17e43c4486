from typing import List

from allennlp.common.util import JsonDict
from allennlp.data import Instance
from allennlp.predictors import Predictor

from allennlp_coref_rc.predictors.inputs import reader_arguments


@Predictor.register("span_reader")
class SpanReaderPredictor(Predictor):
    """
    Answers questions with a span of the passage, by any model whose output has `best_span`, the first and the last
    token (allennlp-models' `qanet` and `bidaf` too, of a reader of this package).

    Input: `{"passage": …, "question": …}`, texts or lists of tokens; optionally `clusters`, known coreference clusters
    in place of the annotator's, as lists of [start, end) spans of the tokens of the passage and the question in a row.
    Nothing else is looked at.

    Output: the `answer`, the tokens of the span joined by blanks, beside what the model has put out.

    Registered as a `Predictor` with name "span_reader".
    """

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        return self._dataset_reader.text_to_instance(**reader_arguments(json_dict, "clusters"))

    def predict_instance(self, instance: Instance) -> JsonDict:
        return self.predict_batch_instance([instance])[0]

    def predict_batch_instance(self, instances: List[Instance]) -> List[JsonDict]:
        outputs = super().predict_batch_instance(instances)
        for instance, output in zip(instances, outputs):
            start, end = output["best_span"]
            output["answer"] = " ".join(instance["metadata"]["passage_tokens"][start : end + 1])
        return outputs
