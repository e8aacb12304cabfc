#!/usr/bin/env python3
"""Measures the table of detcheck-library-orders(7) on threads, and torch's mean in detcheck-library-orders-torch(7).

    man/tables/library_threads.py [--versions TEXT]

The Python that runs this has numpy and PyTorch. Each operation sums the same 20 random arrays in a process of one thread and in a
process of two. The table has the number of arrays whose results have other bits. torch's layer_norm returns its mean, which is
compared with a running mean of 2,000 arrays of 5 terms.
"""
import argparse
import hashlib
import json
import os
import subprocess
import sys

import numpy as np

from measured import NOT_RECORDED, Data, placed, this_run

DATA = Data("library-orders")
ARRAYS, MEANS = 20, 2000
COUNTS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# An operation: the library, the type of its operands, their shapes, and the function by its name in LIBRARIES.
OPERATIONS = [
    ("numpy", "f4", "sum", [(40000,)]), ("numpy", "f4", "sum", [(1000000,)]),
    ("numpy", "f8", "dot", [(4096,), (4096,)]), ("numpy", "f8", "dot", [(12288,), (12288,)]),
    ("numpy", "f4", "matmul", [(8, 4096), (4096, 8)]), ("numpy", "f4", "matmul", [(512, 4096), (4096, 512)]),
    ("torch", "f4", "sum", [(4096,)]), ("torch", "f4", "sum", [(40000,)]),
    ("torch", "f4", "mean", [(4096,)]), ("torch", "f4", "mean", [(40000,)]),
    ("torch", "f4", "softmax", [(40000,)]), ("torch", "f4", "softmax", [(1000000,)]),
    ("torch", "f4", "matmul", [(8, 4096), (4096, 8)]), ("torch", "f4", "matmul", [(512, 4096), (4096, 512)]),
]
TYPES = {"f4": "fp32", "f8": "fp64"}


def functions():
    """{(library, name): function of arrays of numpy}"""
    import torch  # pylint: disable=import-outside-toplevel
    found = {("numpy", name): getattr(np, name) for name in ("sum", "dot", "matmul")}
    calls = {"sum": torch.sum, "mean": torch.mean, "matmul": torch.matmul, "softmax": lambda x: torch.softmax(x, 0)}
    return found | {("torch", name): (lambda *operands, call=call: call(*map(torch.from_numpy, operands)).numpy())
                    for name, call in calls.items()}


def size_of(shapes):
    """The extents of the sums: 4096, or 8x4096x8 for a product of matrices."""
    return "x".join(map(str, (*shapes[0], *shapes[-1][1:])))


def digests():
    """For each operation the digests of its results, in the threads of this process."""
    calls, found = functions(), []
    for library, kind, name, shapes in OPERATIONS:
        drawn = np.random.default_rng(1)
        results = (calls[library, name](*(drawn.standard_normal(shape).astype(kind) for shape in shapes)) for _ in range(ARRAYS))
        found.append([hashlib.sha256(np.asarray(result).tobytes()).hexdigest() for result in results])
    return found


def in_threads(count):
    done = subprocess.run([sys.executable, "-B", __file__, "--digests"], env={**os.environ, **dict.fromkeys(COUNTS, str(count))},
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def running_mean_differs():
    """For how many arrays torch's mean is not the running mean: each term moves it by its distance, divided by the number of terms."""
    import torch  # pylint: disable=import-outside-toplevel
    drawn, differ = np.random.default_rng(2), 0
    for _ in range(MEANS):
        x, mean = drawn.standard_normal(5).astype("f4"), np.float32(0)
        for count, term in enumerate(x, 1):
            mean = np.float32(mean + (term - mean) / np.float32(count))
        found = torch.native_layer_norm(torch.from_numpy(x), (5,), None, None, 1e-5)[1].numpy().reshape(())
        differ += found.tobytes() != mean.tobytes()
    return differ


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--versions", default=NOT_RECORDED, help="which libraries these are: \"numpy 2.4.6\"")
    parser.add_argument("--digests", action="store_true", help="print the digests of the results in the threads of this process")
    given = parser.parse_args()
    if given.digests:
        print(json.dumps(digests()))
        return
    one, two = in_threads(1), in_threads(2)
    run = {**this_run(given.versions), "command": "man/tables/library_threads.py"}
    rows = [(library, f"{name} {TYPES[kind]}", size_of(shapes), f"{sum(a != b for a, b in zip(in_one, in_two))} of {ARRAYS}")
            for (library, kind, name, shapes), in_one, in_two in zip(OPERATIONS, one, two)]
    order = placed({"library": ["numpy", "torch"], "operation": [row[1] for row in rows], "size": sorted({row[2] for row in rows}, key=lambda size: (len(size), size))})
    DATA.put("threads", rows, run, order, lambda row: True)
    DATA.put("running_means", [("torch", f"{MEANS:,}", f"{running_mean_differs():,}")], run, placed({}), lambda row: True)


if __name__ == "__main__":
    main()
