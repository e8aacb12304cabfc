"""Traces of runs that tests make up, as detcheck-trace(7) has them: folders with a trace.json and tensors."""

import ctypes
import json
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import with_numpy  # noqa: E402,F401
import numpy  # noqa: E402

import tensor_files  # noqa: E402

TYPES = {"float32": "fp32", "float64": "fp64", "float16": "fp16", "int64": "int64", "int32": "int32", "uint8": "uint8", "bool": "bool"}


class Hash(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


XXH3 = ctypes.CDLL("libxxhash.so.0").XXH3_128bits
XXH3.restype, XXH3.argtypes = Hash, [ctypes.c_char_p, ctypes.c_size_t]


def digest(array):
    """By the library's function for data in one piece, which detcheck does not use for tensors."""
    data = numpy.ascontiguousarray(array).tobytes()
    made = XXH3(data, len(data))
    return f"{made.high:016x}{made.low:016x}"


def without_payloads(array):
    """With every NaN as the same one."""
    if array.dtype.kind != "f" or not numpy.isnan(array).any():
        return array
    return numpy.where(numpy.isnan(array), numpy.array(numpy.nan, array.dtype), array)


def codes(array):
    return [int(code) for code in numpy.ascontiguousarray(array).view(f"u{array.itemsize}").ravel()]


class Run:
    """Operations in the order of a run; `keep` says whether a call's tensors are kept."""

    def __init__(self, keep=True, **environment):
        self.keep, self.environment = keep, environment
        self.operations, self.files, self.places = [], {}, {}

    def tensor(self, array, name, keep):
        array = numpy.asarray(array)
        kind, mark = TYPES[str(array.dtype)], digest(array)
        one = {"type": kind, "shape": list(array.shape), "digest": mark}
        canonical = digest(without_payloads(array))
        if canonical != mark:
            one["canonical"] = canonical
        place = (mark, kind, array.shape)
        if keep and place not in self.places:
            number = len(self.operations)
            self.places[place] = f"{number}:{name}"
            self.files.setdefault(number, []).append((name, kind, array.shape, codes(array)))
        if place in self.places:
            one["kept"] = self.places[place]
        return one

    def add(self, name, inputs, outputs, keep=None, **more):
        """An operation of arrays; returns the first output. `more` are members of its line as they stand."""
        keep = self.keep if keep is None else keep
        line = {"name": name, **more,
                "inputs": [self.tensor(array, f"input.{i}", keep) for i, array in enumerate(inputs)],
                "outputs": [self.tensor(array, f"output.{i}", keep) for i, array in enumerate(outputs)]}
        self.operations.append(line)
        return outputs[0] if outputs else None

    def document(self, **more):
        return {"schema": "detcheck/trace/1", "recorder": "calls", "program": "a test", "keep": "all" if self.keep else "digests",
                "environment": self.environment, "operations": self.operations, "left_out": [], "complete": True, **more}

    def write(self, folder, **more):
        os.makedirs(os.path.join(folder, "tensors"), exist_ok=True)
        for number, tensors in self.files.items():
            with open(os.path.join(folder, "tensors", f"{number}.safetensors"), "wb") as stream:
                stream.write(tensor_files.safetensors(tensors))
        with open(os.path.join(folder, "trace.json"), "w", encoding="utf-8") as stream:
            json.dump(self.document(**more), stream)
        return folder
