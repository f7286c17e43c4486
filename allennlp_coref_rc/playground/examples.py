"""The examples of the playground: simulated stories that come with the package, texts written for it, and a novel."""

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
    "News: a bridge reopens": Question(
        "The mayor of Port Ellery, Dana Whitlock, said on Tuesday that she would reopen the harbour bridge in May. "
        "Engineers closed it in January after a diver found cracks in two of its piers. Whitlock's rival, the "
        "councillor Martin Oyelaran, called the date a gamble. He wants the town to wait for a second report. The "
        "mayor replied that the company that repaired the piers had promised to keep an eye on them.",
        "Who wants to wait for a second report?",
        ("Dana Whitlock", "Martin Oyelaran"),
    ),
    "Fiction: Alice in Wonderland": Question(
        "There was a table set out under a tree in front of the house, and the March Hare and the Hatter were having "
        "tea at it: a Dormouse was sitting between them, fast asleep, and the other two were using it as a cushion, "
        "resting their elbows on it, and talking over its head. The table was a large one, but the three were all "
        "crowded together at one corner of it: “No room! No room!” they cried out when they saw Alice coming. “There’s "
        "plenty of room!” said Alice indignantly, and she sat down in a large arm-chair at one end of the table.",
        "Who sat down in a large arm-chair?",
        ("Alice", "Dormouse", "Hatter", "March Hare"),
    ),
    "Encyclopedia: Mary Anning": Question(
        "Mary Anning was an English fossil collector from Lyme Regis. Her father, Richard, was a cabinetmaker who took "
        "her and her brother Joseph to the cliffs and sold what they found there to tourists. In 1811 Joseph found the "
        "skull of an ichthyosaur. His sister dug out the rest of it some months later. In 1823 she found the first "
        "complete skeleton of a plesiosaur. Georges Cuvier at first doubted that it was genuine. The Geological "
        "Society of London did not admit women, so she could not become a member.",
        "Who found the skull of an ichthyosaur?",
        ("Georges Cuvier", "Joseph", "Mary Anning", "Richard"),
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
    questions = list(read_babi(str(BUNDLED_FOLDER / "qa2_test.txt")))
    stories = {
        f"Simulated story {i}": Question(" ".join(found.statements), found.question)
        for i, found in enumerate((questions[number - 1] for number in STORIES), start=1)
    }
    return {**stories, **TEXTS}
