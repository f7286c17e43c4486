import os

from allennlp.evaluation import SimpleEvaluator

from allennlp_coref_rc.allennlp_runtime.atomic_outputs import whole_outputs


def test_evaluations_write_to_what_links_lead_to(tmp_path, monkeypatch):
    """As `coref-rc evaluate --output-file LINK --predictions-output-file LINK`."""

    def evaluate(self, model, data_loader, **paths):
        for name, path in paths.items():
            with open(path, "w") as file:
                file.write(name)
        return {}

    monkeypatch.setattr(SimpleEvaluator, "__call__", evaluate)
    names = ["metrics_output_file", "predictions_output_file"]
    for name in names:
        (tmp_path / name).symlink_to(f"{name}.json")
    with whole_outputs():
        SimpleEvaluator()("model", [], **{name: str(tmp_path / name) for name in names})
    for name in names:
        assert os.readlink(tmp_path / name) == f"{name}.json"
        assert (tmp_path / f"{name}.json").read_text() == name
    assert len(os.listdir(tmp_path)) == 4
