"""What results of a run depend on besides its inputs, as texts by name, for the trace of it."""

from __future__ import annotations

import functools
import os
import platform
import sys
from typing import Any, Callable, Dict, Iterable

# Variables that libraries read: which instructions they choose, how many threads, how deterministic they are.
VARIABLES = ("ATEN_CPU_CAPABILITY", "CUBLAS_WORKSPACE_CONFIG", "DNNL_MAX_CPU_ISA", "JAX_ENABLE_X64", "MKL_CBWR", "MKL_ENABLE_INSTRUCTIONS",
             "MKL_NUM_THREADS", "NPY_DISABLE_CPU_FEATURES", "NVIDIA_TF32_OVERRIDE", "OMP_NUM_THREADS", "ONEDNN_MAX_CPU_ISA",
             "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "PYTHONHASHSEED", "TORCHDYNAMO_DISABLE", "XLA_FLAGS")


@functools.lru_cache(maxsize=None)
def processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def of_machine() -> Dict[str, str]:
    return {"python": platform.python_version(), "platform": f"{platform.system()} {platform.machine()}", "cpu": processor(),
            "libc": " ".join(platform.libc_ver()), **{name: os.environ[name] for name in VARIABLES if name in os.environ}}


def _torch() -> Dict[str, str]:
    torch = sys.modules["torch"]
    made = {"torch": str(torch.__version__), "threads": str(torch.get_num_threads()),
            "cpu_capability": torch.backends.cpu.get_cpu_capability(), "float32_matmul_precision": torch.get_float32_matmul_precision(),
            "deterministic_algorithms": str(torch.are_deterministic_algorithms_enabled()).lower()}
    if torch.cuda.is_available():
        made.update(cuda=str(torch.version.cuda), device=torch.cuda.get_device_name())
    if "transformers" in sys.modules:
        made["transformers"] = str(sys.modules["transformers"].__version__)
    return made


def _versions(*names: str) -> Callable[[], Dict[str, str]]:
    def found() -> Dict[str, str]:
        modules: Dict[str, Any] = {name: sys.modules.get(name) for name in names}
        return {name: str(module.__version__) for name, module in modules.items() if hasattr(module, "__version__")}
    return found


_OF = {"torch": _torch, "jax": _versions("jax", "jaxlib"), "numpy": _versions("numpy", "scipy", "sklearn"),
       "onnxruntime": _versions("onnxruntime", "onnx")}


def of_framework(name: str) -> Dict[str, str]:
    return _OF[name]() if name in _OF else {}


def now(frameworks: Iterable[str]) -> Dict[str, str]:
    """What holds at this moment: a program sets threads, precision and variables when it wants to."""
    made = of_machine()
    for name in frameworks:
        made.update(of_framework(name))
    return made


def with_changes(first: Dict[str, str], last: Dict[str, str]) -> Dict[str, str]:
    """The environment of a run that began with one and ended with the other: what changed has both of its values."""
    both = {**first}
    for name in {**first, **last}:
        before, after = first.get(name), last.get(name)
        if before != after:
            both[name] = f"{'not set' if before is None else before} at the first operation, {'not set' if after is None else after} at the end"
    return both
