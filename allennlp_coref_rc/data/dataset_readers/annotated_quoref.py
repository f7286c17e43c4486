from allennlp.data import DatasetReader

from allennlp_coref_rc.data.dataset_readers.annotated_squad import AnnotatedSquadReader


@DatasetReader.register("annotated_quoref")
class AnnotatedQuorefReader(AnnotatedSquadReader):
    """
    Reads Quoref (Dasigi et al. 2019), whose questions ask for coreference. Its files are in SQuAD's form. But
    the entries of `answers` are the spans of a single answer ("Which two people …?"), while in SQuAD they are
    alternatives.

    It works like `AnnotatedSquadReader`, which describes the parameters, with these differences. Models of
    one span are trained with the span that the file names first. The metric `quoref` compares predictions
    with all spans, which the metadata have as `answer_texts` and `answer_spans`. With `tag_answers`, the
    field `answer_tags` has all spans.

    Registered as a `DatasetReader` with name "annotated_quoref".

    # Example

    ```jsonnet
    {"type": "annotated_quoref", "annotator": "sieve_coref", "annotation_layers": {"coref": "coref_edges"}}
    ```
    """

    several_spans = True
