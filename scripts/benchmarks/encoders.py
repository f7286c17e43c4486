"""
Measures the time and memory of encoders of the same size, forward and backward in training mode. By default these are
`dassa`, plain and with heads that see annotations, and `qanet_encoder` of allennlp-models.

    python scripts/benchmarks/encoders.py --threads 1 --lengths 200 400 800
    python scripts/benchmarks/encoders.py gru coref_gru mage_gru dassa --lengths 400

The other encoders are compared with the first one. The size is 128; recurrent encoders have 64 in each direction.
Sentences, labels and clusters are drawn at random.

Values checked, without dropout: with the same parameters, `dassa` computes the same as `qanet_encoder`, and it still
does if all its heads see the whole text without labels. Without annotations, `coref_gru` and `mage_gru` compute the
same as `torch.nn.GRU`.
"""

import sys
from pathlib import Path
from typing import Any, NamedTuple

import torch
from allennlp.data import Vocabulary
from allennlp.modules import Seq2SeqEncoder
from allennlp.modules.seq2seq_encoders import GruSeq2SeqEncoder
from allennlp_models.rc.modules.seq2seq_encoders.qanet_encoder import QaNetEncoder
from batches import Text
from harness import Benchmark, Run, compare, comparison_parser, parse, positive, relative_error

from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.script import ScriptParser, run
from allennlp_coref_rc.data.annotation_layers import label_namespace
from allennlp_coref_rc.data.annotation_layers.edges import FIRST_MENTION
from allennlp_coref_rc.modules.pair import TokenVectors
from allennlp_coref_rc.modules.seq2seq_encoders import CorefGru, Dassa, MageGru, encode

# The golden tests know how allennlp-models' parameters are named and shaped in ours.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.golden.qanet import qanet_state

SIZE, BLOCKS, HEADS, LABELS, CLUSTERS = 128, 7, 8, 100, 20
VIEWS = {"explicit": 2, "srl": 3, "coref": 1}
DASSA_HEADS: dict[str, dict[str, int]] = {
    "dassa": {},
    "dassa explicit 2": {"explicit": 2},
    "dassa explicit 2 srl 3 coref 1": VIEWS,
}
QANET = "qanet_encoder"
NAMES = (QANET, *DASSA_HEADS, "gru", "coref_gru", "mage_gru")
TOLERANCE = 1e-4


class Encoder(NamedTuple):
    encoder: str


