from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

from allennlp_coref_rc.annotations.annotated_text import AnnotatedText
from allennlp_coref_rc.common.errors import ConfigurationError
from allennlp_coref_rc.common.messages import excerpt

if TYPE_CHECKING:
    import torch

    from allennlp_coref_rc.data.annotation_layers import AnnotationLayer
    from allennlp_coref_rc.data.fields import AnnotationField, AnnotationTensors

Layers = Mapping[str, Union[str, dict[str, Any], "AnnotationLayer"]]


def collate(
    texts: Iterable[AnnotatedText],
    layers: Layers,
    labels: Optional[Mapping[str, Union[int, Sequence[str]]]] = None,
) -> tuple["torch.Tensor", "AnnotationTensors"]:
    """
    A batch of annotated texts as the encoders read it: `encoder(vectors, *collate(texts, layers))`.

    # Parameters

    texts : `list[AnnotatedText]`
        What `annotate` returns.
    layers : `dict[str, Union[str, dict, AnnotationLayer]]`
        By the names that the encoders ask for, the annotation layers: `{"coref": "coref_edges"}`, or with
        options `{"coref": {"type": "coref_edges", "read": "first"}}`.
    labels : `dict[str, Union[int, list[str]]]`, optional (default = `None`)
        The labels of each layer of views, as for `DASSA`. Others become the unknown label.

    # Returns

    `tuple[torch.BoolTensor, AnnotationTensors]`
        The mask, true for tokens, shape (batch_size, sequence_length), and by layer and then by name numbers
        of shape (batch_size, sequence_length, width), padded with -2. The width, which may be 0, is the most
        that any token of the batch has. docs/tutorials/annotated_encoder.md says what the numbers mean.
    """
    import torch
    from allennlp.data import Batch, Instance

    from allennlp_coref_rc.data.annotation_layers import label_vocabulary

    fields = _fields(texts, layers)
    for field in fields:
        missing = field.namespaces.keys() - (labels or {}).keys()
        if missing:
            raise ConfigurationError(
                f"collate: found no labels of {sorted(missing)}, expected those that label_names finds in the training "
                "texts, or how many there are"
            )
    batch = Batch([Instance({"annotations": field}) for field in fields])
    batch.index_instances(label_vocabulary(labels or {}))
    tensors: dict[str, Any] = batch.as_tensor_dict()
    lengths = torch.tensor([[field.length] for field in fields])
    return torch.arange(int(lengths.max())) < lengths, tensors["annotations"]


def label_names(texts: Iterable[AnnotatedText], layers: Layers) -> dict[str, list[str]]:
    """The labels that the layers of views have in the texts, for `labels` of `collate` and of `DASSA`."""
    found: dict[str, set[str]] = {}
    for field in _fields(texts, layers):
        for layer, names in field.namespaces.items():
            tokens = (token for name in names for token in field.layers[layer][name])
            labels = (str(label) for token in tokens for label in token if label != "")
            found.setdefault(layer, set()).update(labels)
    return {layer: sorted(names) for layer, names in found.items()}


def _fields(texts: Iterable[AnnotatedText], layers: Layers) -> list["AnnotationField"]:
    from allennlp_coref_rc.annotation_runs.config_option import build
    from allennlp_coref_rc.data.annotation_layers import AnnotationLayer, label_namespace
    from allennlp_coref_rc.data.fields import AnnotationField

    given = [*texts] if isinstance(texts, Iterable) else []
    if not given or not all(isinstance(text, AnnotatedText) for text in given):
        raise ConfigurationError(f"collate: found {excerpt(texts)}, expected a list of annotated texts")
    if not isinstance(layers, Mapping):
        raise ConfigurationError(f"collate: found the layers {excerpt(layers)}, expected layers by name")
    built = {
        name: layer if isinstance(layer, AnnotationLayer) else build(AnnotationLayer, f"layers.{name}", layer)
        for name, layer in layers.items()
    }
    namespaces = {
        name: dict.fromkeys(layer.label_names, label_namespace(name))
        for name, layer in built.items()
        if layer.label_names
    }
    return [
        AnnotationField({name: layer.make(text)[0] for name, layer in built.items()}, len(text), namespaces)
        for text in given
    ]
