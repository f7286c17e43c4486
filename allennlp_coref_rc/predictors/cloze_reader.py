from collections.abc import Mapping

from allennlp.common.util import JsonDict
from allennlp.data import Field, Instance
from allennlp.predictors import Predictor

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.data.fields import (
    CANDIDATE_LABELS,
    CLASS_LABELS,
    UNKNOWN_ANSWER,
    AnswerField,
    metadata_of,
)
from allennlp_coref_rc.predictors.explaining_predictor import ExplainingPredictor, add_warnings
from allennlp_coref_rc.predictors.interpretable_predictor import is_attacked
from allennlp_coref_rc.predictors.unknown_words import FROM_PASSAGE, with_passage_candidates


@Predictor.register("cloze_reader")
class ClozeReaderPredictor(ExplainingPredictor):
    """
    Answers questions whose answer is one of a number of candidates.

    Input: `{"passage": …, "question": …}`, the passage a text (or, for bAbI, a list of statements);
    optionally `candidates`, a list of strings, by default the answers seen in training; and `clusters`, known
    coreference clusters in place of the annotator's, as lists of [start, end) spans of the tokens of the
    passage and the wrapped question in a row. Other keys are ignored; one that looks like a misspelt
    `candidates` or `clusters` is an error.

    Output: the `answer`, `candidate_probabilities`, the `attention` on each of the `passage_tokens`, and the
    `clusters` that were used. Candidates that differ only in case are merged. If the probabilities do not add
    up to 1, `note` says why.

    An answer that may be worth less than its probability says has `warnings`, a list of sentences:

    * Where no answer of the training data occurs in the passage, the candidates are content words of the
      passage that the reader does not know and that are not in the question.
    * If there is no such word, or if no given candidate occurs in the passage, the `answer` is `None`,
      and `unanswered` says so.
    * A warning names the words of the question, or of the passage, that the reader does not know, if they are
      half of the content words or more. A reader that reads characters or pieces of words counts as one that
      knows all words.
    * Another says if the passage or the question has as many tokens as the reader reads at most, so that it may be
      cut (`max_passage_length`, `max_question_length`).

    Registered as a `Predictor` with name "cloze_reader".

    # Parameters

    explain : `bool`, optional (default = `False`)
        Output also `explanations`, a list of what was attended to, each an object with the `kind` ("gating"
        or "self_belief"), the `side` whose tokens attend ("passage" or "question"), the side that they attend
        `to`, the reader's `layer` (from 1, of gating alone) and the `weights`, for each token of the one side
        a list with the weight of each of the other. From passage to question these are the alpha of a layer's
        gating, from question to passage the beta of Collaborative Gating; those of self-belief are lambda, of
        the question at the cloze where the reader reads there. And `annotated_heads`, what those of `dassa`
        encoders have attended to (see `AttentionRecorder.of`). On the command line: `--predictor-args
        '{"explain": true}'`.
    """

    optional_inputs = ("candidates", "clusters")

    def answer_fields(self, instance: Instance, output: JsonDict) -> dict[str, Field]:
        namespace = CANDIDATE_LABELS if "candidates" in instance else CLASS_LABELS
        given = metadata_of(instance)["candidates"]
        if output["answer"] is None:
            if not is_attacked(instance):
                raise ConfigurationError(f"there is no answer to interpret: {output['unanswered']}")
            index = UNKNOWN_ANSWER
        elif given:
            index = given.index(output["answer"])
        else:
            index = self._model.vocab.get_token_index(output["answer"], namespace)
        return {"answer": AnswerField(index, namespace, skip_indexing=True)}

    def predict_batch_instance(self, instances: list[Instance]) -> list[JsonDict]:
        vocab, knowledge = self._model.vocab, self.knowledge
        asked = [with_passage_candidates(instance, knowledge, vocab) for instance in instances]
        outputs = super().predict_batch_instance(asked)
        for instance, question, output in zip(instances, asked, outputs):
            warnings = [FROM_PASSAGE] if question is not instance else []
            unanswered = output.pop("unanswered", "")
            if unanswered:
                # AllenNLP makes a text of what is none.
                output.update(answer=None, unanswered=unanswered)
                warnings.append(unanswered)
            add_warnings(output, warnings + self.warnings(output))
            if note := sum_note(output["candidate_probabilities"]):
                output["note"] = note
        return outputs


def sum_note(probabilities: Mapping[str, float]) -> str:
    """Why the candidates' probabilities do not add up to 1; empty if they do."""
    total = sum(probabilities.values())
    if abs(total - 1) <= 0.005:
        return ""
    few, many = "words that are no candidate have the rest", "a word of several candidates counts for each"
    return f"The probabilities add up to {total:.3f}; {many if total > 1 else few}."
