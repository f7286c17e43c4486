"""
Compares the configs with the papers and the authors' code, as docs/results/protocols.yaml cites them:

    python -m scripts.documentation.protocols

It writes docs/results/protocols.csv, with a line for each config of the conditions, and fills the tables of
docs/results/departures.md.
"""

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, Optional

import yaml

from allennlp_coref_rc.common.files import write_text
from allennlp_coref_rc.reproduction.condition import Condition
from allennlp_coref_rc.reproduction.condition_files import CONDITIONS, read_conditions
from allennlp_coref_rc.reproduction.report import markdown
from scripts.documentation.places import PROJECT

RESULTS = PROJECT / "docs" / "results"
PAGE = RESULTS / "departures.md"
TABLE = RESULTS / "protocols.csv"

Settings = dict[str, str]

OWN = "no paper"

MARKED = re.compile(
    r"(<!-- departures: (\w+)(?: beyond (\w+))? -->\n).*?(<!-- end of departures -->)", flags=re.DOTALL
)
"""A table of a group, or of what it has beyond another one."""


class Line(NamedTuple):
    """What a config does, for the conditions of a group that have it."""

    conditions: list[str]
    group: str
    config: str
    changes: str
    settings: Settings


def conditions() -> list[Condition]:
    """Those of the package and of the pages, also the ones that are published only."""
    paths = [
        CONDITIONS,
        *(str(RESULTS / f"{name}.yaml") for name in ("why_we_differ", "coreference_reading")),
    ]
    return [condition for path in paths for table in read_conditions(path) for condition in table.conditions]


def described() -> dict[str, Any]:
    return yaml.safe_load((RESULTS / "protocols.yaml").read_text(encoding="utf-8"))


def group_of(condition: Condition, groups: Mapping[str, Any]) -> str:
    for name, group in groups.items():
        if any(fnmatchcase(condition.name, pattern) for pattern in group["conditions"].split()):
            return name
    return OWN


def cited(group: Mapping[str, Any], line: Line) -> dict[str, dict[str, Any]]:
    """What is said about each setting of a config: that of the group, and of the rows that match it."""
    said = dict(group["settings"])
    for pattern, entries in group.get("rows", {}).items():
        if any(fnmatchcase(text, word) for text in (line.config, line.changes) for word in pattern.split()):
            said.update(entries)
    return said


def expected(entry: Mapping[str, Any]) -> str:
    """What a config has to do: the paper's, what the code says where the paper leaves it open, or ours."""
    return str(next(entry[key] for key in ("ours", "paper", "code") if key in entry))


def lines(groups: Mapping[str, Any]) -> list[Line]:
    found: dict[tuple[str, str, str], Line] = {}
    for condition in conditions():
        group, changes = group_of(condition, groups), ""
        if condition.config is None:
            key = (group, "", "published only")
            found.setdefault(key, Line([], group, "", key[2], {})).conditions.append(condition.name)
            continue
        changes = json.dumps(condition.overrides, sort_keys=True) if condition.overrides else ""
        key = (group, condition.config, changes)
        if key not in found:
            (run, *_) = condition.runs(condition.seeds[:1], "")
            questions = groups.get(group, {}).get("questions")
            found[key] = Line([], group, condition.config, changes, settings(run.params(), questions))
        found[key].conditions.append(condition.name)
    return list(found.values())


def table(found: Sequence[Line], groups: Mapping[str, Any]) -> str:
    """The lines as CSV. Where a cell differs from the paper or the code, it has theirs in brackets."""
    names = list(dict.fromkeys(name for line in found for name in line.settings))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["conditions", "group", "config", "changes", *names])
    for line in found:
        said = cited(groups[line.group], line) if line.group in groups and line.config else {}
        cells = [_cell(line.settings.get(name, ""), said.get(name, {})) for name in names]
        writer.writerow([" ".join(line.conditions), line.group, line.config, line.changes, *cells])
    return text.getvalue()


def _cell(ours: str, entry: Mapping[str, Any]) -> str:
    others = [f"[{key}: {entry[key]}]" for key in ("paper", "code") if str(entry.get(key, ours)) != ours]
    return " ".join([ours, *others])


def departures(group: Mapping[str, Any]) -> Iterator[list[str]]:
    """The settings of a group, and of its rows, that differ from the paper, or from the code alone."""
    for rows, entries in {"": group["settings"], **group.get("rows", {})}.items():
        for name, entry in entries.items():
            if "why" in entry:
                where = "".join(f", `{word}`" for word in rows.split())
                paper = f"{entry['paper']}, {entry['in']}" if "paper" in entry else "open"
                here, code = expected(entry), str(entry.get("code", ""))
                yield [name + where, paper, code, "as the code" if here == code else here, entry["why"]]


