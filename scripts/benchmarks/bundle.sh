#!/usr/bin/env bash
# Packs what `gpu` needs beyond torch, for an x86-64 Linux machine with Python 3.12 and no network:
#   scripts/benchmarks/bundle.sh OUT.tar.xz    (two minutes, 20 MiB)
# There, in a clone (PYTHONPATH comes first, so nothing of the machine's own is used but what is left out here):
#   mkdir site && tar -xf OUT.tar.xz -C site && export PYTHONPATH=$PWD/site:$PWD HF_HUB_OFFLINE=1
#   python3 -m scripts.benchmarks gpu --json gpu.json
# The versions are those of constraints.txt. Run it in the environment of `make install`, which knows what needs what.
set -euo pipefail
out=$(realpath -m "${1:?usage: scripts/benchmarks/bundle.sh OUT.tar.xz}")
cd "$(dirname "$0")/../.."
site=$(mktemp -d)
trap 'rm -rf "$site"' EXIT

# What such a machine has. What only this needs is left out too.
present="torch torchvision triton numpy scipy scikit-learn h5py pandas matplotlib safetensors sentencepiece pyyaml requests
tqdm packaging filelock jinja2 protobuf transformers tokenizers huggingface-hub peft regex rich pygments typer joblib wrapt"
# AllenNLP and allennlp-models need what setup.cfg says, not what they say.
python - $present > "$site.names" <<'PYTHON'
import sys
from importlib.metadata import PackageNotFoundError, requires

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

seen, waiting = set(sys.argv[1:]), ["allennlp_coref_rc", "allennlp", "allennlp-models"]
while waiting:
    name = canonicalize_name(waiting.pop())
    if name in seen:
        continue
    seen.add(name)
    if name not in ("allennlp-coref-rc",):
        print(name)
    if name in ("allennlp", "allennlp-models"):
        continue
    try:
        needed = [Requirement(text) for text in requires(name) or ()]
    except PackageNotFoundError:
        continue
    for one in needed:
        if one.marker is None or one.marker.evaluate({"extra": "", "python_version": "3.12"}):
            waiting.append(one.name)
PYTHON

platforms=()
for tag in manylinux_2_34 manylinux_2_28 manylinux_2_27 manylinux_2_24 manylinux_2_17 manylinux2014 manylinux1; do
    platforms+=(--platform "${tag}_x86_64")
done
source_only="word2number fairscale"
pip=(python -m pip install --quiet --no-deps --no-compile --constraint constraints.txt --target "$site")
# shellcheck disable=SC2046
"${pip[@]}" --only-binary=:all: --python-version 3.12 --implementation cp "${platforms[@]}" \
    $(grep -vxF "$(tr ' ' '\n' <<<"$source_only")" "$site.names")
# shellcheck disable=SC2086
"${pip[@]}" $source_only
rm "$site.names"
# What no run here reads.
find "$site/spacy/lang" -mindepth 1 -maxdepth 1 -type d ! -name en ! -name xx ! -name ja ! -name ko ! -name th ! -name vi \
    ! -name zh -exec rm -rf {} +
rm -rf "$site"/botocore/data/[a-z]* "$site"/*/tests
find "$site" -regex '.*\.\(pyi\|pyx\|pxd\|cpp\|c\|h\)' -delete
find "$site" -name '*.so' -exec strip --strip-unneeded {} +
tar -cJf "$out" -C "$site" .
du -h "$out"
