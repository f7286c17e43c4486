"""
Measures the time and memory of whole training updates of configs' models: forward, penalty, backward,
clipping and optimizer, as the config has them.

    python -m scripts.benchmarks updates torch.nn.GRU babi/ga_coref_gru babi/ga_gru --tokens 100
    python -m scripts.benchmarks updates allennlp_qanet narrativeqa/baseline_qanet narrativeqa/dassa_sdp_exp \\
        --tokens 200 400 800 --batch 2
    python -m scripts.benchmarks updates cnn/ga_gru+coref_gru --tokens 2000 --rounds 1

CONFIG+VARIANT is a config with a variant of lib/variants.libsonnet. Two models are not configs:
`torch.nn.GRU` is only one layer, forward and backward, and `allennlp_qanet` is the `qanet` of allennlp-models
in the sizes of narrativeqa/baseline_qanet.

Values checked: the loss of a batch is the mean of the losses of its questions one by one. Variants have the
loss of the model without them.
"""

import argparse
import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from allennlp.common import Params
from allennlp.data import TensorDict
from allennlp.models import Model
from allennlp.training.optimizers import Optimizer
from allennlp.training.util import enable_gradient_clipping, rescale_gradients

from scripts.benchmarks.harness import Row, Run, Subject, Turn, positive
from scripts.benchmarks.made_up import Text, make_instances, make_tensors, make_vocabulary, read_config

GRU, ALLENNLP_QANET = "torch.nn.GRU", "allennlp_qanet"
OUR_QANET = "narrativeqa/baseline_qanet"
AMP = ("bfloat16", "float16")
TOLERANCE = {"": 1e-3, "bfloat16": 0.05, "float16": 0.01}
"""By variant, the largest difference of the loss that is allowed, as a share of it."""

Variant = NamedTuple("Variant", [("model", str), ("variant", str)])


def allennlp_qanet(model: dict[str, Any]) -> dict[str, Any]:
    """The config of allennlp-models' model and encoders, made from the config of ours."""
    theirs = copy.deepcopy(model)
    theirs["type"] = "qanet"
    theirs["text_field_embedder"]["token_embedders"]["characters"]["encoder"].update(
        type="cnn", ngram_filter_sizes=[5]
    )
    for name, convolutions, width in (("phrase_layer", 4, 7), ("modeling_layer", 2, 5)):
        layer = theirs[name]
        theirs[name] = {
            "type": "qanet_encoder",
            "attention_projection_dim": layer["hidden_dim"],
            "num_convs_per_block": convolutions,
            "conv_kernel_size": width,
            "num_attention_heads": 8,
            **{
                key: layer[key] for key in ("input_dim", "hidden_dim", "num_blocks", "feedforward_hidden_dim")
            },
        }
    return theirs


class Experiment:
    """The model of a config, how it is trained, and made-up text for it."""

    def __init__(self, competitor: Variant, text: Text, arguments: Any) -> None:
        config = read_config(OUR_QANET if competitor.model == ALLENNLP_QANET else competitor.model)
        self.device, self.trainer = torch.device(arguments.device), config["trainer"]
        self.instances = make_instances(config["dataset_reader"], text, arguments.words)
        self.vocab = make_vocabulary(self.instances, arguments.words)
        self.with_annotations = competitor.model != ALLENNLP_QANET
        torch.manual_seed(0)
        model = config["model"] if self.with_annotations else allennlp_qanet(config["model"])
        self.model = Model.from_params(Params(model), vocab=self.vocab).to(self.device)
        self.amp = getattr(torch, competitor.variant) if competitor.variant else None

    def tensors(self, *chosen: int) -> TensorDict:
        """The tensors of some instances, or of all."""
        instances = [self.instances[i] for i in chosen] or self.instances
        tensors = make_tensors(instances, self.vocab, self.device)
        return {
            name: value
            for name, value in tensors.items()
            if self.with_annotations or "annotations" not in name
        }

    def loss(self, inputs: TensorDict) -> torch.Tensor:
        with torch.autocast(self.device.type, dtype=self.amp, enabled=self.amp is not None):
            loss = self.model(**inputs)["loss"]
            penalty = self.model.get_regularization_penalty() if self.model.training else None
        return loss if penalty is None else loss + penalty

    def update(self) -> Run:
        inputs, grad_norm = self.tensors(), self.trainer.get("grad_norm")
        parameters = [
            (name, parameter) for name, parameter in self.model.named_parameters() if parameter.requires_grad
        ]
        optimizer = Optimizer.from_params(
            Params(dict(self.trainer["optimizer"])), model_parameters=parameters
        )
        enable_gradient_clipping(self.model, self.trainer.get("grad_clipping"))
        # Gradients are too small for float16. With the other types this does nothing.
        scaler = torch.amp.GradScaler(self.device.type, enabled=self.amp == torch.float16)

        def update() -> None:
            optimizer.zero_grad()
            scaler.scale(self.loss(inputs)).backward()
            if grad_norm:
                scaler.unscale_(optimizer)
                rescale_gradients(self.model, grad_norm)
            scaler.step(optimizer)
            scaler.update()

        return update


class Updates(Subject):
    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        add = parser.add_argument
        add("models", nargs="+", metavar="MODEL", help=f"{GRU}, {ALLENNLP_QANET}, a config or CONFIG+VARIANT")
        add("--batch", type=positive, default=32)
        add("--tokens", type=positive, nargs="+", default=[100], help="of passages")
        add("--words", type=positive, default=100_000, help="in the vocabulary of cloze questions")
        add("--amp", nargs="+", choices=AMP, default=[], help="also in these types, as `use_amp` trains")

    def settings(self) -> list[Text]:
        return [Text(self.arguments.batch, tokens) for tokens in self.arguments.tokens]

    def competitors(self, setting: Text) -> list[Variant]:
        variants = ["", *self.arguments.amp]
        return [
            Variant(model, v) for model in self.arguments.models for v in (variants if model != GRU else [""])
        ]

    def small(self, setting: Text) -> Text:
        return Text(2, 8)

    def prepare(self, competitor: Variant, setting: Text) -> Run:
        if competitor.model != GRU:
            return Experiment(competitor, setting, self.arguments).update()
        device, size = self.arguments.device, 64
        gru = torch.nn.GRU(size, size, batch_first=True).to(device)
        sequence = torch.randn(*setting, size, device=device, requires_grad=True)
        return lambda: gru(sequence)[0].sum().backward()

    def details(self, setting: Text, competitor: Variant, turns: Sequence[Turn]) -> Row:
        return self.rates(turns, questions=setting.batch)

    @torch.no_grad()
    def problems(self, setting: Text) -> list[str]:
        problems, text = [], setting._replace(batch=2)
        for competitor in self.competitors(setting):
            if competitor.model == GRU:
                continue
            plain = Experiment(competitor._replace(variant=""), text, self.arguments)
            ours = Experiment(competitor, text, self.arguments) if competitor.variant else plain
            plain.model.eval(), ours.model.eval()
            expected = torch.stack([plain.loss(plain.tensors(i)) for i in (0, 1)]).mean().item()
            loss = ours.loss(ours.tensors(0, 1)).item()
            if not abs(loss - expected) <= TOLERANCE[competitor.variant] * abs(expected):
                problems.append(
                    f"{competitor}: the loss of two questions is {loss:.6g}, their mean loss {expected:.6g}"
                )
        return problems
