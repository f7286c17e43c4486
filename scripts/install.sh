#!/usr/bin/env bash
# Sets up a virtual environment with the package and what its tests need, with Python 3.11, 3.12 or 3.13:
#   scripts/install.sh FOLDER [--newest]
# With --newest it takes the newest versions within the bounds of setup.cfg, else those of constraints.txt.
# PYTHON=… chooses the interpreter. Nothing is written outside FOLDER but the package's own egg-info and bytecode.
set -euo pipefail
folder=${1:?usage: scripts/install.sh FOLDER [--newest]}
case ${2:-} in
    "") versions=(--constraint constraints.txt) ;;
    --newest) versions=(--upgrade --resolution highest) ;;
    *) echo "found $2, expected --newest or nothing" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."

supported() { "$1" -c 'import sys; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12), (3, 13)))' 2>/dev/null; }

if [ ! -x "$folder/bin/python" ] || ! supported "$folder/bin/python"; then
    for python in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
        if supported "$python"; then found=$python; break; fi
    done
    if [ -z "${found:-}" ]; then
        echo "No Python 3.11, 3.12 or 3.13 found (tried: ${PYTHON:-python3 python3.13 python3.12 python3.11}). Name one: make install PYTHON=/path/to/python3.12" >&2
        exit 1
    fi
    rm -rf "$folder"
    if ! "$found" -m venv "$folder"; then
        # Some distributions ship Python without ensurepip; uv does not need it.
        rm -rf "$folder"
        "$found" -m venv --without-pip "$folder"
    fi
fi
python=$folder/bin/python

# uv installs the packages, because pip cannot override the versions that AllenNLP pins.
if [ -x "$folder/bin/uv" ]; then
    uv=$folder/bin/uv
elif command -v uv >/dev/null; then
    uv=$(command -v uv)
elif "$python" -m pip --version >/dev/null 2>&1; then
    "$python" -m pip install --quiet --no-cache-dir uv
    uv=$folder/bin/uv
elif command -v pip3 >/dev/null; then
    pip3 --python "$python" install --quiet --no-cache-dir uv
    uv=$folder/bin/uv
else
    echo "Neither uv nor pip found: install one of them (on Debian: apt-get install python3-venv)." >&2
    exit 1
fi

# uv does not read pip's configuration, so its settings are passed on.
configured() { { "$python" -m pip config get "global.$1" || pip3 config get "global.$1"; } 2>/dev/null || true; }
find_links=${PIP_FIND_LINKS:-$(configured find-links)}
index=${PIP_INDEX_URL:-$(configured index-url)}
if [ -n "$find_links" ]; then export UV_FIND_LINKS=${UV_FIND_LINKS:-${find_links// /,}}; fi
if [ -n "$index" ]; then export UV_DEFAULT_INDEX=${UV_DEFAULT_INDEX:-$index}; fi

# Bytecode is compiled once here. Where it is not written later (PYTHONDONTWRITEBYTECODE=1), every start would compile
# everything again.
"$uv" pip install --quiet --no-cache --compile-bytecode --python "$python" "${versions[@]}" --editable '.[dev]'
"$python" -m compileall -q allennlp_coref_rc
