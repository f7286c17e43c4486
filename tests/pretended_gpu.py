"""
A pretended GPU, where there is none. Its tensors report the device `cuda:0`, hold their data on the CPU and
compute there, and mixing them with tensors of the CPU is an error, as on a GPU. Launches of kernels and
synchronisations are counted by the lines that cause them: an op of PyTorch that is no view counts as one
launch, and so do attention and the GRU and LSTM of cuDNN. The fused kernels of the recurrence only write
zeros.

Import this before PyTorch, which otherwise has looked for a GPU; the process then has one until it ends.
"""

import collections
import ctypes
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

SOURCE = Path(__file__).with_suffix(".cpp")


def load_guard():
    """What autograd asks of a GPU, which a build of PyTorch for CPUs does not have."""
    torch = Path(find_spec("torch").origin).parent
    includes = [f"-I{torch}/include", f"-I{torch}/include/torch/csrc/api/include"]
    linked = [f"-L{torch}/lib", "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{torch}/lib"]
    with tempfile.TemporaryDirectory() as folder:
        command = [os.environ.get("CXX", "c++"), "-shared", "-fPIC", "-std=c++20", *includes, SOURCE, *linked]
        subprocess.run([*command, "-o", f"{folder}/guard.so"], check=True)
        ctypes.CDLL(f"{folder}/guard.so")


IS_FIRST = "torch" not in sys.modules
if IS_FIRST:
    load_guard()

import torch  # noqa: E402
from torch.overrides import TorchFunctionMode  # noqa: E402
from torch.utils._python_dispatch import (  # noqa: E402
    TorchDispatchMode,
    _disable_current_modes,
    return_and_correct_aliasing,
)
from torch.utils._pytree import tree_leaves, tree_map, tree_map_only  # noqa: E402

NO_LAUNCH = set(
    """
_local_scalar_dense _reshape_alias _unsafe_view empty empty_like empty_strided lift_fresh new_empty new_empty_strided
split split_with_sizes unbind
""".split()
)
COPIES = {"copy_", "_to_copy"}
"""What may mix devices, as a copy from one to the other. An index may be on the CPU, which is also a copy."""

INDEXING = {"index", "index_put", "index_put_", "_index_put_impl_"}
WAITS = set(
    """
_local_scalar_dense _unique2 bincount equal is_nonzero masked_select nonzero unique_consecutive unique_dim
""".split()
)

FUSED = {"gru", "lstm", "scaled_dot_product_attention"}


class GpuTensor(torch.Tensor):
    @staticmethod
    def __new__(cls, data):
        places = {"strides": data.stride(), "storage_offset": data.storage_offset()}
        return torch.Tensor._make_wrapper_subclass(
            cls, data.shape, dtype=data.dtype, device="cuda:0", **places
        )

    def __init__(self, data):
        self.data_on_cpu = data

    __torch_function__ = torch._C._disabled_torch_function_impl

    def __deepcopy__(self, memo):
        return GpuTensor(self.data_on_cpu.clone())

    @classmethod
    def __torch_dispatch__(cls, op, types, args=(), kwargs=None):
        return compute(op, args, kwargs or {})


class Counts:
    """Launches and synchronisations: their number by what they are and by their lines."""

    def __init__(self):
        self.launches = collections.Counter()
        self.syncs = collections.Counter()


COUNTS = Counts()


def place():
    """
    The innermost line of the package, before the innermost one outside of PyTorch; "backward" without any.
    """
    ours = inner = None
    frame = sys._getframe(1)
    while frame is not None and ours is None:
        path = Path(frame.f_code.co_filename)
        if path != Path(__file__) and "torch" not in path.parts and path.is_absolute():
            line = f"{path.name}:{frame.f_lineno}"
            inner = inner or line
            if "allennlp_coref_rc" in path.parts:
                ours = line
        frame = frame.f_back
    return (inner or "backward") if ours in (None, inner) else f"{ours} < {inner}"


def on_gpu(device):
    return device is not None and torch.device(device).type == "cuda"


def compute(op, args, kwargs):
    """Computes an op on the CPU, and counts what it would be on a GPU."""
    name = op.__name__.partition(".")[0]
    tensors = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
    own = [x for x in tensors if isinstance(x, GpuTensor)]
    device = kwargs.get("device")
    if not own and not on_gpu(device):
        return op(*args, **kwargs)
    others = [x for x in tensors if not isinstance(x, GpuTensor)]
    wait = name if name in WAITS else None
    is_pinned = all(getattr(x, "is_pinned_here", False) for x in others) and kwargs.get("non_blocking")
    if name in COPIES and (others or device is not None and not on_gpu(device)):
        wait = (
            "copy to the CPU" if not others or name == "copy_" else None if is_pinned else "copy to the GPU"
        )
    elif name in INDEXING and own:
        indices = [x for x in args[1] if x is not None]
        others = [x for x in others if all(x is not index for index in indices)]
        if any(x.dtype in (torch.bool, torch.uint8) for x in indices):
            wait = "index by a mask"
        elif not all(isinstance(x, GpuTensor) for x in indices):
            wait = "copy of an index"
    elif name == "repeat_interleave" and kwargs.get("output_size") is None:
        wait = name
    # A pointwise op may have a number that is a tensor of the CPU; lengths of packed sequences have to be
    # there.
    if name not in (*COPIES, "_pack_padded_sequence"):
        allowed = torch.Tag.pointwise in op.tags or name in ("fill_", *INDEXING)
        mixed = [tuple(x.shape) for x in others if x.dim() or not allowed]
        if mixed and own:
            raise RuntimeError(
                f"{name} at {place()}: expected all tensors on cuda:0, found {mixed} on the CPU"
            )
    if wait:
        COUNTS.syncs[wait, place()] += 1
    if not (op.is_view or name in NO_LAUNCH):
        COUNTS.launches[name, place()] += 1

    values, options = tree_map_only(GpuTensor, lambda x: x.data_on_cpu, (args, kwargs))
    if on_gpu(device):
        options["device"] = "cpu"
    result = op(*values, **options)
    if name == "_pack_padded_sequence":
        return GpuTensor(result[0]), result[1]
    if device is not None and not on_gpu(device):
        return result.clone()
    if name == "copy_" and not isinstance(args[0], GpuTensor):
        return args[0]
    return return_and_correct_aliasing(op, args, kwargs, tree_map_only(torch.Tensor, GpuTensor, result))


