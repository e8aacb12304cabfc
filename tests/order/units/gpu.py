#!/usr/bin/env python3
"""Holds the rows of a matrix unit to the GPU of this machine: some ten minutes, of which nvcc takes one.

    tests/order/units/gpu.py DETCHECK UNIT [--impl NAME] [--calls N]

UNIT is a name of detcheck-units(7). mma_adapter.cu is compiled and asked (--impl: something else is); all families of inputs
are multiplied, in every format that the adapter and the unit share, single calls of the unit and chains of them. Exits with 1 where
an element differs; what the unit does not have is listed as not provided, and counts as nothing.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ADAPTER = pathlib.Path(__file__).resolve().parents[3] / "src/impl/adapters/mma_adapter.cu"
FORMATS = ("fp16", "bf16", "tf32", "fp8_e4m3fn", "fp8_e5m2")
RESULTS = {"fp32": ("--dtype", "fp32"), "fp16": ("--dtype", "fp16", "--accumulate", "fp16")}
# One call of every length, and chains.
SHAPES = ["16x%dx8" % inner for inner in (1, 4, 8, 16, 32)] + ["64x33x24", "64x256x64", "32x1000x40"]


def compare(program, unit, other, format_, result, shape, calls):
    """Elements, those that differ and the first of them; None where one of the two does not provide it."""
    words = [program, "sweep", "matmul", "-f", format_, *RESULTS[result], "--shape", shape, "--samples", str(calls), "--impl", unit,
             "--impl", other, "--json", "-"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode == 2 and "nothing was tested" not in done.stderr:
        sys.exit(done.stderr)
    results = json.loads(done.stdout)["results"] if done.stdout else []
    pairs = [(r["implementations"], r["differences"]) for r in results if all(i["provided"] for i in r["implementations"])]
    if not pairs:
        return None
    first = [d for _, differences in pairs for one in differences for d in one["first"]]
    return (sum(i[0]["tested"] for i, _ in pairs), sum(one["count"] for _, differences in pairs for one in differences), first[:1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("unit")
    parser.add_argument("--impl")
    parser.add_argument("--calls", type=int, default=5)
    given = parser.parse_args()
    wrong = elements = 0
    with tempfile.TemporaryDirectory() as folder:
        if not given.impl:
            built = f"{folder}/mma_adapter"
            subprocess.run(["nvcc", "-O2", "-std=c++17", "-arch=native", ADAPTER, "-o", built], check=True)
            given.impl = "exec:" + built
        for format_ in FORMATS:
            for result in RESULTS:
                found = [compare(given.program, "mma:" + given.unit, given.impl, format_, result, shape, given.calls)
                         for shape in SHAPES]
                known = [one for one in found if one]
                if not known:
                    print(f"{given.unit} {format_} to {result}: not provided")
                    continue
                tested, differ = sum(one[0] for one in known), sum(one[1] for one in known)
                print(f"{given.unit} {format_} to {result}: {differ} of {tested} elements differ",
                      next((json.dumps(one[2][0]) for one in known if one[2]), ""), flush=True)
                elements, wrong = elements + tested, wrong + differ
    print(f"{wrong} of {elements} elements differ")
    sys.exit(wrong > 0 or not elements)


if __name__ == "__main__":
    main()
