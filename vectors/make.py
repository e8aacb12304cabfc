#!/usr/bin/env python3
"""Makes the vectors in this folder, or in another one:

    vectors/make.py build/release/detcheck [FOLDER [NAME...]]

NAME is a file to make, such as fp16/exp.json; those of det (exp.det.json) take the inputs of the
others in the same folder. Without names all are made, which takes some ten minutes, since for fp32 all
inputs of each function are searched for the hardest.
The same bytes come out every time, on any machine and with any number of processors (with another
version of MPFR the line "oracle" says so).
"""

import json
import os
import subprocess
import sys

# The folder of each file, the formats in it, and the count that keeps it below 1 MiB.
FORMATS = (("fp32", "fp32", 280), ("fp16", "fp16", 100), ("bf16", "bf16", 100),
           ("fp8", "fp8_e4m3fn,fp8_e4m3fnuz,fp8_e5m2,fp8_e5m2fnuz", 64))

# Of casts a file for each target and profile, with a group for each of these sources: of the targets of 16
# bits fp64 too, where whoever goes by way of fp32 rounds twice.
SOURCES, WIDE_SOURCES = "fp32,fp16,bf16", "fp64,fp32,fp16,bf16"
WIDE = ("fp16", "bf16")
OCP = ("fp8_e4m3fn", "fp8_e5m2")
FLOAT8 = ("fp8_e4m3fn", "fp8_e4m3fnuz", "fp8_e5m2", "fp8_e5m2fnuz")
SMALL = (*FLOAT8, "fp8_e4m3", "fp8_e3m4", "fp8_e4m3b11fnuz", "fp8_e8m0fnu", "fp6_e2m3fn", "fp6_e3m2fn",
         "fp4_e2m1fn")
# A profile, its targets, and the count: all numbers of fp8 once; profiles part only at the ends.
CASTS = (("ieee", SMALL, 128), ("saturate", SMALL, 12), ("onnx-19", FLOAT8, 12),
         ("onnx-19-unsaturated", FLOAT8, 12), ("onnx-24", (*FLOAT8, "fp4_e2m1fn", "fp8_e8m0fnu"), 12),
         ("onnx-24-unsaturated", (*FLOAT8, "fp4_e2m1fn", "fp8_e8m0fnu"), 12),
         ("ocp", (*OCP, "fp6_e2m3fn", "fp6_e3m2fn", "fp4_e2m1fn"), 12), ("ocp-unsaturated", OCP, 12),
         ("ml_dtypes", SMALL, 12), ("ieee", WIDE, 128), ("saturate", WIDE, 12), ("ml_dtypes", ("bf16",), 12))

# Vectors of dyadic and scaled operations: the command's further words.
SCALED = "scaled.add scaled.sub scaled.mul scaled.div scaled.max scaled.min scaled.relu scaled.reduce_max"
ARITHMETIC = {
    "dyadic.json": "dyadic -f int8,int32 -r nearest-even,down --s1 3 --s2 1 --target 2 --q 2 --p 3 "
                   "--bits 6 --shape 16",
    "dyadic-stochastic.json": "dyadic.align dyadic.requantise dyadic.mul -f int16 --s1 3 --target 1 --q 2 "
                              "--stochastic 7 --shape 16",
    "scaled.json": f"{SCALED} -f fp8_e4m3fn,fp16 --per row --shape 3x4 --distribution signs -n 4",
    "scaled-power.json": f"{SCALED} -f fp8_e5m2,bf16 --per row --shape 3x4 --scale power "
                         "--distribution signs -n 4",
    "scaled-matmul.json": "scaled.matmul -f fp8_e4m3fn,fp16 --per row --shape 3x5x2",
    "scaled-convert.json": "scaled.cast scaled.rebalance -f fp16 --to fp8_e4m3fn --per row --shape 3x4 -n 4",
    "scaled-squares.json": "scaled.rebalance -f fp16,fp32 --to fp8_e5m2 --by squares --per row --shape 3x8 -n 2",
    "scaled-softmax.json": "scaled.softmax -f fp8_e4m3fn,fp16 --per row --shape 3x6 -n 2",
    "scaled-gelu.json": "scaled.gelu -f fp8_e5m2,bf16 --per row --shape 3x6 -n 2",
}



# MX blocks: a file for each profile and its formats.
ELEMENTS = ("mxfp8_e5m2", "mxfp8_e4m3", "mxfp6_e3m2", "mxfp6_e2m3", "mxfp4_e2m1", "mxint8")
BLOCKS = {"ocp": ELEMENTS, "ocp-up": ELEMENTS, "microxcaling": ELEMENTS, "torchao-floor": ELEMENTS[:5],
          "torchao-ceil": ELEMENTS[:5], "torchao-even": ELEMENTS[:5], "torchao-rceil": ELEMENTS[:5],
          "transformer-engine": ELEMENTS[:2]}


def run(program, *words):
    return subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False)


def operations(program):
    """The names of the operations that det has."""
    rows = json.loads(run(program, "list", "operations", "--json", "-").stdout)["operations"]
    names = [row["name"] for row in rows if not row["parameters"]]
    return [name for name in names
            if run(program, "emit", name, "-f", "fp8_e5m2", "-n", "1", "-e", "det").returncode == 0]


def blocks():
    """Each row of 40 numbers is a block of 32 and one of 8, each of another kind."""
    found = {}
    for profile, elements in BLOCKS.items():
        sources = SOURCES if profile == "ocp" else "fp32"
        for element in elements:
            found[f"mx/{element}.{profile}.json"] = [
                "mx.quantise", "--from", sources, "--to", element, "--profile", profile, "--shape", "13x40",
                "--distribution", "mixed", "-n", "1"]
    for target in ("fp32", "bf16"):
        found[f"mx/dequantise.{target}.json"] = ["mx.dequantise", "--from", ",".join(ELEMENTS), "--to", target,
                                                 "--shape", "32x32", "-n", "1"]
    return found


def arithmetic():
    return {**{file: words.split() for file, words in ARITHMETIC.items()}, **blocks()}


def files(program):
    """{"fp32/exp.json": the command's further words}, in the order of the table of operations."""
    found = {}
    for name in operations(program):
        for folder, formats, count in FORMATS:
            # The same inputs for both, so that fp32 is searched once.
            first = f"{folder}/{name}.json"
            found[first] = [name, "-f", formats, "-n", str(count)]
            found[f"{folder}/{name}.det.json"] = [name, "-f", formats, "-e", "det", "--inputs-of", first]
    for profile, targets, count in CASTS:
        for target in targets:
            found[f"cast/{target}.{profile}.json"] = ["cast", "--from", WIDE_SOURCES if target in WIDE else SOURCES,
                                                      "--to", target, "--profile", profile, "-n", str(count)]
    return found


def main(program, folder=os.path.dirname(os.path.abspath(__file__)), *names):
    program = os.path.abspath(program)
    known = arithmetic()
    if not names or not set(names) <= set(known):
        known.update(files(program))
    for name in names or known:
        if name not in known:
            sys.exit(f"make.py: there is no {name}; there are {', '.join(known)}")
        os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
        subprocess.run([program, "emit", *known[name], "-o", name], cwd=folder, check=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
