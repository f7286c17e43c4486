import json

import torch
from allennlp.common.util import sanitize
from allennlp.data import Instance
from allennlp.nn.util import move_to_device

from allennlp_coref_rc.data.fields import QuestionField
from tests.batches import tensors


def test_a_batch_has_what_is_known_of_each_question_and_stays_as_it_is():
    known = [{"id": "1", "clusters": [[(0, 1)]]}, {"id": "2", "clusters": []}]
    batch = tensors([Instance({"metadata": QuestionField(values)}) for values in known])
    metadata = move_to_device(batch, torch.device("cpu"))["metadata"]
    assert metadata == known and len(metadata) == 2 and [values["id"] for values in metadata] == ["1", "2"]
    # AllenNLP copies the tuples of other fields.
    assert all(found is values for found, values in zip(metadata, known))
    assert metadata[0]["clusters"][0][0] is known[0]["clusters"][0][0]
    expected = [{"id": "1", "clusters": [[[0, 1]]]}, {"id": "2", "clusters": []}]
    assert json.loads(json.dumps(sanitize(metadata))) == expected
