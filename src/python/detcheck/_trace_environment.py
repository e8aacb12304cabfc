"""The environment of a run, which results depend on besides inputs, as texts by name, for its trace."""

from __future__ import annotations

import functools
import os
import platform
import sys
from typing import Any, Callable, Dict, Iterable, List, Tuple

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
            "libc": " ".join(platform.libc_ver()), "flush_denormal": text_of(flushes()),
            **{name: os.environ[name] for name in VARIABLES if name in os.environ}}


def _torch() -> Dict[str, str]:
    torch = sys.modules["torch"]
    made = {"torch": str(torch.__version__), "cpu_capability": torch.backends.cpu.get_cpu_capability(),
            **{name: text_of(asked(get)) for name, get in getters("torch")}}
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


_SMALLEST = 5e-324
# Settings that a program changes while it runs: the name, and the function of torch._C that says it.
_OF_TORCH = (("threads", "get_num_threads"), ("float32_matmul_precision", "_get_float32_matmul_precision"),
             ("deterministic_algorithms", "_get_deterministic_algorithms"), ("mkldnn", "_get_mkldnn_enabled"))
_OF_CUDA = (("cublas_allow_tf32", "_get_cublas_allow_tf32"), ("cudnn_allow_tf32", "_get_cudnn_allow_tf32"),
            ("cudnn_benchmark", "_get_cudnn_benchmark"), ("cudnn_deterministic", "_get_cudnn_deterministic"))


def flushes() -> bool:
    """Whether this thread's processor takes results that are subnormal for 0."""
    return _SMALLEST * 1.0 == 0.0


@functools.lru_cache(maxsize=None)
def getters(framework: str) -> List[Tuple[str, Callable[[], Any]]]:
    """Settings that are looked at before each operation."""
    if framework != "torch":
        return []
    torch = sys.modules["torch"]
    names = (*_OF_TORCH, *(_OF_CUDA if torch.cuda.is_available() else ()))
    return [(name, getattr(torch._C, function)) for name, function in names if hasattr(torch._C, function)]


def asked(get: Callable[[], Any]) -> Any:
    try:
        return get()
    except RuntimeError:  # of PyTorch, where a program has set something by two ways that do not go together
        return "contradictory"


def text_of(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Settings:
    """The settings of the frameworks that take part, at the time of an operation."""

    def __init__(self) -> None:
        self.names: List[str] = []
        self.asked: List[Callable[[], Any]] = []
        self.add([("flush_denormal", flushes)])

    def add(self, found: Iterable[Tuple[str, Callable[[], Any]]]) -> None:
        for name, get in found:
            self.names.append(name)
            self.asked.append(get)

    def now(self) -> List[Any]:
        try:
            return [get() for get in self.asked]
        except RuntimeError:
            return [asked(get) for get in self.asked]

    def changed(self, before: List[Any], now: List[Any]) -> Dict[str, str]:
        return {name: text_of(value) for name, old, value in zip(self.names, before, now) if old != value}


_OF = {"torch": _torch, "jax": _versions("jax", "jaxlib"), "numpy": _versions("numpy", "scipy", "sklearn"),
       "onnxruntime": _versions("onnxruntime", "onnx")}


def of_framework(name: str) -> Dict[str, str]:
    return _OF[name]() if name in _OF else {}


def now(frameworks: Iterable[str]) -> Dict[str, str]:
    """The settings at this moment: a program can change threads, precision and variables at any time."""
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
