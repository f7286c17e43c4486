import torch
from allennlp.common.checks import check_dimensions_match
from allennlp.modules import Seq2SeqEncoder

from allennlp_coref_rc.modules.pair import Pair
from allennlp_coref_rc.modules.seq2seq_encoders import encode_pair


class GatedLayer(torch.nn.Module):
    """
    Adds to the vectors of a passage and its question what an encoder finds in them and their annotations: `x
    + gate * f(x)`, where `f` is the encoder and a projection to the size of `x`, and the gate has a weight
    for each dimension. The gate starts at 0, so at first the layer changes nothing at all.

    While the gate is exactly 0, no gradient passes through it to the encoder. This is so only in the first
    update: the gate itself has gradients from the beginning, and the first update opens it.

    # Parameters

    dim : `int`
        The size of the vectors.
    encoder : `Seq2SeqEncoder`
        Reads passage and question. It may read annotations.
    """

    def __init__(self, dim: int, encoder: Seq2SeqEncoder) -> None:
        super().__init__()
        check_dimensions_match(
            encoder.get_input_dim(), dim, "model.encoder input", "the vectors of model.transformer"
        )
        self._encoder = encoder
        self._projection = torch.nn.Linear(encoder.get_output_dim(), dim)
        self._gate = torch.nn.Parameter(torch.zeros(dim))

    def forward(self, pair: Pair) -> Pair:
        encoded = encode_pair(self._encoder, self._encoder, pair)
        return pair.with_vectors(
            *(text.vectors + self._gate * self._projection(new.vectors) for text, new in zip(pair, encoded))
        )
