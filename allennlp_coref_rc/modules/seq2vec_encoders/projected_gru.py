import torch
from allennlp.modules import Seq2VecEncoder
from allennlp.modules.seq2vec_encoders import GruSeq2VecEncoder

from allennlp_coref_rc.common.checks import check_number


@Seq2VecEncoder.register("projected_gru")
class ProjectedGru(Seq2VecEncoder):
    """
    A linear layer over the final states of a bidirectional GRU: the character encoder of the GA Reader (with
    hidden size 25). The GA Reader has a linear layer for each direction and sums their outputs, which is the
    same.

    Registered as a `Seq2VecEncoder` with name "projected_gru".

    # Parameters

    input_size : `int`
    hidden_size : `int`
        The size of one direction.
    output_size : `int`
        In the GA Reader, half of the size of a word's embedding.
    """

    def __init__(self, input_size: int, hidden_size: int, output_size: int) -> None:
        super().__init__()
        for key, number in (
            ("input_size", input_size),
            ("hidden_size", hidden_size),
            ("output_size", output_size),
        ):
            check_number("projected_gru", key, number)
        self._gru = GruSeq2VecEncoder(input_size, hidden_size, bidirectional=True)
        self._projection = torch.nn.Linear(2 * hidden_size, output_size)

    def get_input_dim(self) -> int:
        return self._gru.get_input_dim()

    def get_output_dim(self) -> int:
        return self._projection.out_features

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """
        # Parameters

        tokens : `torch.FloatTensor`
            Shape: (batch_size, num_characters, input_size).
        mask : `torch.BoolTensor`
            Shape: (batch_size, num_characters).

        # Returns

        `torch.FloatTensor`
            Shape: (batch_size, output_size).
        """
        return self._projection(self._gru(tokens, mask))
