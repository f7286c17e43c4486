"""The examples of the playground: simulated stories that come with the package, and texts written for it."""

from functools import lru_cache

from allennlp_coref_rc.data.babi.babi_files import read_babi
from allennlp_coref_rc.data.dataset_readers.annotated_babi import BUNDLED_FOLDER
from allennlp_coref_rc.playground.reader_session import Question

STORIES = (73, 1, 111, 117)
"""The numbers of questions about the bundled test stories. Their stories have eight or ten statements."""

TEXTS = {
    "Names that no reader knows": Question(
        "Zelda got the milk. Quentin moved to the garden. Zelda went to the office. Quentin went to the kitchen.",
        "Where is the milk?",
    ),
    "A cloze, tokenised as in LAMBADA": Question(
        "nora set the lantern on the sill and waited for her brother . the storm had taken the bridge , and tobias "
        "would have to come by the lower road . `` he will be cold , '' said the old miller , and put another log on "
        "the fire . near midnight she heard boots on the steps . the miller pulled back the bolt .",
        "there , wet to the bone , with the broken reins still in his hand , stood @placeholder",
    ),
    "A summary, as in NarrativeQA": Question(
        "Ada Winters grows up above the workshop of her father, Edmund, who repairs clocks in the harbour town of "
        "Marlow. When he dies, he leaves her a clock that runs backwards, and a debt to a merchant named Silas Crane. "
        "Crane offers to forget the debt if she sells him the clock. Ada refuses, and asks her cousin Jonah for help. "
        "Jonah takes the clock apart and finds a letter in it. In the letter Edmund tells his daughter that Crane once "
        "stole the plans of the harbour bridge from him, and that the bridge will not bear the winter ice. Ada brings "
        "the letter to the mayor. He does not believe her, but he closes the bridge for a night. That night the bridge "
        "falls. Crane flees the town, and the mayor pays the debt of her father. In spring she opens the workshop "
        "again, and Jonah becomes her apprentice.",
        "Who asks her cousin for help?",
    ),
}


@lru_cache(maxsize=None)
def examples() -> dict[str, Question]:
    """The examples by name."""
    questions = list(read_babi(str(BUNDLED_FOLDER / "qa2_test.txt")))
    stories = {
        f"Simulated story {i}": Question(" ".join(found.statements), found.question)
        for i, found in enumerate((questions[number - 1] for number in STORIES), start=1)
    }
    return {**stories, **TEXTS}
