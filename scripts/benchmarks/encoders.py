"""
Measures the time and memory of encoders of the same size (128), forward and backward in training mode: `dassa`, plain
and with heads that see annotations, beside `qanet_encoder` of allennlp-models.

    python -m scripts.benchmarks encoders --lengths 200 400 800

Sentences, labels and clusters are drawn at random.

Values checked, without dropout: with the same parameters, `dassa` computes the same as `qanet_encoder`, and it still
does if all its heads see the whole text without labels.
"""

import argparse
from typing import Any, NamedTuple

import torch
from allennlp.data import Vocabulary
from allennlp.modules import Seq2SeqEncoder
from allennlp_models.rc.modules.seq2seq_encoders.qanet_encoder import QaNetEncoder

from allennlp_coref_rc.data.annotation_layers import label_namespace
from allennlp_coref_rc.modules.pair import TokenVectors
from allennlp_coref_rc.modules.seq2seq_encoders import Dassa, encode
from scripts.benchmarks.harness import Run, Subject, positive, relative_error
from scripts.benchmarks.made_up import Text

# The golden tests know how allennlp-models' parameters are named and shaped in ours.
from tests.golden.qanet import qanet_state

SIZE, BLOCKS, HEADS, LABELS, SENTENCE = 128, 7, 8, 100, 20
VIEWS = {"explicit": 2, "srl": 3, "coref": 1}
QANET = "qanet_encoder"
ENCODERS: dict[str, dict[str, int]] = {
    QANET: {},
    "dassa": {},
    "dassa explicit 2": {"explicit": 2},
    "dassa explicit 2 srl 3 coref 1": VIEWS,
}
TOLERANCE = 1e-4

Encoder = NamedTuple("Encoder", [("encoder", str)])


def make_encoder(name: str) -> Seq2SeqEncoder:
    torch.manual_seed(0)
    if name == QANET:
        return QaNetEncoder(SIZE, SIZE, SIZE, SIZE, BLOCKS, 2, 5, HEADS)
    counter = {label_namespace(layer): {str(i): 1 for i in range(LABELS)} for layer in VIEWS}
    return Dassa(SIZE, SIZE, BLOCKS, heads=ENCODERS[name], vocab=Vocabulary(counter=counter))


def make_input(text: Text, device: str, labelled: bool = True) -> TokenVectors:
    """
    Random vectors and labels, and sentences of random lengths, `SENTENCE` tokens on average. If it is not labelled, all
    labels are 0 and all scopes are the whole text.
    """
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(*text, SIZE, generator=generator)
    sentences = 1 + (torch.rand(*text, 1, generator=generator) < 1 / SENTENCE).cumsum(dim=1)
    annotations: dict[str, Any] = {}
    for layer, number in VIEWS.items():
        labels = torch.randint(LABELS, (*text, number), generator=generator) * labelled
        scopes = sentences.expand_as(labels) if labelled and layer != "coref" else torch.ones_like(labels)
        annotations[layer] = {"labels": labels.to(device), "scopes": scopes.to(device)}
    mask = torch.ones(*text, dtype=torch.bool, device=device)
    return TokenVectors(inputs.to(device).requires_grad_(), mask, annotations)


class Encoders(Subject):
    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--encoders", nargs="+", choices=ENCODERS, default=[*ENCODERS], help="default: all")
        parser.add_argument("--lengths", type=positive, nargs="+", default=[200, 400, 800])
        parser.add_argument("--batch", type=positive, default=2)

    def settings(self) -> list[Text]:
        return [Text(self.arguments.batch, length) for length in self.arguments.lengths]

    def competitors(self, setting: Text) -> list[Encoder]:
        return [Encoder(name) for name in self.arguments.encoders]

    def small(self, setting: Text) -> Text:
        return Text(1, 8)

    def prepare(self, competitor: Encoder, setting: Text) -> Run:
        encoder = make_encoder(competitor.encoder).to(self.arguments.device)
        sequence = make_input(setting, self.arguments.device)

        def update() -> None:
            encoder.zero_grad()
            encode(encoder, sequence).sum().backward()

        return update

    @torch.no_grad()
    def problems(self, setting: Text) -> list[str]:
        labelled = make_input(setting, self.arguments.device, labelled=False)
        unlabelled, errors = labelled._replace(annotations=None), {}
        for name in self.arguments.encoders:
            encoder, reference = (make_encoder(name).to(self.arguments.device).eval() for _ in range(2))
            if name == "dassa":
                reference = make_encoder(QANET).to(self.arguments.device).eval()
                encoder.load_state_dict(qanet_state(reference.state_dict()))
            errors[name] = relative_error(encode(encoder, labelled), encode(reference, unlabelled))
        return [f"{name}: wrong by {e:.1e} of the largest number" for name, e in errors.items() if not e <= TOLERANCE]