class Dispatch(TorchDispatchMode):
    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        return compute(op, args, kwargs or {})


class Fused(torch.autograd.Function):
    """A function that is one kernel on a GPU, and that PyTorch would otherwise take apart."""

    @staticmethod
    def forward(ctx, name, function, *tensors):
        ctx.name = name
        COUNTS.launches[name, place()] += 1
        ctx.given = [x.data_on_cpu.detach().requires_grad_(x.is_floating_point()) for x in tensors]
        with _disable_current_modes(), torch.enable_grad():
            ctx.results = function(ctx.given)
        return tree_map(lambda x: GpuTensor(x.detach().clone()), ctx.results)

    @staticmethod
    def backward(ctx, *grads):
        COUNTS.launches[ctx.name, "backward"] += 1
        wanted = [x for x in ctx.given if x.requires_grad]
        with _disable_current_modes():
            found = iter(torch.autograd.grad(ctx.results, wanted, [x.data_on_cpu for x in grads]))
        return None, None, *(GpuTensor(next(found)) if x.requires_grad else None for x in ctx.given)


class Functions(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        name = getattr(function, "__name__", "")
        if name == "tolist" and isinstance(args[0], GpuTensor):
            COUNTS.syncs["tolist", place()] += 1
            return args[0].data_on_cpu.tolist()
        kwargs = kwargs or {}
        tensors = [x for x in tree_leaves((args, kwargs)) if isinstance(x, GpuTensor)]
        if name not in FUSED or not tensors:
            return function(*args, **kwargs)

        def call(values):
            of = {id(x): value for x, value in zip(tensors, values)}
            values, options = tree_map(lambda x: of.get(id(x), x), (args, kwargs))
            return function(*values, **options)

        return Fused.apply(name, call, *tensors)


class Kernel:
    """
    A kernel of the fused recurrence. It writes zeros into the tensors of the given indices. The first
    tensor of some may be a part of rows.
    """

    def __init__(self, name, *outputs, of_rows=False):
        self.name, self.outputs, self.of_rows = name, outputs, of_rows

    def __getitem__(self, grid):
        def launch(*args, **kwargs):
            COUNTS.launches[f"kernel {self.name}", place()] += 1
            for i, x in enumerate(args):
                fits = isinstance(x, GpuTensor) and (x.is_contiguous() or self.of_rows and i == 0)
                if isinstance(x, torch.Tensor) and not fits:
                    raise RuntimeError(
                        f"argument {i} of kernel {self.name}: expected contiguous numbers on cuda:0"
                    )
            for i in self.outputs:
                if args[i] is not None:
                    args[i].data_on_cpu.zero_()

        return launch


def pinned(tensor):
    """A copy that is in memory from which a copy to the GPU need not be waited for."""
    copy = tensor.clone()
    copy.is_pinned_here = True
    return copy


def begin():
    """From here on, this process has a GPU."""
    if not IS_FIRST:
        raise RuntimeError("pretended_gpu: found PyTorch imported, expected to be imported before it")
    from allennlp_coref_rc.modules.recurrence import _triton_kernels

    properties = SimpleNamespace(shared_memory_per_block_optin=227 * 1024, major=9, minor=0)
    for name, value in {
        "_lazy_init": None,
        "is_available": True,
        "device_count": 1,
        "current_device": 0,
        "get_device_capability": (9, 0),
        "get_device_name": "pretended",
        "get_device_properties": properties,
        "device": mock.MagicMock(),
        "get_rng_state": torch.zeros(16, dtype=torch.uint8),
        "set_rng_state": None,
        "manual_seed_all": None,
    }.items():
        for module in (torch.cuda, torch.cuda.random):
            setattr(module, name, lambda *_, value=value, **__: value)
    torch.cuda.LongTensor = lambda size, device: torch.empty(size, dtype=torch.int64, device="cuda")
    torch.cuda.amp.common.amp_definitely_not_available = lambda: False
    torch.Tensor.pin_memory = pinned
    # The data of a parameter cannot become those of a tensor of another class.
    torch.__future__.set_overwrite_module_params_on_conversion(True)
    # Tensors of given numbers then are made on the CPU, and their copy is seen.
    torch._C._set_only_lift_cpu_tensors(True)
    for kernel in (
        Kernel("edge_sources", 3),
        Kernel("edge_weights", 3, of_rows=True),
        Kernel("forward", 9, 10, 11, of_rows=True),
        Kernel("backward", 1, 2, of_rows=True),
        Kernel("edge_gradients", 1),
        Kernel("one", 0),
    ):
        setattr(_triton_kernels, kernel.name, kernel)
    Dispatch().__enter__()
    Functions().__enter__()
