"""The names of PyTorch that torch_adapter.py uses, on numpy's arrays, for tests where PyTorch is not installed. What it has
no function for fails when it is called. A tensor knows the device that it was sent to; results are on that of the first
operand, and operands on two devices are refused, as PyTorch does."""

import contextlib
import types

import numpy as np

__version__ = "0 (stand-in)"
float16, bfloat16, float32, float64 = np.float16, None, np.float32, np.float64
int8, int16, int32, int64 = np.int8, np.int16, np.int32, np.int64
no_grad = contextlib.nullcontext
DEVICES = ("cpu", "cuda", "cuda:0")


class Tensor:
    def __init__(self, array, device="cpu"):
        self.array, self.device = array, device

    def to(self, where):
        if isinstance(where, str):
            if where not in DEVICES:
                raise RuntimeError(f"there is no device {where}")
            return Tensor(self.array, where)
        return Tensor(self.array.astype(where), self.device)

    def view(self, kind):
        if kind is None:
            raise TypeError("numpy has no bfloat16")
        return Tensor(self.array.view(kind), self.device)

    def is_floating_point(self):
        return np.issubdtype(self.array.dtype, np.floating)

    def contiguous(self):
        return Tensor(np.ascontiguousarray(self.array), self.device)

    def cpu(self):
        return Tensor(self.array)

    def numpy(self):
        if self.device != "cpu":
            raise TypeError(f"can't convert a tensor on {self.device} to numpy")
        return self.array

    def reshape(self, *shape):
        return Tensor(self.array.reshape(*shape), self.device)

    def __getitem__(self, place):
        return Tensor(self.array[place], self.device)

    ndim = property(lambda self: self.array.ndim)

    def __matmul__(self, other):
        return on_tensors(np.matmul)(self, other)

    def __mul__(self, other):
        return on_tensors(np.multiply)(self, other)


def on_tensors(function):
    def called(*operands, **options):
        given = operands[0] if isinstance(operands[0], (list, tuple)) else operands
        tensors = [one for one in given if isinstance(one, Tensor)]
        if len({one.device for one in tensors}) > 1:
            raise RuntimeError("tensors on two devices")
        arrays = [one.array if isinstance(one, Tensor) else one for one in given]
        if "dim" in options:
            options["axis"] = options.pop("dim")
        with np.errstate(all="ignore"):
            return Tensor(function(*([arrays] if given is operands[0] else arrays), **options), tensors[0].device)
    return called


def log_softmax_of(x, axis):
    x = x - x.max(axis, keepdims=True)
    return x - np.log(np.exp(x).sum(axis, keepdims=True))


OTHERS = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh,
          "atanh": np.arctanh, "mul": np.multiply, "sub": np.subtract, "div": np.divide, "pow": np.power,
          "atan2": np.arctan2, "round": np.rint, "concatenate": np.concatenate, "flip": np.flip,
          "full_like": np.full_like, "sum": np.sum, "mean": np.mean, "cumsum": np.cumsum, "dot": np.dot,
          "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "rsqrt": lambda x: 1 / np.sqrt(x),
          "logsumexp": np.logaddexp.reduce, "logcumsumexp": np.logaddexp.accumulate,
          "softmax": lambda x, axis: np.exp(log_softmax_of(x, axis)), "log_softmax": log_softmax_of}


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name in OTHERS or hasattr(np, name):
        return on_tensors(OTHERS.get(name) or getattr(np, name))

    def missing(*_, **__):
        raise NotImplementedError(f"the stand-in has no {name}")
    return missing


class Module(types.ModuleType):
    def __getattr__(self, name):
        return __getattr__(name)


nn = types.SimpleNamespace(functional=Module("functional"))
special = Module("special")
cuda = types.SimpleNamespace(get_device_name=lambda: "a stand-in for a GPU")


def from_numpy(array):
    return Tensor(array)


def get_num_threads():
    return 1
