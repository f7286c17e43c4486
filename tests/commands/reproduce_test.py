import dataclasses
import json
import multiprocessing
import os
import re
import shlex
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir
from unittest.mock import patch

import pytest
import torch
from allennlp.training import GradientDescentTrainer

from allennlp_coref_rc.reproduction import session, sweep
from allennlp_coref_rc.reproduction.condition import select
from allennlp_coref_rc.reproduction.condition_files import read_conditions
from allennlp_coref_rc.reproduction.execution import execute
from allennlp_coref_rc.reproduction.runs import ATTEMPT, ERROR, MODEL, PREDICTIONS, RESULT
from allennlp_coref_rc.reproduction.sweep import environment, run_in_processes, run_on_cluster
from tests.shared import PROJECT
from tests.stops import STATUS, files_of_at_most, status_of, stopping

pytestmark = pytest.mark.slow

CONDITIONS = "tests/fixtures/reproduction/tiny.yaml"

TABLE = ["--table", "tiny.1"]


@pytest.fixture(autouse=True, scope="module")
def in_the_project():
    with chdir(PROJECT), patch.dict(os.environ, OMP_NUM_THREADS="1"):
        yield


def call(output, *more):
    """Runs the command in this process. Returns its exit status."""
    return status_of(["reproduce", "--conditions", CONDITIONS, "--data", output, "--output", output, *more])


def call_forking(stay, output, *more):
    """
    Does the same, but a second run waits before its third epoch as long as a file is there. Runs are forks of
    this process, and not of another one that has imported everything. So no other thread may be at work.
    """

    undisturbed = GradientDescentTrainer._train_epoch

    def train_epoch(trainer, epoch):
        while epoch == 2 and stay.exists() and list(output.rglob(RESULT)):
            time.sleep(0.01)
        return undisturbed(trainer, epoch)

    context = multiprocessing.get_context("fork")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(multiprocessing, "get_context", lambda method: context)
        patched.setattr(GradientDescentTrainer, "_train_epoch", train_epoch)
        patched.setattr(session, "SECONDS_BETWEEN_LOOKS", 1000)
        patched.setattr(session.tqdm, "monitor_interval", 0)
        call(output, *more)


def runs(output, table="tiny.1", row="*", seeds=()):
    (chosen,) = select(read_conditions(CONDITIONS), [table], [f"{table}.{row}"])
    return [r for c in chosen.conditions for r in c.runs(seeds or c.seeds, str(output), str(output))]


def digits(run):
    """All metrics of a run without times and memory."""
    metrics = run.result()["metrics"]
    return {key: value for key, value in metrics.items() if "duration" not in key and "memory" not in key}


def on_validation(run):
    metrics = run.result()["metrics"]
    return metrics["best_validation_accuracy"], -metrics["best_validation_loss"]


def report_of(output, capsys, *more):
    capsys.readouterr()
    assert call(output, *TABLE, *more, "--report") == 0
    # Hours are a line's last cell, and the only numbers of two digits after the point; minutes stand behind
    # means.
    text = re.sub(r"\| \d+\.\d\d \|$", "| hours |", capsys.readouterr().out, flags=re.MULTILINE)
    return re.sub(r"\((\d+)\) \| \d+\.\d \|", r"(\1) | minutes |", text)


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    """A run by hand, by the first of the printed commands, which goes on while other tests run."""
    output = tmp_path_factory.mktemp("commands")
    (run,) = runs(output, row="coref_gru", seeds=[2])
    texts = run.shell_commands(environment(1))
    output = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(["bash", "-c", texts[0]], **output) as process:
        yield run, texts, process


@pytest.fixture(scope="module")
def on_a_cluster(tmp_path_factory):
    """A run by a worker of a cluster, which goes on while other tests run."""
    from distributed import LocalCluster

    output = tmp_path_factory.mktemp("cluster")
    (run,) = runs(output, row="gru", seeds=[1])
    job = {"commit": "abc", "keep_weights": "none"}
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        ThreadPoolExecutor(1) as pool,
    ):
        address = cluster.scheduler_address
        yield run, pool.submit(lambda: list(run_on_cluster([run], address, 1, job)))


@pytest.fixture(scope="module")
def swept(tmp_path_factory, commands, on_a_cluster):
    """All conditions, undisturbed: the folder and the exit code."""
    output = tmp_path_factory.mktemp("swept")
    return output, call(output, "--workers", 2)


def test_a_run_that_fails_does_not_stop_the_others_and_one_without_data_is_left_out(swept):
    output, code = swept
    assert code == 1
    assert all(run.result() for run in runs(output))
    (failed,) = runs(output, "tiny.2", "no_task")
    assert failed.result() is None
    with open(failed.path(ERROR)) as file:
        assert "qa19_train.txt: no such file" in file.read()
    assert not os.path.exists(runs(output, "tiny.2", "absent")[0].path())


