"""Files of JSON lines."""

import json


def write_lines(path, values):
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]
