"""Times kernels of transformers: det's, in the library, beside plain loops in C at -O3 and beside PyTorch, in one thread.

    python3 tests/bench/kernels_bench.py build/slow/python/detcheck/lib/libdetmath.so

prints for each kernel nanoseconds an element of each side, and the ratio of det's time to that of the quicker of the two
others: the median over rounds, in each of which all sides take a turn. Times are those that the processor works for the
thread. Arrays are 16 rows of 4,096 fp32 numbers, which the second cache holds; --rows 1 is one row. With --instructions
avx2 all sides have AVX2 and no better. Without PyTorch there are only the plain loops. --at-most 1.5 makes the exit
status 1 where a ratio is above that.
"""

import argparse
import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy

COLUMNS, WIDTH, SPOTS = 4096, 128, 512  # of a row; of a head of rope; of a channel of images
F32, LEAST = 0, 0.002                   # detmath's number of fp32; seconds of one timing
RMS, LAYER, L2 = range(3)
MARCH = {"avx512": "native", "avx2": "x86-64-v3"}


class Strided(ctypes.Structure):
    _fields_ = [("codes", ctypes.c_void_p), ("format", ctypes.c_int), ("dimensions", ctypes.c_int),
                ("extents", ctypes.POINTER(ctypes.c_size_t)), ("strides", ctypes.POINTER(ctypes.c_ssize_t))]


def strided(array, *shape):
    shape = shape or array.shape
    return ctypes.byref(Strided(array.ctypes.data, F32, len(shape), (ctypes.c_size_t * len(shape))(*shape), None))


def plain_library(folder, instructions):
    source, made = Path(__file__).parent / "plain_kernels.c", f"{folder}/plain.so"
    subprocess.run([os.environ.get("CC", "cc"), "-O3", f"-march={MARCH[instructions]}", "-shared", "-fPIC", str(source), "-o", made,
                    "-lm"], check=True)
    return ctypes.CDLL(made)


