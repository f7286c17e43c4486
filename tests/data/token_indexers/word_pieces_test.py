from unittest.mock import MagicMock

import huggingface_hub
import pytest
from huggingface_hub.utils import HfHubHTTPError, RepositoryNotFoundError

from allennlp_coref_rc.data.token_indexers.word_pieces import load_encoder_part

REFUSED = ConnectionError("refused")
UNKNOWN = RepositoryNotFoundError("404", response=MagicMock(status_code=404))
DOWN = HfHubHTTPError("503", response=MagicMock(status_code=503))


class Part:
    @staticmethod
    def from_pretrained(source, **options):
        return source, options["local_files_only"]


@pytest.mark.parametrize("name, asked", [("someone/encoder", 1), (".", 0)])
@pytest.mark.parametrize(
    "answer, cache_alone", [({}, False), (UNKNOWN, False), (DOWN, True), (REFUSED, True)]
)
def test_a_hub_that_does_not_answer_is_asked_once(monkeypatch, name, asked, answer, cache_alone):
    questions = []

    def model_info(*question, **_):
        questions.append(question)
        if isinstance(answer, Exception):
            raise answer

    monkeypatch.setattr(huggingface_hub, "model_info", model_info)
    assert load_encoder_part(Part, name, None) == (name, cache_alone and bool(asked))
    assert len(questions) == asked