def test_a_result_says_all_about_its_run(swept):
    for run in runs(swept[0]):
        result = run.result()
        with open(run.path(PREDICTIONS)) as lines:
            predictions = [json.loads(line) for line in lines]
        assert result["questions"] == len(predictions)
        assert sum(p["correct"] for p in predictions) / len(predictions) == result["metrics"]["test_accuracy"]
        found = [p["id"] for p in predictions]
        assert found == sorted((p["id"] for p in predictions), key=lambda id: int(id.split(":")[1]))
        assert result["settings"]["random_seed"] == run.seed
        assert set(result["seconds"]) == {"train", "predict"}
        assert re.fullmatch(r"[0-9a-f]{12}(\+[0-9a-f]{6})?|", result["commit"])
        assert not [name for name in os.listdir(run.path(MODEL)) if name.endswith(".th")]


def test_the_same_command_again_does_nothing(swept, capsys):
    output, _ = swept
    before = {run.name: os.stat(run.path(RESULT)).st_mtime_ns for run in runs(output)}
    assert call(output, *TABLE) == 0
    assert before == {run.name: os.stat(run.path(RESULT)).st_mtime_ns for run in runs(output)}
    capsys.readouterr()
    assert call(output, *TABLE, "--dry-run") == 0
    assert capsys.readouterr().out == ""


def test_a_sweep_killed_half_way_and_started_again_gives_the_same_report(swept, tmp_path, capsys):
    few = (*TABLE, "--seeds", 1)
    all_runs, undisturbed = runs(tmp_path, seeds=[1]), runs(swept[0], seeds=[1])
    context = multiprocessing.get_context("forkserver")
    stay = tmp_path / "stay"
    stay.touch()
    process = context.Process(target=call_forking, args=(stay, tmp_path, *few, "--workers", 1))
    process.start()
    while process.is_alive():
        finished = [run for run in all_runs if os.path.exists(run.path(RESULT))]
        half = [run for run in all_runs if os.path.exists(run.path(MODEL, "metrics_epoch_1.json"))]
        if finished and len(half) > len(finished):
            break
        time.sleep(0.005)
    process.kill()
    process.join()
    stay.unlink()
    capsys.readouterr()
    for kind in ("int", "term"):
        # When the runs have begun.
        with stopping(kind, 0, [(sweep, "wait")]):
            assert call(tmp_path, *few, "--workers", 1) == STATUS[kind]
        said = "\ncoref-rc: stopped; the same command resumes with the remaining runs\n"
        assert capsys.readouterr().err.endswith(said)
    assert 0 < sum(os.path.exists(run.path(RESULT)) for run in all_runs) < len(all_runs)
    # The run that was going on notices it, and lets go of its folder.
    deadline = time.time() + 60
    while call(tmp_path, *few, "--workers", 2) and time.time() < deadline:
        time.sleep(0.1)
    assert [digits(run) for run in all_runs] == [digits(run) for run in undisturbed]
    assert report_of(tmp_path, capsys, "--seeds", 1) == report_of(swept[0], capsys, "--seeds", 1)


def test_a_run_whose_disk_fills_goes_on(swept, tmp_path, capsys):
    (run,) = runs(tmp_path, row="gru", seeds=[1])
    (undisturbed,) = runs(swept[0], row="gru", seeds=[1])
    with files_of_at_most(200_000), pytest.raises(RuntimeError):
        execute(run, commit="abc")
    advice = (
        "a file of weights could not be written; no space may be left on the disk; free space, then the same"
    )
    assert advice in session.reason(run)
    capsys.readouterr()
    with files_of_at_most(0), pytest.raises(SystemExit):
        sweep._child(run, None, {"commit": "abc"})
    reason = "it would become larger than a file may be here; free space, then the same"
    assert capsys.readouterr().err.startswith(f"\n{run.name}: {run.path(ATTEMPT)}: {reason}")
    assert not os.path.exists(run.path(ERROR))
    execute(run, commit="abc")
    assert digits(run) == digits(undisturbed)


def test_printed_commands_run_as_they_stand_and_come_to_the_same(swept, commands, capsys):
    run, texts, process = commands
    assert process.wait() == 0
    (same,) = [other for other in runs(swept[0]) if other.name == run.name]
    found = run.read(os.path.join(MODEL, "metrics.json"))
    assert {key: found[key] for key in digits(same)} == digits(same)
    capsys.readouterr()
    assert call(run.output + "-2", "--condition", "tiny.1.coref_gru", "--seeds", 2, "--dry-run") == 0
    assert capsys.readouterr().out.replace(run.output + "-2", run.output).splitlines() == texts
    # The sweep calls what the other command begins as a function, with these words.
    (predict,) = texts[1:]
    start, words = shlex.split(predict)[:-11], shlex.split(predict)[-11:]
    assert start == shlex.split(texts[0])[: len(start)] and words == run.commands()[1]


def test_a_cluster_does_the_same(swept, on_a_cluster):
    run, finished = on_a_cluster
    assert finished.result() == [(run, "")]
    (same,) = [other for other in runs(swept[0]) if other.name == run.name]
    assert digits(run) == digits(same)
    assert not os.path.exists(run.path(MODEL, "model.tar.gz"))


