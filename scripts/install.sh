#!/usr/bin/env bash
# Sets up a virtual environment with the package and what its tests need, with Python 3.11, 3.12 or 3.13:
#   scripts/install.sh FOLDER [--oldest | --newest]
# It takes the versions of constraints.txt, or the oldest or newest within the bounds of setup.cfg.
# PYTHON=… chooses the interpreter. If there is none, uv installs Python 3.12. Nothing else is written outside FOLDER
# but the package's own egg-info and bytecode.
set -euo pipefail
folder=${1:?usage: scripts/install.sh FOLDER [--oldest | --newest]}
case ${2:-} in
    "") versions=(--constraint constraints.txt) ;;
    --oldest) versions=(--upgrade --resolution lowest-direct) ;;
    --newest) versions=(--upgrade --resolution highest) ;;
    *) echo "found $2, expected --oldest, --newest or nothing" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."

supported() { "$1" -c 'import sys; sys.exit(not (3, 11, 4) <= sys.version_info[:3] < (3, 14))' 2>/dev/null; }

if ! uv=$(command -v "$folder/bin/uv" || command -v uv); then
    # A program that needs no Python: any pip has it, such as that of Python 3.14.
    tools=$(mktemp -d)
    trap 'rm -rf "$tools"' EXIT
    if command -v pip3 >/dev/null; then
        pip3 install --quiet --no-cache-dir --target "$tools" uv
    elif python3 -m venv "$tools"; then
        "$tools/bin/pip" install --quiet --no-cache-dir uv
    else
        echo "Neither uv nor pip found: install one of them (on Debian: apt-get install python3-pip)." >&2
        exit 1
    fi
    uv=$tools/bin/uv
fi

if ! supported "$folder/bin/python"; then
    tried=${PYTHON:-python3 python3.13 python3.12 python3.11}
    for python in $tried; do
        if supported "$python"; then found=$(command -v "$python"); break; fi
    done
    if [ -z "${found:-}" ]; then
        echo "No Python 3.11, 3.12 or 3.13 found (tried: $tried). uv looks for Python 3.12 elsewhere, or installs it." >&2
    fi
    rm -rf "$folder"
    "$uv" venv --quiet --seed --python "${found:-3.12}" "$folder"
fi
python=$folder/bin/python

# uv does not read pip's configuration, so its settings are passed on.
configured() { { "$python" -m pip config get "global.$1" || pip3 config get "global.$1"; } 2>/dev/null || true; }
find_links=${PIP_FIND_LINKS:-$(configured find-links)}
index=${PIP_INDEX_URL:-$(configured index-url)}
if [ -n "$find_links" ]; then export UV_FIND_LINKS=${UV_FIND_LINKS:-${find_links// /,}}; fi
if [ -n "$index" ]; then export UV_DEFAULT_INDEX=${UV_DEFAULT_INDEX:-$index}; fi

# Bytecode is compiled once here. Where it is not written later (PYTHONDONTWRITEBYTECODE=1), every start would compile
# everything again.
install() { "$uv" pip install --quiet --no-cache --compile-bytecode --python "$python" "$@"; }
install "${versions[@]}" --editable '.[dev]' uv
install --no-deps allennlp==2.10.1 allennlp-models==2.10.1
# A wheel puts it there itself, and into the list of what uninstalling removes.
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
cp allennlp_coref_rc/allennlp_runtime/allennlp_coref_rc.pth "$site"
echo "allennlp_coref_rc.pth,," >> "$(echo "$site"/allennlp_coref_rc-*.dist-info/RECORD)"
"$python" -m compileall -q allennlp_coref_rc
