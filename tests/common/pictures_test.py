import pytest

from allennlp_coref_rc.common import pictures


def picture(title):
    figure, axes = pictures.pyplot.subplots(figsize=(1, 1))
    axes.set_title(title)
    return figure


@pytest.mark.parametrize("title", ["$$", "from $5 to $6", "\\frac $x$"])
def test_dollar_signs_are_no_formulas(tmp_path, title):
    pictures.save(picture(title), tmp_path / "a.png")
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]
    assert (tmp_path / "a.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_a_picture_that_cannot_be_drawn_leaves_the_old_one(tmp_path, monkeypatch):
    (tmp_path / "a.png").write_text("old")
    figure = picture("")
    savefig = figure.savefig

    def half(path, **options):
        savefig(path, **options)
        raise OSError("no space left")

    monkeypatch.setattr(figure, "savefig", half)
    with pytest.raises(OSError, match="no space left"):
        pictures.save(figure, tmp_path / "a.png")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]
    assert not pictures.pyplot.fignum_exists(figure.number)
