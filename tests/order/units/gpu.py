#!/usr/bin/env python3
"""Holds the rows of a matrix unit to the GPU of this machine, and reveals what cuBLAS does there: ten minutes at most, of which
nvcc takes one. By mma.sync, on compute capability 9.0 by wgmma too; where there is no nvcc, hipcc compiles the same file for MFMA.

    tests/order/units/gpu.py DETCHECK UNIT [--impl NAME] [--blas NAME] [--calls N] [--probes]

UNIT is a name of detcheck-units(7). mma_adapter.cu is compiled and asked (--impl: something else is); all families of inputs
are multiplied, in every format that the adapter and the unit share, single calls of the unit and chains of them: some 400,000
elements of each format. Calls that decide what no published case does (detcheck-units-evidence(7), What stays open) come first, alone with
--probes. Then `detcheck reveal` looks for the orders of cuBLAS (cublas_adapter.cu; --blas: of something else) at ten shapes, for half a minute each; what it
says is printed and decides nothing. Exits with 1 where an element of the unit differs; what the unit does not have is listed as not
provided, and counts as nothing.
"""
import argparse
import itertools
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

ADAPTERS = pathlib.Path(__file__).resolve().parents[3] / "src/impl/adapters"
FORMATS = ("fp16", "bf16", "tf32", "fp8_e4m3fn", "fp8_e5m2", "fp8_e4m3fnuz", "fp8_e5m2fnuz")
RESULTS = {"fp32": ("--dtype", "fp32"), "fp16": ("--dtype", "fp16", "--accumulate", "fp16")}
# One call of every length, and chains.
SHAPES = ["16x%dx8" % inner for inner in (1, 4, 8, 16, 32)] + ["64x33x24", "64x256x64", "32x1000x40"]

# Rows, terms and columns that cuBLAS has kernels of its own for: vectors, small and large tiles, and long sums that it splits.
REVEALED = [("fp16", "16x64x8"), ("fp16", "64x256x64"), ("fp16", "256x512x256"), ("fp16", "16x4096x16"), ("fp16", "1x512x256"),
            ("bf16", "64x256x64"), ("bf16", "128x1024x128"), ("tf32", "64x256x64"), ("fp32", "64x256x64"), ("fp32", "16x4096x16")]
PATIENCE = 30  # seconds for each


def probes(bits):
    """(format, result, c, products, {what is left where the row is wrong: why}); c is a product too, of the call before. `bits` are
    those that the row keeps in alignment."""
    return [
        ("bf16", "fp32", None, [(-70, -70)], {0.0: "subnormal results are flushed"}),
        ("bf16", "fp32", None, [(-75, -74), (-77, -76, "-")], {2.0**-149: "c = 0 counts with the exponent -126 in alignment"}),
        ("bf16", "fp32", None, [(-75, -74), (-80, -80, "-")],
         {0.0: "there is no least exponent of alignment, or subnormal results are flushed"}),
        ("bf16", "fp32", None, [(-15, -15), (None, 127)], {0.0: "a product with 0 counts in alignment"}),
        ("fp16", "fp16", (0, 0), [(-5, -6), (-12, -bits + 11)], {1 + 2.0**-10: "more bits are kept in alignment"}),
        ("fp16", "fp16", (-11, -12), [(-12, -13), (-24, -bits + 9)],
         {3 * 2.0**-24: "more bits are kept in alignment, or a subnormal c counts with its own exponent"}),
    ]


def architecture():
    """wgmma is of sm_90a alone, which is not what native is."""
    if not shutil.which("nvidia-smi"):
        return "native"
    asked = subprocess.run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], capture_output=True, text=True, check=False)
    return "sm_90a" if asked.stdout.split()[:1] == ["9.0"] else "native"


def built(folder, name, *libraries):
    if not shutil.which("nvcc") and not shutil.which("hipcc"):
        sys.exit("neither nvcc nor hipcc is here; --impl names what answers in a GPU's place")
    source, to = ADAPTERS / f"{name}.cu", f"{folder}/{name}"
    compiler = ["nvcc", f"-arch={architecture()}"] if shutil.which("nvcc") else ["hipcc", "-x", "hip", "--offload-arch=native"]
    subprocess.run([*compiler, "-O2", "-std=c++17", source, *libraries, "-o", to], check=True)
    return f"exec:{to}"


