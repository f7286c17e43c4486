import os

import torch

if not torch.cuda.is_available():
    # Kernels then run in Triton's interpreter, on the CPU. Triton reads this when it is imported.
    os.environ.setdefault("TRITON_INTERPRET", "1")

import allennlp_coref_rc  # noqa: F401  registers what configs name, as a plugin is imported