def make_encoder(name: str) -> Seq2SeqEncoder:
    if name not in NAMES:
        raise ConfigurationError(f"found the encoder {name!r}, expected one of {', '.join(NAMES)}")
    torch.manual_seed(0)
    if name == QANET:
        return QaNetEncoder(SIZE, SIZE, SIZE, SIZE, BLOCKS, 2, 5, HEADS)
    if name == "gru":
        return GruSeq2SeqEncoder(SIZE, SIZE // 2, bidirectional=True)
    if name == "coref_gru":
        return CorefGru(SIZE, SIZE // 2, relations=["coref_edges"])
    if name == "mage_gru":
        return MageGru(SIZE, {"sequential": 48, "coref_edges": 16})
    counter = {label_namespace(layer): {str(i): 1 for i in range(LABELS)} for layer in VIEWS}
    return Dassa(SIZE, SIZE, BLOCKS, heads=DASSA_HEADS[name], vocab=Vocabulary(counter=counter))


def make_input(text: Text, sentence: int, device: str) -> TokenVectors:
    """Random vectors and labels, sentences of random lengths, `sentence` tokens on average, and random clusters."""
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(*text, SIZE, generator=generator)
    sentences = 1 + (torch.rand(*text, 1, generator=generator) < 1 / sentence).cumsum(dim=1)
    annotations: dict[str, Any] = {}
    for layer, number in VIEWS.items():
        labels = torch.randint(LABELS, (*text, number), generator=generator)
        scopes = torch.ones_like(labels) if layer == "coref" else sentences.expand_as(labels)
        annotations[layer] = {"labels": labels, "scopes": scopes}
    clusters = torch.randint(CLUSTERS, text, generator=generator).tolist()
    edges = {"antecedents": [nearest(row) for row in clusters], "descendants": [nearest(row, True) for row in clusters]}
    annotations["coref_edges"] = {name: torch.tensor(sources).unsqueeze(-1) for name, sources in edges.items()}
    annotations = {
        layer: {name: value.to(device) for name, value in tensors.items()} for layer, tensors in annotations.items()
    }
    mask = torch.ones(*text, dtype=torch.bool, device=device)
    return TokenVectors(inputs.to(device).requires_grad_(), mask, annotations)


def nearest(clusters: list[int], after: bool = False) -> list[int]:
    """For each token, the nearest token of its cluster before it or, with `after`, after it."""
    last: dict[int, int] = {}
    sources = [FIRST_MENTION] * len(clusters)
    for t in reversed(range(len(clusters))) if after else range(len(clusters)):
        sources[t] = last.get(clusters[t], FIRST_MENTION)
        last[clusters[t]] = t
    return sources


class Encoders(Benchmark):
    def settings(self) -> list[Text]:
        return [Text(self.arguments.batch, length) for length in self.arguments.lengths]

    def competitors(self, setting: Text) -> list[Encoder]:
        return [Encoder(name) for name in self.arguments.encoders]

    def small(self, setting: Text) -> Text:
        return Text(1, 8)

    def prepare(self, competitor: Encoder, setting: Text) -> Run:
        encoder = make_encoder(competitor.encoder).to(self.arguments.device)
        sequence = make_input(setting, self.arguments.sentence, self.arguments.device)

        def update() -> None:
            encoder.zero_grad()
            encode(encoder, sequence).sum().backward()

        return update

    def problems(self, setting: Text) -> list[str]:
        problems = []
        for name in self.arguments.encoders:
            error = self.error(name, setting)
            if not error <= TOLERANCE:
                problems.append(f"{name} differs by {error:.1e} of the largest number from what it should be")
        return problems

    @torch.no_grad()
    def error(self, name: str, setting: Text) -> float:
        """
        The relative error between an encoder and another one that should compute the same without annotations or
        labels.
        """
        inputs, mask, _ = make_input(setting, self.arguments.sentence, self.arguments.device)
        plain, encoder, annotations = make_encoder(name), make_encoder(name), None
        if name == QANET:
            encoder = make_encoder("dassa")
            encoder.load_state_dict(qanet_state(plain.state_dict()))
        elif name in DASSA_HEADS:
            labels, scopes = torch.zeros_like(mask).long().unsqueeze(-1), mask.long().unsqueeze(-1)
            annotations = {
                layer: {"labels": labels.expand(-1, -1, number), "scopes": scopes.expand(-1, -1, number)}
                for layer, number in VIEWS.items()
            }
        elif name != "gru":
            plain = make_encoder("gru")
            plain._module = encoder.to_torch()
        plain, encoder = (module.to(self.arguments.device).eval() for module in (plain, encoder))
        expected = encode(plain, TokenVectors(inputs, mask))
        return relative_error(encode(encoder, TokenVectors(inputs, mask, annotations)), expected)


def options() -> ScriptParser:
    result = comparison_parser(__doc__, rounds=15, threads=1)
    default = [QANET, *DASSA_HEADS]
    result.add_argument("encoders", nargs="*", default=default, metavar="ENCODER", help=f"of {', '.join(NAMES)}")
    result.add_argument("--lengths", type=positive, nargs="+", default=[200, 400, 800])
    result.add_argument("--batch", type=positive, default=2)
    result.add_argument("--sentence", type=positive, default=20, help="tokens of a sentence, on average")
    return result


if __name__ == "__main__":
    run(lambda: compare(Encoders(parse(options()))))