def adapters(folder):
    """The names of the adapter, one for each kind of instructions that this device has."""
    command = built(folder, "mma_adapter")
    if not shutil.which("nvcc"):
        return [command]
    return [f"{command} mma.sync"] + [f"{command} wgmma"] * (architecture() == "sm_90a")


def reveal(program, blas):
    """Prints what is found of each shape; returns for how many anything was."""
    found = 0
    for format_, shape in REVEALED:
        rows, terms, columns = shape.split("x")
        words = [program, "reveal", "matmul", "-f", format_, "--dtype", "fp32", "--shape", f"{rows}x1x{columns}", "--lengths", terms,
                 "--impl", blas]
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            print(f"cuBLAS {format_} {shape}: nothing in {PATIENCE} seconds", flush=True)
            continue
        found += done.returncode in (0, 1)
        print(f"cuBLAS {format_} {shape}: {(done.stdout or done.stderr).strip()}", flush=True)
    print(f"reveal ended for {found} of {len(REVEALED)} shapes")
    return found


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


def code(value, format_):
    if format_ == "fp16":
        return "0x%04x" % struct.unpack("<H", struct.pack("<e", value))
    whole, = struct.unpack("<I", struct.pack("<f", value))
    return "0x%08x" % whole if format_ == "fp32" else "0x%04x" % (whole >> 16)


def probe(program, unit, other, bits):
    """Prints which reading of what stays open an implementation's answers are; returns how many are neither the row's nor a known one's."""
    unknown = 0
    for format_, result, c, products, readings in probes(bits):
        a, b = [0.0] * 32, [0.0] * 32
        for at, (x, y, *sign) in [(0, c or (None, 0))] + list(enumerate(products, 16)):
            a[at], b[at] = 0.0 if x is None else 2.0**x, -2.0**y if sign else 2.0**y
        words = [program, "eval", "matmul", "-f", format_, *RESULTS[result], "--shape", "1x32x1", "--impl", "mma:" + unit,
                 "--impl", other, "--json", "-", *(code(x, format_) for x in a + b)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        what = f"{format_} to {result}" + (f", c = 2^{sum(c)}" if c else "") + "".join(
            f", {'-' if sign else ''}{'0' if x is None else f'2^{x}'} * 2^{y}" for x, y, *sign in products)
        elements = json.loads(done.stdout)["results"][0]["elements"] if done.stdout else []
        answers = [one.get("got") for one in elements[0]["implementations"]] if elements else [None]
        row, found = answers[0], answers[-1]
        known = {code(value, result): why for value, why in readings.items()}
        if not row or not found:
            print(f"probe {what}: not provided")
            continue
        unknown += found != row and found not in known
        reading = "as the row" if found == row else known.get(found, f"no known reading; the row has {row}")
        print(f"probe {what}: {found}, {reading}", flush=True)
    return unknown


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("unit")
    parser.add_argument("--impl")
    parser.add_argument("--blas")
    parser.add_argument("--calls", type=int, default=5)
    parser.add_argument("--probes", action="store_true")
    given = parser.parse_args()
    wrong = elements = 0
    with tempfile.TemporaryDirectory() as folder:
        others = [given.impl] if given.impl else adapters(folder)
        bits = 23 if given.unit == "v100" else 24 if given.unit in ("a100", "a2", "ada", "l40s") else 25
        unknown = sum(probe(given.program, given.unit, other, bits) for other in others)
        if given.probes:
            sys.exit(unknown > 0)
        if not given.impl and not given.blas and shutil.which("nvcc"):
            given.blas = built(folder, "cublas_adapter", "-lcublas")
        for other, format_, result in itertools.product(others, FORMATS, RESULTS):
            found = [compare(given.program, "mma:" + given.unit, other, format_, result, shape, given.calls) for shape in SHAPES]
            known = [one for one in found if one]
            what = f"{given.unit} {format_} to {result}" + (f" by {other.split()[-1]}" if " " in other else "")
            if not known:
                print(f"{what}: not provided")
                continue
            tested, differ = sum(one[0] for one in known), sum(one[1] for one in known)
            print(f"{what}: {differ} of {tested} elements differ", next((json.dumps(one[2][0]) for one in known if one[2]), ""),
                  flush=True)
            elements, wrong = elements + tested, wrong + differ
        if given.blas:
            reveal(given.program, given.blas)
    print(f"{wrong} of {elements} elements differ")
    sys.exit(wrong > 0 or not elements)


if __name__ == "__main__":
    main()
