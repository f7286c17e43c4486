"""Instances as tensors."""

from allennlp.data import Batch, Vocabulary


def tensors(instances, vocab=None):
    """Makes the tensors of a batch of all instances. By default their own vocabulary numbers their words."""
    batch = Batch(instances)
    batch.index_instances(Vocabulary.from_instances(batch.instances) if vocab is None else vocab)
    return batch.as_tensor_dict()
