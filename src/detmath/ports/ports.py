#!/usr/bin/env python3
"""Writes det's functions in fp32 in other languages, a file each: JavaScript, Java, Go, Rust, WGSL, GLSL, WebAssembly; and
det's and cr's in fp64 (ports_f64.py).

    ports.py [--clang CLANG] [--wasm] FOLDER

clang compiles the kernels to LLVM's intermediate language, in which there are no loops and no contracted sums left;
these steps are written down in each language as they are. So a port is what the kernels are, and no second
description. With --wasm, clang makes detmath.wasm too, of the headers themselves.
"""
import argparse
import pathlib
import re
import subprocess

import llvm
import ports_f64
from languages import LANGUAGES
from lower import Lowering

HERE = pathlib.Path(__file__).resolve().parent
FUNCTIONS = re.findall(r"^FUNCTION\((\w+)\)", (HERE / "functions.inc").read_text(encoding="ascii"), re.MULTILINE)
# A processor with a fused sum and without registers of 64 bits, on which pairs of words stay two words.
OPTIONS = """--target=i686-linux-gnu -msse2 -mfpmath=sse -mfma -ffreestanding -fno-builtin -O2 -ffp-contract=off
    -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -S -emit-llvm -o -""".split()
WASM = """--target=wasm32 -ffreestanding -nostdlib -O2 -ffp-contract=off -Wl,--no-entry -Wl,--strip-all""".split()
ABOUT = """det's functions of detmath in fp32: the same bits on every machine.
Written by detmath's ports.py from the kernels; do not edit. `detcheck sweep` proves it: detcheck-ports(7).
Copyright and license are those of detcheck.""".splitlines()


def run(words, **given):
    """What clang writes; what it says where it fails is one line."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **given)
    if done.returncode:
        said = next((line for line in done.stderr.splitlines() if "error" in line), f"exit status {done.returncode}")
        llvm.fail(f"{words[0]} fails, where clang 14 and 19 do not: {said}")
    return done.stdout


def compile_kernels(clang):
    return run([clang, *OPTIONS, HERE / "kernels.c"])


def write_port(language, functions, tables):
    names = {name: re.sub(r"^port_helper_|^detmath_", "", name) for name in functions}
    texts, wanted, used = {}, [f"port_function_{name}" for name in FUNCTIONS], set()
    while wanted:
        name = wanted.pop()
        if name in texts:
            continue
        one, public = Lowering(language, functions[name], names), name.startswith("port_function_")
        called = language.function_name(name.removeprefix("port_function_")) if public else language.helper_name(names[name])
        texts[name] = one.lines(called, public)
        wanted += one.needed
        used |= one.tables
    # What is called stands before what calls it, which GLSL wants.
    placed = []

    def place(name):
        if name not in placed:
            for other in functions:
                if other != name and other in texts and re.search(rf"\b{language.helper_name(names[other])}\(", texts[name]):
                    place(other)
            placed.append(name)

    for name in functions:
        if name in texts:
            place(name)
    parts = [language.table(language.table_name(name), tables[name]) for name in sorted(used)] + [texts[name] for name in placed]
    return language.file(ABOUT, parts, [language.function_name(name) for name in FUNCTIONS])


def write_wasm(clang, path):
    source = '#include "all.h"\n' + "".join(f"float {name}f(float x) {{ return detmath_{name}f(x); }}\n" for name in FUNCTIONS)
    exports = [f"-Wl,--export={name}f" for name in FUNCTIONS]
    run([clang, *WASM, *exports, "-I", HERE.parent, "-x", "c", "-", "-o", path], input=source)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clang", default="clang")
    parser.add_argument("--wasm", action="store_true")
    parser.add_argument("folder", type=pathlib.Path)
    given = parser.parse_args()
    functions, tables = llvm.read(compile_kernels(given.clang))
    for language in LANGUAGES:
        path = given.folder / language.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(write_port(language, functions, tables), encoding="ascii")
    ports_f64.write(lambda words: run([given.clang, *words]), given.folder, given.wasm)
    if given.wasm:
        write_wasm(given.clang, given.folder / "detmath.wasm")


if __name__ == "__main__":
    try:
        main()
    except OSError as problem:
        llvm.fail(f"{problem.filename}: {problem.strerror}")
