import json

import _jsonnet

from allennlp_coref_rc.annotations.annotators.exact_match_coref import NOT_ENTITIES
from allennlp_coref_rc.data.babi.mixed_stories import ALTERNATES_OF_KIND
from tests.shared import PROJECT


def test_groups_are_of_one_kind():
    words = json.loads(
        _jsonnet.evaluate_file(str(PROJECT / "training_config" / "lib" / "babi_words.libsonnet"))
    )
    people, places, *others = [set(group) for group in words["groups"]]
    assert people == ALTERNATES_OF_KIND["people"].keys() and places == ALTERNATES_OF_KIND["places"].keys()
    things, forms = words["class_groups"]
    others += [set(things), {form for name in forms for form in name}]
    for group in others:
        # What is no name is a verb.
        assert any(group <= kind.keys() for kind in ALTERNATES_OF_KIND.values()) or group <= NOT_ENTITIES, (
            group
        )
