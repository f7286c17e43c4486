"""Texts, and pairs of passage and question, with clusters, as a reader and a data loader make them."""

import torch

from allennlp_coref_rc.annotations import AnnotatedText
from allennlp_coref_rc.data.annotation_layers import CorefEdges
from allennlp_coref_rc.data.fields import AnnotationField
from allennlp_coref_rc.modules.pair import Pair
from allennlp_coref_rc.modules.seq2seq_encoders import encode_pair

LENGTH, BOUNDARY = 13, 9
# Mentions of several tokens, tokens in several clusters, clusters in one part of the text and in both.
CLUSTERS = {
    "coref": [[(0, 2), (3, 4), (10, 11)], [(1, 2), (5, 6), (9, 11)], [(3, 4)]],
    "srl": [[(2, 3), (7, 8), (12, 13)], [(9, 10), (11, 12)]],
}


def ones(length):
    return torch.ones(1, length, dtype=torch.bool)


def fields(clusters, length, boundary, question_first=False):
    """Of passage and question, given the clusters of both by relation."""
    layer = CorefEdges(question_first=question_first)
    made = {
        relation: layer.make(AnnotatedText(["word"] * length, clusters=some), boundary)
        for relation, some in clusters.items()
    }
    return [
        AnnotationField({relation: parts[i] for relation, parts in made.items()}, n)
        for i, n in enumerate((boundary, length - boundary))
    ]


def tensors(*fields, padded_to=None):
    """Makes the tensors of a batch of fields."""
    lengths = [field.get_padding_lengths() for field in fields]
    longest = {name: max(of_field[name] for of_field in lengths) for name in lengths[0]}
    longest["num_tokens"] = padded_to or longest["num_tokens"]
    return fields[0].batch_tensors([field.as_tensor(longest) for field in fields])


def of_text(clusters=CLUSTERS, length=LENGTH):
    return tensors(fields(clusters, length, length)[0])


def encode_both(encoder, question_encoder, passage, question):
    """The vectors of a passage and of its question."""
    return [text.vectors for text in encode_pair(encoder, question_encoder, Pair(passage, question))]
