from allennlp.common.util import JsonDict
from allennlp.data import Field, Instance
from allennlp.data.fields import IndexField, SequenceLabelField
from allennlp.predictors import Predictor

from allennlp_coref_rc.data.dataset_readers.annotated_squad import span_tags
from allennlp_coref_rc.data.fields import metadata_of
from allennlp_coref_rc.modules.spans import span_text
from allennlp_coref_rc.predictors.explaining_predictor import ExplainingPredictor, add_warnings
from allennlp_coref_rc.predictors.interpretable_predictor import original_passage, original_span


@Predictor.register("span_reader")
class SpanReaderPredictor(ExplainingPredictor):
    """
    Answers questions with a span of the passage, by any model whose output has `best_span`, the first and the
    last token (allennlp-models' `qanet` and `bidaf` too, of a reader of this package), or `best_spans`,
    several of them.

    Input: `{"passage": …, "question": …}`, texts or lists of tokens; optionally `clusters`, known coreference
    clusters in place of the annotator's, as lists of [start, end) spans of the tokens of the passage and the
    question in a row. Other keys are ignored; one that looks like a misspelt `clusters` is an error.

    Output: the `answer`, the text of the span (on NarrativeQA its tokens joined by blanks), or of several
    spans, joined by commas, with the list of `answers`; `passage_tokens` and `question_tokens`; the
    `clusters` that were used, if there are any; of a data set's questions the `id` and the `answer_texts`,
    the answers they have there, and, where the model's metric is `quoref`, the `exact_match` and the `f1` of
    the answer; beside what the model has put out; and `warnings` of unknown words and of texts that may be cut,
    as those of `cloze_reader`.

    Registered as a `Predictor` with name "span_reader".

    # Parameters

    explain : `bool`, optional (default = `False`)
        Output also `annotated_heads`, what the annotated heads of the model's `dassa` encoder have attended
        to (see `AttentionRecorder.of`). On the command line: `--predictor-args '{"explain": true}'`.
    """

    answers_are_spans = True

    def answer_fields(self, instance: Instance, output: JsonDict) -> dict[str, Field]:
        passage = original_passage(instance)
        if "best_spans" in output:
            ends = [original_span(instance, *span) for span in output["best_spans"]]
            tags = span_tags([(first, last + 1) for first, last in ends], len(passage))
            return {"answer_tags": SequenceLabelField(tags, passage)}
        first, last = original_span(instance, *output["best_span"])
        return {"span_start": IndexField(first, passage), "span_end": IndexField(last, passage)}

    def predict_batch_instance(self, instances: list[Instance]) -> list[JsonDict]:
        outputs = super().predict_batch_instance(instances)
        for instance, output in zip(instances, outputs):
            metadata = metadata_of(instance)
            if "best_spans" in output:
                output["answers"] = [span_text(metadata, *span) for span in output["best_spans"]]
                output["answer"] = ", ".join(output["answers"])
            else:
                output["answer"] = span_text(metadata, *output["best_span"])
            output.update({name: metadata[name] for name in ("passage_tokens", "question_tokens")})
            known = {name: metadata.get(name) for name in ("id", "answer_texts", "clusters")}
            output.update({name: value for name, value in known.items() if value})
            # Models of other packages do not have it.
            scores_of = getattr(getattr(self._model, "head", self._model), "scores_of", None)
            if scores_of and known["answer_texts"]:
                output.update(scores_of(output.get("answers", output["answer"]), known["answer_texts"]))
            add_warnings(output, self.warnings(output))
        return outputs
