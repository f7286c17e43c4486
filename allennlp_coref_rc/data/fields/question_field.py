from collections import UserList
from typing import Any, cast

from allennlp.common.util import sanitize
from allennlp.data import Instance
from allennlp.data.fields import MetadataField


class QuestionField(MetadataField):
    """
    A `MetadataField` for what a reader knows about a question. In each batch, AllenNLP looks for tensors in all dicts,
    lists and tuples of a `MetadataField`. For long passages, that takes a third of the time that it needs for a batch.
    A batch of this field behaves like a list, but AllenNLP does not take it for one.
    """

    __slots__: list[str] = []

    def batch_tensors(self, tensor_list: list[Any]) -> Any:
        return Questions(tensor_list)


class Questions(UserList):
    """The metadata of the questions of a batch."""

    def to_json(self) -> list[Any]:
        """The value that AllenNLP writes into a file of predictions."""
        return cast(list[Any], sanitize(self.data))


def metadata_of(instance: Instance) -> dict[str, Any]:
    """The metadata of an instance's question."""
    return cast(dict[str, Any], cast(MetadataField, instance["metadata"]).metadata)