@pytest.mark.skipif(torch.cuda.is_available(), reason="is about a machine without a GPU")
def test_a_run_on_a_gpu_has_a_new_process(tmp_path):
    (run,) = runs(tmp_path, row="gru", seeds=[1])
    ((same, why),) = run_in_processes([run], ["0"], 1, {"commit": "abc", "keep_weights": "none"})
    assert same == run and why.startswith("its process ended with code 1; ")
    assert "available" in session.reason(run)


def test_the_commit_is_that_of_the_code(tmp_path, monkeypatch):
    commit = session.commit()
    monkeypatch.chdir(tmp_path)
    assert session.commit() == commit


def test_the_list_has_the_papers_values_and_what_is_missing(swept, tmp_path, capsys):
    capsys.readouterr()
    assert call(swept[0], "--list") == 0
    printed = capsys.readouterr().out
    assert "tiny.1.nobody: Nobody: Max 0.5; published, not run here" in printed
    assert "tiny.1.gru: GRU: Avg 0.5, Max 0.5, # failed 1, Task 0.5; 2 of 2 runs finished" in printed
    (run,) = [run for run in runs(swept[0], row="gru") if run.seed == 1]
    shutil.copytree(run.path(), tmp_path / run.name)
    assert call(tmp_path, "--list", "--condition", "tiny.1.gru") == 0
    accuracy = run.result()["metrics"]["test_accuracy"]
    assert f"1 of 2 runs finished; [1/2 run]; here Avg {accuracy:.3f} (1)" in capsys.readouterr().out
    assert "tiny.2.no_task: no task: accuracy 0.5; 0 of 1 runs finished; [1/1 failed]" in printed
    assert f"0 of 1 runs finished; [no data] {swept[0]}/absent.txt: no such file" in printed


def test_figures_are_drawn_of_the_same_runs_in_the_report(swept, tmp_path, capsys):
    figure = ("--table", "tiny.figure_*")
    capsys.readouterr()
    assert call(swept[0], *figure, "--dry-run") == 0
    assert capsys.readouterr().out == ""
    assert call(swept[0], *figure, "--list") == 0
    assert "  tiny.figure_4.gru: GRU: 2 of 2 runs finished\n" in capsys.readouterr().out
    assert call(swept[0], *figure, "--report", "--figures", tmp_path / "drawn") == 0
    printed = capsys.readouterr().out
    folder = tmp_path / "drawn" / "tiny.figure_4"
    names = ["task_6_question_2.png", "task_6_question_2.html"]
    assert "### Tiny, Figure 4: belief" in printed
    assert ", ".join(f"[{name}]({folder / name})" for name in names) + "\n" in printed
    assert "| C-GRU | coref_gru | 2 of 2 | 1, 2 |" in printed
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)
    # After its last sentence a reader believes what it has answered.
    believed = re.findall(r"<tr>.*?((?:<td style[^>]*>[\d.]+</td>)+)</tr>", (folder / names[1]).read_text())
    half = len(believed) // 2
    for row, last in (("gru", believed[half - 1]), ("coref_gru", believed[-1])):
        with open(max(runs(swept[0], row=row), key=on_validation).path(PREDICTIONS)) as lines:
            answer = [json.loads(line) for line in lines][1]["candidate_probabilities"]
        probabilities = [float(value) for value in re.findall(r">([\d.]+)<", last)]
        assert probabilities == pytest.approx([answer[name] for name in sorted(answer)], abs=1e-4)
    assert call(tmp_path, *figure, "--report") == 0
    assert "| GRU | gru | 0 of 2 |  |  |  |  | [not run] |" in capsys.readouterr().out
    assert os.listdir(tmp_path) == ["drawn"]


def test_a_check_builds_models_and_trains_none(tmp_path, capsys):
    capsys.readouterr()
    assert call(tmp_path, "--check-only") == 1
    captured = capsys.readouterr()
    assert captured.err == ""
    printed = captured.out.splitlines()
    assert [line.split(":")[0] for line in printed] == [
        "[OK] tiny.1.gru",
        "[OK] tiny.1.coref_gru",
        "[FAIL] tiny.2.no_task",
        "[no data] tiny.2.absent",
        "[OK] tiny.figure_4.gru",
        "[OK] tiny.figure_4.coref_gru",
    ]
    assert "qa19_train.txt" in printed[2]
    assert call(tmp_path, "--check-only", "--tasks", 6) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4
    assert call(tmp_path, "--check-only", "--condition", "tiny.2.absent") == 1
    assert capsys.readouterr().out.startswith("[no data] tiny.2.absent: ")
    assert not os.listdir(tmp_path)


def test_folders_of_runs_have_names_that_file_systems_and_allennlp_take(tmp_path):
    run, *_ = runs(tmp_path)
    overrides = {f"dataset_reader.key_{i}": [{"a": i}, "b/c,d"] for i in range(20)}
    names = {dataclasses.replace(run, overrides={**overrides, "last": last}).name for last in (1, 2)}
    assert len(names) == 2
    for name in names:
        assert re.fullmatch(r"[\w.=+/-]+", name)
        assert max(map(len, name.split("/"))) < 200