class Bench:
    """Operands, a result, and the calls of each side; torch may be None."""

    def __init__(self, rows, det, plain, torch):
        draw = numpy.random.default_rng(4)
        self.rows, self.det, self.plain, self.torch = rows, det, plain, torch
        self.kept = []  # what calls have the addresses of
        self.x, self.u, self.y = (draw.standard_normal((rows, COLUMNS)).astype(numpy.float32) for _ in range(3))
        self.w, self.b = (draw.standard_normal(COLUMNS).astype(numpy.float32) for _ in range(2))
        self.positions = numpy.arange(1000, 1000 + rows, dtype=numpy.int64)
        self.t = torch and {name: torch.from_numpy(getattr(self, name)) for name in ("x", "u", "y", "w", "b")}

    def by_det(self, name, *arguments):
        call = getattr(self.det, f"detmath_{name}")

        def timed():
            if call(*arguments):
                sys.exit(f"detmath_{name} refuses the call")
        return timed

    def by_plain(self, name, *arguments):
        call = getattr(self.plain, f"plain_{name}")
        self.kept += arguments
        given = [ctypes.c_void_p(one.ctypes.data) if hasattr(one, "ctypes") else ctypes.c_size_t(one) for one in arguments]
        return lambda: call(*given)

    def norm(self, which, name, weight, bias, epsilon, by_torch):
        det = self.by_det("norm_along", ctypes.c_int(which), strided(self.y), strided(self.x), weight, bias, ctypes.c_int(-1),
                          ctypes.c_float(epsilon))
        return det, self.by_plain(name, self.y, self.x, self.w, self.b, self.rows, COLUMNS), by_torch

    def norms(self):
        t, f, w, b = self.t, self.torch and self.torch.nn.functional, strided(self.w), strided(self.b)
        yield "rms_norm", self.norm(RMS, "rms_norm", w, None, 1e-5, lambda: f.rms_norm(t["x"], (COLUMNS,), t["w"], 1e-5))
        yield "layer_norm", self.norm(LAYER, "layer_norm", w, b, 1e-5,
                                      lambda: f.layer_norm(t["x"], (COLUMNS,), t["w"], t["b"], 1e-5))
        yield "l2_norm", self.norm(L2, "l2_norm", None, None, 1e-12, lambda: f.normalize(t["x"], dim=-1))

    def norms_of_channels(self):
        """Of 4 groups of 8 channels of 512 elements; and of as many channels as samples, all of one being 4,096 elements."""
        groups, each, f = 4 if self.rows % 4 == 0 else 1, COLUMNS // SPOTS, self.torch and self.torch.nn.functional
        shape, even = (self.rows // groups, groups * each, SPOTS), (self.rows, self.rows, COLUMNS // self.rows)
        w, b = self.w[:shape[1]], self.b[:shape[1]]
        images, channels = self.torch and self.t["x"].view(shape), self.torch and self.t["x"].view(even)
        tw, tb = self.torch and self.t["w"], self.torch and self.t["b"]
        yield "group_norm", (
            self.by_det("group_norm", strided(self.y, *shape), strided(self.x, *shape), strided(w), strided(b),
                        ctypes.c_size_t(groups), ctypes.c_float(1e-5)),
            self.by_plain("group_norm", self.y, self.x, w, b, self.rows, COLUMNS, groups, SPOTS),
            lambda: f.group_norm(images, groups, tw[:shape[1]], tb[:shape[1]], 1e-5))
        yield "batch_norm", (
            self.by_det("batch_norm", strided(self.y, *even), strided(self.x, *even), strided(w, even[1]), strided(b, even[1]),
                        ctypes.c_float(1e-5)),
            self.by_plain("batch_norm", self.y, self.x, w, b, *even),
            lambda: f.batch_norm(channels, None, None, tw[:even[1]], tb[:even[1]], True, 0.1, 1e-5))

    def gates(self):
        """Of two arrays, and of the halves of each row of one."""
        t, f = self.t, self.torch and self.torch.nn.functional
        x, u, y, half = strided(self.x), strided(self.u), strided(self.y), COLUMNS // 2
        for number, name, halves, activation in (
                (0, "silu_mul", "swiglu", lambda on: f.silu(on)), (1, "gelu_mul", "geglu", lambda on: f.gelu(on)),
                (2, "gelu_tanh_mul", "geglu tanh", lambda on: f.gelu(on, approximate="tanh"))):
            def of_halves(activation=activation):
                one, two = t["x"].chunk(2, -1)
                return activation(one) * two
            which, axis, reverse = ctypes.c_int(number), ctypes.c_int(-1), ctypes.c_int(0)
            yield name, (self.by_det("gate", which, y, x, u),
                         self.by_plain(name, self.y, self.x, self.u, self.rows, COLUMNS, COLUMNS),
                         lambda activation=activation: self.torch.mul(activation(t["x"]), t["u"], out=t["y"]))
            yield halves, (self.by_det("gate_along", which, strided(self.y, self.rows, half), x, axis, reverse),
                           self.by_plain(name, self.y, self.x, self.x[:, half:], self.rows, half, COLUMNS), of_halves)

    def softmaxes(self):
        t, sizes = self.t, [ctypes.c_size_t(self.rows), ctypes.c_size_t(COLUMNS)]
        y, x = (ctypes.c_void_p(one.ctypes.data) for one in (self.y, self.x))
        yield "softmax", (lambda: self.plain.each_row(self.det.detmath_softmax_f32, y, x, *sizes),
                          self.by_plain("softmax", self.y, self.x, self.rows, COLUMNS),
                          lambda: self.torch.softmax(t["x"], -1, out=t["y"]))
        yield "log_softmax", (self.by_det("log_softmax_along", strided(self.y), strided(self.x), ctypes.c_int(-1)),
                              self.by_plain("log_softmax", self.y, self.x, self.rows, COLUMNS),
                              lambda: self.torch.log_softmax(t["x"], -1, out=t["y"]))

    def rope(self, width, given):
        """From positions; where `given`, the others are given tables of sines and cosines."""
        shape, torch = (self.rows, COLUMNS // width, width), self.torch
        cosines, sines = (numpy.empty((self.rows, width // 2), numpy.float32) for _ in range(2))
        tables = self.by_plain("rope_tables", cosines, sines, self.positions, self.rows, width)
        turn = self.by_plain("rope", self.y, self.x, cosines, sines, *shape)
        strides = (ctypes.c_ssize_t * 2)(1, 0)
        det = self.by_det("rope", strided(self.y, *shape), strided(self.x, *shape), ctypes.c_void_p(self.positions.ctypes.data),
                          strides, ctypes.c_float(10000), ctypes.c_float(1), ctypes.c_size_t(width), ctypes.c_int(0))

        def torch_tables():
            turns = 10000 ** (-torch.arange(0, width, 2) / width)
            angles = torch.from_numpy(self.positions)[:, None] * turns
            angles = torch.cat((angles, angles), -1)
            return angles.cos()[:, None], angles.sin()[:, None]

        def by_torch():
            cosine, sine = kept if given else torch_tables()
            on = self.t["x"].view(shape)
            one, two = on.chunk(2, -1)
            return on * cosine + torch.cat((-two, one), -1) * sine
        kept = torch and torch_tables()
        tables()
        return det, turn if given else lambda: (tables(), turn()), by_torch

    def kernels(self):
        for some in (self.norms(), self.norms_of_channels(), self.gates(), self.softmaxes()):
            yield from some
        yield "rope", self.rope(WIDTH, False)
        yield "rope of rows", self.rope(COLUMNS, False)
        yield "rope, tables given", self.rope(WIDTH, True)


def seconds(call, repeats):
    start = time.thread_time()
    for _ in range(repeats):
        call()
    return (time.thread_time() - start) / repeats


def measure(calls, rounds):
    """The median seconds of each call, and of the ratio of the first to the least of the others."""
    repeats, taken = [], []
    for call in calls:
        call()
        repeats.append(max(1, int(LEAST / max(1e-7, min(seconds(call, 3) for _ in range(3))))))
    for _ in range(rounds):
        taken.append([seconds(call, count) for call, count in zip(calls, repeats)])
    return [statistics.median(side) for side in zip(*taken)], statistics.median(one[0] / min(one[1:]) for one in taken)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("library")
    parser.add_argument("--kernels", help="those whose names begin so, separated by commas")
    parser.add_argument("--instructions", choices=MARCH, default="avx512")
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--at-most", type=float)
    chosen = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", ATEN_CPU_CAPABILITY=chosen.instructions)
    try:
        import torch
        torch.set_num_threads(1)
    except ImportError:
        torch = None
        print("without PyTorch, which this Python lacks", file=sys.stderr)
    det = ctypes.CDLL(chosen.library)
    if not det.detmath_limit_level(chosen.instructions.encode()):
        sys.exit(f"{chosen.library} has no {chosen.instructions}")
    print(f"{'ns an element':18}      det    plain  PyTorch    ratio")
    above = 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(chosen.rows, det, plain_library(folder, chosen.instructions), torch)
        for name, calls in bench.kernels():
            if chosen.kernels and not any(name.startswith(one) for one in chosen.kernels.split(",")):
                continue
            medians, ratio = measure(calls if torch else calls[:2], chosen.rounds)
            above += chosen.at_most is not None and ratio > chosen.at_most
            each = "".join(f"{1e9 * one / bench.x.size:9.3f}" for one in medians)
            print(f"{name:18}{each:27}{ratio:9.2f}", flush=True)
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
