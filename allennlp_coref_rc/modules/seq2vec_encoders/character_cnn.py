import torch
from allennlp.modules import Seq2VecEncoder

from allennlp_coref_rc.common.checks import check_number


@Seq2VecEncoder.register("character_cnn")
class CharacterCnn(Seq2VecEncoder):
    """
    A convolution over a word's characters, ReLU, and the maximum over the word: the character encoder of
    Coref-GRU's WikiHop model (width 5, 50 filters, no bias) and of DASSA's QANet (width 5, 100 filters).

    A window may begin at any character of the word and reach into padding, which is zeros. So words that are
    shorter than the window have a vector too, as in the authors' code. (In AllenNLP 2.10.1, `cnn` makes this
    vector zero.) How much padding a batch has changes nothing here. In the authors' code it does, because
    windows may also begin in padding.

    Registered as a `Seq2VecEncoder` with name "character_cnn".

    # Parameters

    embedding_dim : `int`
        The size of a character's embedding.
    num_filters : `int`
    width : `int`, optional (default = `5`)
        In characters.
    bias : `bool`, optional (default = `True`)
    """

    def __init__(self, embedding_dim: int, num_filters: int, width: int = 5, bias: bool = True) -> None:
        super().__init__()
        for key, number in (("embedding_dim", embedding_dim), ("num_filters", num_filters), ("width", width)):
            check_number("character_cnn", key, number)
        self._width = width
        self._convolution = torch.nn.Conv1d(embedding_dim, num_filters, width, bias=bias)

    def get_input_dim(self) -> int:
        return self._convolution.in_channels

    def get_output_dim(self) -> int:
        return self._convolution.out_channels

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """
        # Parameters

        tokens : `torch.FloatTensor`
            Shape: (batch_size, num_characters, embedding_dim).
        mask : `torch.BoolTensor`
            Shape: (batch_size, num_characters).

        # Returns

        `torch.FloatTensor`
            Shape: (batch_size, num_filters). Zeros where there is no character.
        """
        characters = (tokens * mask.unsqueeze(-1)).transpose(1, 2)
        characters = torch.nn.functional.pad(characters, (0, self._width - 1))
        # Not negative, so that windows that begin in padding, at zero, are never the maximum.
        windows = self._convolution(characters).relu() * mask.unsqueeze(1)
        return windows.amax(dim=2)
