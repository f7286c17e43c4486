import csv
import json
import math

import pytest

from allennlp_coref_rc.__main__ import main
from tests.safe_archives.crafted import refusal

PNG = b"\x89PNG\r\n\x1a\n"


def draw(*arguments):
    main(["draw", "curves", *map(str, arguments)])


def run_folder(folder, annotator=None, metrics=None, losses=()):
    """The files that `allennlp train` writes, as far as the command reads them."""
    folder.mkdir()
    reader = {"type": "annotated_babi", **({"annotator": annotator} if annotator else {})}
    (folder / "config.json").write_text(json.dumps({"dataset_reader": reader, "trainer": {"num_epochs": 2}}))
    if metrics:
        (folder / "metrics.json").write_text(
            json.dumps({"training_duration": "0:01:45", "epoch": 1, **metrics})
        )
    for epoch, (training, validation) in enumerate(losses):
        values = {"epoch": epoch, "training_loss": training, "validation_loss": validation}
        (folder / f"metrics_epoch_{epoch}.json").write_text(json.dumps(values))
    return folder


def removed(share):
    return {"type": "corrupted_coref", "annotator": {"type": "exact_match_coref"}, "remove_mentions": share}


def rows(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


def test_accuracy_against_the_share_of_mentions_removed(tmp_path):
    folders = [
        run_folder(tmp_path / f"{share}-{seed}", removed(share), {"test_accuracy": accuracy, "best": 1})
        for share, accuracies in ((0.5, (0.25, 0.75)), (0.25, (0.5,)))
        for seed, accuracy in enumerate(accuracies)
    ]
    clean = run_folder(tmp_path / "clean", {"type": "exact_match_coref"}, {"test_accuracy": 1})
    gru = [run_folder(tmp_path / f"gru{i}", metrics={"test_accuracy": i / 10}) for i in (1, 2, 3)]
    output = tmp_path / "new" / "figure"
    replaced = {"replace_mentions": 0.75, "remove_mentions": None}
    random = run_folder(tmp_path / "random", replaced, {"test_accuracy": 0})
    curves = ["--curve", 'GA, "C-GRU"', *folders, clean, "--curve", "GRU $_^", *gru]
    curves += ["--curve", "random", random]
    draw("ablation", output, *curves)
    names = "curve,share of mentions removed or replaced,runs,test_accuracy,deviation,least,most"
    assert rows(f"{output}.csv") == [
        names.split(","),
        ['GA, "C-GRU"', "0", "1", "1.000000", "", "1.000000", "1.000000"],
        ['GA, "C-GRU"', "0.25", "1", "0.500000", "", "0.500000", "0.500000"],
        ['GA, "C-GRU"', "0.5", "2", "0.500000", f"{0.125**0.5:.6f}", "0.250000", "0.750000"],
        ["GRU $_^", "", "3", "0.200000", "0.100000", "0.100000", "0.300000"],
        ["random", "0.75", "1", "0.000000", "", "0.000000", "0.000000"],
    ]
    assert (tmp_path / "new" / "figure.png").read_bytes().startswith(PNG)
    assert {path.name for path in output.parent.iterdir()} == {"figure.png", "figure.csv"}
    first = (tmp_path / "new" / "figure.png").read_bytes()
    draw("ablation", output, *curves)
    assert (tmp_path / "new" / "figure.png").read_bytes() == first


def test_probability_of_the_answer_by_epoch(tmp_path):
    half, quarter = math.log(2), math.log(4)
    losses = [[(quarter, quarter)] * 9 + [(half, quarter), (0, half)], [(half, half)] * 2]
    runs = [run_folder(tmp_path / str(i), metrics={"x": 1}, losses=some) for i, some in enumerate(losses)]
    curves = ["--curve", "1K", *runs, "--curve", "5K", runs[1]]
    draw("training", tmp_path / "figure", *curves)
    table = rows(tmp_path / "figure.csv")
    assert table[0][:4] == ["curve", "epoch", "runs", "exp(-loss)"]
    means = {(curve, int(epoch)): (int(number), float(mean)) for curve, epoch, number, mean, *_ in table[1:]}
    # The second run ended after two epochs, and stays where it was.
    expected = {("1K, validation", epoch): (2, 0.375) for epoch in range(1, 11)}
    expected |= {("1K, training", epoch): (2, 0.375) for epoch in range(1, 10)}
    expected |= {("1K, validation", 11): (2, 0.5), ("1K, training", 10): (2, 0.5)}
    expected[("1K, training", 11)] = (2, 0.75)
    expected |= {
        (f"5K, {split}", epoch): (1, 0.5) for split in ("validation", "training") for epoch in (1, 2)
    }
    assert means == expected
    assert [row[1] for row in table if row[0] == "1K, training"] == [str(epoch) for epoch in range(1, 12)]
    assert (tmp_path / "figure.png").read_bytes().startswith(PNG)


def annotated_by(annotator):
    return json.dumps({"dataset_reader": {"annotator": annotator}})


BOTH = annotated_by({"remove_mentions": 0.5, "replace_mentions": 0})


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("metrics.json", None, "/run: found no metrics.json in it, expected a run that"),
        ("", None, "/run: no such folder, expected one that `coref-rc train`"),
        ("metrics.json", '{"accuracy": 1, "other": NaN}', "/run/metrics.json: found no test_accuracy"),
        ("metrics.json", '{"test_accuracy": 1%s}' % ("0" * 400), "found 1000"),
        ("config.json", annotated_by(removed("x")), "/run/config.json: found x as remove_mentions, expected"),
        ("config.json", BOTH, "remove_mentions and dataset_reader.annotator.replace_mentions, expected one"),
    ],
)
def test_what_is_missing_is_named_with_its_folder(tmp_path, capsys, name, content, message):
    path = run_folder(tmp_path / "run", removed(0.5), {"test_accuracy": 0.5}) / name
    if content is None:
        path.rename(tmp_path / "moved")
    else:
        path.write_text(content)
    words = tmp_path / "figure", "--curve", "a", tmp_path / "run"
    for kind in ("ablation", "training") if content is None else ("ablation",):
        assert message in refusal(capsys, "draw", "curves", kind, *words)
    assert not list(tmp_path.glob("figure*"))
