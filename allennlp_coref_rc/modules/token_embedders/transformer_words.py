from typing import Any, Optional, Self

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.modules.token_embedders import PretrainedTransformerMismatchedEmbedder, TokenEmbedder


@TokenEmbedder.register("transformer_words")
class TransformerWords(PretrainedTransformerMismatchedEmbedder):
    """
    Word vectors of a pretrained transformer. The vector of a word is the mean of the vectors of its pieces.
    This is AllenNLP's `pretrained_transformer_mismatched`, and uses the indexer of this name; in addition you
    choose which layers are trained. The pooler is left out, because no word vector needs it. So training uses
    every parameter.

    Registered as a `TokenEmbedder` with name "transformer_words".

    # Parameters

    model_name : `str`
        A folder, or a name on the Hugging Face hub.
    trained_layers : `int`, optional (default = `None`)
        Train only the last `trained_layers` layers. The layers before them and the embeddings are frozen, and
        have no dropout. By default the whole transformer is trained.

    The other parameters are AllenNLP's: `max_length`, which has to be the same as the indexer's,
    `gradient_checkpointing`, `last_layer_only`, `tokenizer_kwargs`, …

    # Example

    ```jsonnet
    {"type": "transformer_words", "model_name": "roberta-base", "max_length": 512, "trained_layers": 4}
    ```
    """

    def __init__(self, model_name: str, trained_layers: Optional[int] = None, **kwargs: Any) -> None:
        super().__init__(model_name, **kwargs)
        transformer: Any = self._matched_embedder.transformer_model
        if getattr(transformer, "pooler", None) is not None:
            transformer.pooler = None
        check_length(transformer, model_name, kwargs.get("max_length"))
        self._trained: Optional[list[torch.nn.Module]] = None
        if trained_layers is None:
            return
        layers = _layers(transformer, self._matched_embedder.config.num_hidden_layers, model_name)
        if not 0 <= trained_layers <= len(layers):
            raise ConfigurationError(
                f"transformer_words.trained_layers is {trained_layers}, expected 0 to {len(layers)}, as many layers as "
                f"{model_name} has"
            )
        transformer.requires_grad_(False)
        trained = layers[len(layers) - trained_layers :]
        self._trained = list(trained.requires_grad_(self._matched_embedder.train_parameters))
        self.train()

    def train(self, mode: bool = True) -> Self:
        super().train(mode)
        if self._trained is not None:
            self._matched_embedder.transformer_model.eval()
            for layer in self._trained:
                layer.train(mode)
        return self


def check_length(
    transformer: torch.nn.Module, model_name: str, max_length: Optional[int], owner: str = "transformer_words"
) -> None:
    """
    Refuses a length beyond the transformer's position embeddings. RoBERTa's begin after that of padding.
    """
    for name, module in transformer.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            longest = module.num_embeddings - (0 if module.padding_idx is None else module.padding_idx + 1)
            if max_length is not None and max_length > longest:
                raise ConfigurationError(
                    f"{owner}.max_length is {max_length}, expected {longest} or less, the pieces that "
                    f"{model_name} can read"
                )


def _layers(transformer: torch.nn.Module, number: int, model_name: str) -> torch.nn.ModuleList:
    for module in transformer.modules():
        if isinstance(module, torch.nn.ModuleList) and len(module) == number:
            return module
    raise ConfigurationError(
        f"transformer_words.trained_layers: found no list of {number} layers in {model_name}, expected one; leave "
        "trained_layers out to train all of it"
    )