def filled(page: str, groups: Mapping[str, Any]) -> str:
    def fill(match: Any) -> str:
        known = list(departures(groups[match[3]])) if match[3] else []
        rows = [row for row in departures(groups[match[2]]) if row not in known]
        body = markdown(["setting", "paper", "code", "here", "why"], rows)
        return match[1] + "\n" + "\n".join(body) + "\n\n" + match[4]

    return MARKED.sub(fill, page)


def settings(params: Mapping[str, Any], questions: Optional[int] = None) -> Settings:
    """What a config says, in the words of docs/results/protocols.yaml; of `questions` for training."""
    reader, trainer, loader = (params[key] for key in ("dataset_reader", "trainer", "data_loader"))
    own = _of_cloze_model if params["model"]["type"] == "ga_reader" else _of_span_model
    accumulation = trainer.get("num_gradient_accumulation_steps", 1)
    batch = loader.get("batch_sampler", loader)["batch_size"]
    questions = min(reader.get("max_instances") or math.inf, questions or math.inf)
    fixed = loader.get("batches_per_epoch")
    updates = fixed or (
        "" if questions == math.inf else math.ceil(math.ceil(questions / batch) / accumulation)
    )
    annotator = reader.get("annotator") or "none"
    inner = annotator.get("annotator", annotator) if isinstance(annotator, dict) else {}
    clusters = [each["max_clusters"] for each in (reader, inner) if "max_clusters" in each]
    times, unit = (fixed, "updates") if fixed else (1, "epochs")
    optimizer = {
        key: value for key, value in trainer["optimizer"].items() if key not in ("lr", "parameter_groups")
    }
    clipping = [f"{text} at {trainer[key]}" for key, text in CLIPPING.items() if key in trainer]
    stops = [
        f"{call.get('metric', 'validation_accuracy')} above {call['value']}"
        + " of its least" * call.get("of_least", False)
        for call in trainer["callbacks"]
        if call["type"] == "stop_above"
    ]
    if trainer.get("patience"):
        stops.append(f"{trainer['patience']} without a better one")
    return {
        **own(params["model"]),
        "annotator": _annotator(annotator),
        "clusters": str(clusters[0]) if clusters else "",
        "mentions": _mentions(reader.get("annotation_layers", {})),
        "candidates": _candidates(reader),
        "spans": reader.get("oracle", "best") if "narrativeqa" in reader["type"] else "",
        "tokens": ", ".join(str(reader[key]) for key in LIMITS if key in reader),
        "training questions": str(reader.get("max_instances", "all")),
        "vocabulary": " ".join(params.get("datasets_for_vocab_creation", ["all"])),
        "batch": str(batch * accumulation),
        "optimizer": _named(optimizer),
        "learning rate": str(trainer["optimizer"]["lr"]),
        "clipping": ", ".join(clipping),
        "updates in an epoch": str(updates),
        "schedule": _schedule(trainer.get("learning_rate_scheduler"), times, unit),
        "validation": f"every {fixed} updates"
        if fixed
        else "every epoch"
        if params.get("validation_data_path")
        else "none",
        "stops": "; ".join([f"{trainer['num_epochs'] * times} {unit}", *stops]),
        "moving average": _named(trainer["moving_average"]) if trainer.get("moving_average") else "none",
    }


CLIPPING = {"grad_clipping": "values", "grad_norm": "norm"}
LIMITS = ("max_passage_length", "max_question_length", "excerpt_length")


def _of_cloze_model(model: Mapping[str, Any]) -> Settings:
    encoders = model["passage_encoders"]
    question = model.get("question_encoders", encoders)[0]
    same = {**question, "input_size": 0} == {**encoders[0], "input_size": 0}
    weights = [
        _named({key: each for key, each in value.items() if key != "mean"})
        for regex, value in model["initializer"]["regexes"]
        if re.search("encoders.*weight", regex)
    ]
    substitution, is_coref_gru = model.get("entity_substitution"), encoders[0]["type"] == "coref_gru"
    at_first = "alpha < 1" if encoders[0].get("read_at_first_mention", True) else "alpha = 1"
    layers = {key: model[key] for key in ("pointer", "classifier") if key in model}
    beliefs = [
        f"{side}, {model[key].get('attention', 'dot')}"
        for side in ("question", "passage")
        if (key := f"{side}_self_belief") in model
    ]
    places = model.get("question_positions", 0)
    return {
        "layers": str(len(encoders)),
        "encoder": _encoder(encoders[0]),
        "question encoder": ("the same" if same else _encoder(question))
        + (", stacked" if model["stack_question"] else ", on embeddings"),
        "first mention": at_first if is_coref_gru else "",
        "gating": model["gating"] if isinstance(model["gating"], str) else _named(model["gating"]),
        "self-belief": "; ".join(beliefs) or "none",
        "answer from": model["read_out"],
        "answer layer": _named(layers) or "attention_sum; classes: gated_selection",
        "question feature": f"{places} places" if places else "last layer" if model["qe_comm"] else "none",
        "one-hot": str(model["cluster_one_hot"]),
        "words": _words(model["text_field_embedder"]["token_embedders"]),
        "weights": "; ".join(weights) or "normal, std 0.1",  # of `mage_gru` itself
        "dropout": f"{model['dropout']}, on the gated passage between layers",
        "exchanged words": "none" if not substitution else substitution.get("type", "listed"),
    }


