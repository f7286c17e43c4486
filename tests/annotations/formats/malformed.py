"""What has to hold of every format's reader, however its files are damaged."""

import random
from pathlib import Path

import pytest
from allennlp.common.checks import ConfigurationError


def check_damaged_files(read, fixture, folder, beside=(), tries=150):
    """
    Truncated anywhere, or with bytes, lines or numbers changed, a file is read or a `ConfigurationError` names it: no
    other exception. `beside` are files that have to be in its folder.
    """
    rng = random.Random(13370)
    content = Path(fixture).read_bytes()
    folder = Path(folder)
    for other in beside:
        (folder / Path(other).name).write_bytes(Path(other).read_bytes())
    path = folder / Path(fixture).name
    complaints = 0
    for i in range(tries):
        damaged = bytearray(content)
        kind = i % 5
        if kind == 0:
            damaged = damaged[: rng.randrange(len(damaged))]
        elif kind == 1:
            for _ in range(rng.randint(1, 3)):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        elif kind == 2:
            lines = content.split(b"\n")
            lines.insert(rng.randrange(len(lines)), rng.choice(lines)[: rng.randrange(40)])
            damaged = b"\n".join(lines)
        elif kind == 3:
            digits = [i for i, byte in enumerate(content) if chr(byte).isdigit()]
            for position in rng.sample(digits, min(2, len(digits))):
                damaged[position] = ord(rng.choice("0123456789-x"))
        else:
            start = rng.randrange(len(damaged))
            del damaged[start : start + rng.randint(1, 20)]
        path.write_bytes(bytes(damaged))
        try:
            list(read(str(path)))
        except ConfigurationError as error:
            complaints += 1
            assert str(folder) in str(error), error
    assert complaints, "nothing was damaged enough"
    with pytest.raises(ConfigurationError, match="no such file"):
        list(read(str(folder / f"none{path.suffix}")))
