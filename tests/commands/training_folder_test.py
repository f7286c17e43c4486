import pytest

from allennlp_coref_rc.commands.training_folder import removed_if_refused
from allennlp_coref_rc.common.errors import ConfigurationError


def refused(folder, names, error=ConfigurationError, text=""):
    """
    The names that are left in a folder when a training that has written files with these names ends with an error.
    """
    with pytest.raises(error), removed_if_refused(str(folder)):
        for name in names:
            folder.mkdir(exist_ok=True)
            (folder / name).touch()
        raise error(text)
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else None


@pytest.mark.parametrize("names", [[], ["meta.json", "config.json", "out.log"], ["out_worker0.log", "vocabulary"]])
def test_nothing_is_left_of_a_training_that_has_not_begun(names, tmp_path):
    assert refused(tmp_path / "run", names) is None


@pytest.mark.parametrize("name", ["metrics_epoch_0.json", "model_state_e0_b0.th", "mine.txt"])
def test_a_training_that_has_begun_is_kept(name, tmp_path):
    assert refused(tmp_path / "run", ["config.json", name]) == ["config.json", name]


def test_a_folder_that_was_there_is_kept(tmp_path):
    assert refused(tmp_path, ["config.json"]) == ["config.json"]


def test_the_log_of_another_error_is_kept(tmp_path):
    assert refused(tmp_path / "run", ["out.log"], RuntimeError) == ["out.log"]


def test_values_may_be_mistakes_too(tmp_path):
    assert refused(tmp_path / "run", ["out.log"], ValueError, "nan loss encountered") is None
    assert refused(tmp_path / "run", ["out.log"], ValueError, "a fault of the program") == ["out.log"]