def _of_span_model(model: Mapping[str, Any]) -> Settings:
    inner = model.get("reader", model)
    layer = inner.get("modeling_layer", model.get("encoder"))
    embedders = inner.get("text_field_embedder", {}).get("token_embedders")
    return {
        "encoder": model["type"] + (f": {_encoder(layer)}" if layer else ""),
        "words": _words(embedders) if embedders else model["transformer"]["model_name"],
        "dropout": str(inner.get("dropout_prob", inner.get("dropout"))),
    }


def _encoder(encoder: Mapping[str, Any]) -> str:
    kind, sizes = encoder["type"], encoder.get("state_sizes", {})
    options = {key: value for key, value in encoder.items() if key not in ENCODER_KEYS}
    if sizes:
        # Without edges, MAGE-GRU is a GRU.
        kind = "gru" if len(sizes) == 1 else kind
        size = " + ".join(
            str(size) for _, size in sorted(sizes.items(), key=lambda item: item[0] != "sequential")
        )
    elif kind == "dassa":
        size = f"{encoder['hidden_dim']}, {encoder['num_blocks']} blocks"
        heads = [f"{name} {number}" for name, number in sorted(encoder["heads"].items())]
        options = {key: encoder[key] for key in ("num_attention_heads", "join_unannotated") if key in encoder}
        if heads:
            size += f", in {encoder['annotated_blocks']} heads that see {', '.join(heads)}"
    else:
        size = str(encoder["hidden_size"])
    return f"{kind} {size}" + (f", {_named(options)}" if options else "")


ENCODER_KEYS = {"type", "input_size", "hidden_size", "state_sizes", "bidirectional"}


def _words(embedders: Mapping[str, Any]) -> str:
    parts = []
    for name, embedder in sorted(embedders.items(), reverse=True):
        if name == "characters":
            encoder = embedder["encoder"]
            size = encoder.get("num_filters", encoder.get("output_size"))
            parts.append(f"characters {embedder['embedding']['embedding_dim']} to {size}")
        elif embedder["type"] == "embedding":
            start = "of a file" if embedder.get("pretrained_file") else "random"
            parts.append(
                f"{embedder['embedding_dim']}, {start}" + ("" if embedder["trainable"] else ", fixed")
            )
        elif "model_name" in embedder:
            parts.append(embedder["model_name"])
    return "; ".join(parts)


def _annotator(annotator: Any) -> str:
    if isinstance(annotator, str):
        return annotator
    if annotator["type"] == "compose":
        return "; ".join(map(_annotator, annotator["annotators"]))
    inner = annotator.get("annotator")
    text = _named(
        {key: value for key, value in annotator.items() if key not in ("annotator", "max_clusters")}
    )
    return f"{text}, of {_annotator(inner)}" if inner else text


def _mentions(layers: Mapping[str, Any]) -> str:
    coref = layers.get("coref")
    if "coref_edges" not in str(coref):
        return ""
    options = coref if isinstance(coref, dict) else {}
    return f"{options.get('read', 'all')} tokens read, {options.get('write', 'all')} write"


def _candidates(reader: Mapping[str, Any]) -> str:
    if reader["type"] not in ("annotated_wikihop", "annotated_who_did_what"):
        return ""
    return "bag of tokens" if reader.get("bag_of_tokens") else "words in a row"


def _schedule(scheduler: Optional[Mapping[str, Any]], times: int, unit: str) -> str:
    if scheduler is None:
        return "constant"
    if scheduler["type"] == "plateau":
        return f"halved after {scheduler['patience']} epochs without a better one"
    if scheduler["type"] != "multi_step":
        return _named(scheduler)
    milestones = [milestone * times for milestone in scheduler["milestones"]]
    first = milestones[0]
    if milestones == [first * i for i in range(1, len(milestones) + 1)]:
        return f"halved every {first} {unit}"
    return f"halved after {', '.join(map(str, milestones))} {unit}"


def _named(values: Mapping[str, Any]) -> str:
    """ "adam, eps 1e-07" """
    return ", ".join(
        str(value)
        if key == "type"
        else key
        if value is True
        else f"{key} {value if isinstance(value, (str, int, float)) else json.dumps(value)}"
        for key, value in sorted(values.items(), key=lambda item: item[0] != "type")
    )


def main() -> None:
    groups = described()
    write_text(TABLE, table(lines(groups), groups))
    page = PAGE.read_text(encoding="utf-8")
    write_text(PAGE, filled(page, groups))
    print(f"{TABLE.relative_to(PROJECT)} and {PAGE.relative_to(PROJECT)}: written")


if __name__ == "__main__":
    main()
