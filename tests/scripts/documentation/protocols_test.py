"""The configs do what docs/results/protocols.yaml says."""

import pytest

from scripts.documentation import protocols
from scripts.documentation.protocols import MARKED, OWN, PAGE, TABLE, cited, expected, filled, table

pytestmark = pytest.mark.slow

GROUPS = protocols.described()


@pytest.fixture(scope="module")
def lines():
    return protocols.lines(GROUPS)


def test_configs_do_what_paper_and_code_say_or_the_departure_is_named(lines):
    wrong = []
    for line in lines:
        if line.group == OWN or not line.config:
            continue
        said = cited(GROUPS[line.group], line)
        for name, value in line.settings.items():
            # What is empty has no meaning for this config.
            if (
                value
                and said.get(name, {}).get("read", True)
                and value != expected(said.get(name, {"ours": None}))
            ):
                wrong.append(f"{line.config}{line.changes}: {name}: found {value!r}, and {said.get(name)}")
    assert not wrong, "\n".join(wrong)


def test_what_is_said_is_read(lines):
    known = {name for line in lines for name in line.settings}
    for group in GROUPS.values():
        for entries in (group["settings"], *group.get("rows", {}).values()):
            unread = {name for name, entry in entries.items() if not entry.get("read", True)}
            assert entries.keys() - unread <= known


@pytest.mark.parametrize("group", GROUPS)
def test_departures_have_a_reason_and_papers_a_place(group):
    for entries in (GROUPS[group]["settings"], *GROUPS[group].get("rows", {}).values()):
        for name, entry in entries.items():
            assert entry.keys() <= {"paper", "in", "code", "ours", "why", "read"}, name
            assert ("paper" in entry) == ("in" in entry), name
            assert ("ours" in entry) == ("why" in entry), name


def test_every_condition_has_a_line(lines):
    named = [name for line in lines for name in line.conditions]
    assert sorted(named) == sorted(condition.name for condition in protocols.conditions())


def test_the_table_and_the_page_are_as_the_command_writes_them(lines):
    command = "run python -m scripts.documentation.protocols"
    assert table(lines, GROUPS) == TABLE.read_text(encoding="utf-8"), command
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page, GROUPS) == page, command
    # Daily Mail and the relaxed questions have the departures of CNN and of the strict ones.
    assert {match[2] for match in MARKED.finditer(page)} == GROUPS.keys() - {"daily_mail", "wdw_relaxed"}


def test_updates_are_counted_where_the_number_of_questions_is_known(lines):
    updates = {(line.config, line.changes): line.settings.get("updates in an epoch") for line in lines}
    # 900 questions in batches of 16 and of 32.
    assert updates["babi/best.jsonnet", ""] == "57"
    assert updates["babi/ga_coref_gru_triples.jsonnet", ""] == "29"
    assert updates["babi/best.jsonnet", '{"dataset_reader.folder": "data/babi/fresh"}'] == ""
