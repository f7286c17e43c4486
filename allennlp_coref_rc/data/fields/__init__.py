from allennlp_coref_rc.data.fields.annotation_field import AnnotationField, AnnotationTensors
from allennlp_coref_rc.data.fields.question_fields import (
    CANDIDATE_LABELS,
    CLASS_LABELS,
    MALFORMED,
    SKIPPED_ANSWER,
    UNKNOWN_ANSWER,
    AnswerField,
    CandidatesField,
    CandidateTensors,
    QuestionField,
    metadata_of,
)
