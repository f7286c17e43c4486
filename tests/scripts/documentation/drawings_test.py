"""
The drawings of docs/how_it_works.md are those that the annotation layers make today.
"""

import pytest

from allennlp_coref_rc.annotations.annotators import SieveCoref
from scripts.documentation.drawings import DRAWINGS, FOLDER, PASSAGE, STORY


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_is_up_to_date(name):
    assert (FOLDER / f"{name}.svg").read_text() == str(DRAWINGS[name]()), "run python -m scripts.documentation.drawings"


def test_there_are_no_other_drawings():
    assert {path.stem for path in FOLDER.iterdir()} == set(DRAWINGS)


def test_the_clusters_of_the_passage_are_those_of_sieve_coref():
    passage = STORY.select((0, len(PASSAGE)))
    found = SieveCoref().annotate(type(passage)(passage.tokens, passage.sentences)).clusters
    assert found == [cluster for cluster in passage.clusters if len(cluster) > 1] == [[(0, 1), (8, 9)]]
