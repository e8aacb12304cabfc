#!/usr/bin/env python3
"""Measures the rows of detcheck-library-flags(7): which exception flags functions of glibc, musl and SLEEF raise in fp32
that they may not raise, do not raise and have to, or clear, in four roundings.

    man/tables/library_flags.py DETCHECK [--samples N] [--libraries NAME,...] [FUNCTION...]

Without --samples all of fp32 is judged, which takes hours; of functions of two operands always samples are, 2^24 unless
--samples says other. Whether calls are inexact, which Annex F of C leaves open, and whether they clear a flag that was
set, is told of 2^22 samples then: to look for that takes twice the time. Functions and libraries that are not named keep
their lines. The data file is written after each function, so that several of these commands can run at once.
MUSL is the shared library of musl, where it is not in Debian's place.
"""
import argparse
import json
import os
import re
import shlex
import subprocess

from library_page import answer, spelled, versions_of
from measured import Data, placed, this_run

DATA = Data("library-flags")
PAIRS = ("pow", "atan2", "hypot", "fmod")
FUNCTIONS = """exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt sqrt
erf erfc tgamma lgamma""".split() + list(PAIRS)
ROUNDINGS = ("nearest-even", "toward-zero", "up", "down")
LIBRARIES = ("glibc", "musl", "SLEEF")
MUSL = os.environ.get("MUSL", "/usr/lib/x86_64-linux-musl/libc.so")
RUN_LENGTH, SAMPLES, INEXACT_SAMPLES = 64, 1 << 24, 1 << 22
OF_SAMPLES = "inexact, cleared"  # faults of which samples are judged where all other ones are of all inputs


def implementation(program, library, name):
    """Of a function of a library, and what the library says it is; None where it has none. SLEEF's own kind is for nearest-even alone, and for the processor's
    largest vectors: its function for AVX2 is called instead."""
    kind = {"glibc": "libm", "musl": "lib:" + MUSL, "SLEEF": "sleef"}[library]
    found = answer(program, name, kind, "fp32")
    if not found or library != "SLEEF":
        return (kind, found.get("detail", library)) if found else None
    file, symbol = found["detail"].split(", ")
    return f"lib:{file}:" + re.sub(r"f16_(.*)avx512f$", r"f8_\1avx2", symbol) + ",vector", file


def sweep(program, name, impls, inputs):
    """[(library, rounding, flags)]"""
    words = [program, "sweep", name, "-f", "fp32", "-r", ",".join(ROUNDINGS), *inputs, "--flags", "--json", "-"]
    words += [word for impl in impls.values() for word in ("--impl", impl)]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=False)
    report = json.loads(done.stdout) if done.returncode < 2 else {"complete": False}
    if not report["complete"]:
        raise SystemExit(f"{shlex.join(words)}: exit {done.returncode}")
    return [(library, result["rounding"], one["flags"]) for result in report["results"]
            for library, one in zip(impls, result["implementations"]) if one["provided"]]


def drawn(samples):
    """The sweeps that stand for all inputs."""
    return [["--inexact", "--samples", str(samples), "--run-length", str(RUN_LENGTH)], ["--inexact", "--special"]]


def judge(program, name, libraries, samples):
    """{library: (inputs of each rounding, of how many faults of samples are, which those are, its faults, what it says it is)} of the
    libraries that have the function."""
    impls = {library: implementation(program, library, name) for library in libraries}
    told = {library: one[1] for library, one in impls.items() if one}
    impls = {library: one[0] for library, one in impls.items() if one}
    samples = samples or (SAMPLES if name in PAIRS else 0)
    sweeps = drawn(samples) if samples else [["--all", "--may-clear"], *drawn(INEXACT_SAMPLES)]
    lines, inputs = {}, dict.fromkeys(impls, 0)
    for words in sweeps if impls else ():
        drawn_ones, of_others = "--inexact" in words, samples or "--all" in words
        rows = sweep(program, name, impls, words)
        for library in impls if drawn_ones else ():
            inputs[library] += max(flags.get("calls", 0) for one, _, flags in rows if one == library)
        for library, rounding, flags in rows:
            for fault in flags.get("faults", ()):
                of_samples = fault["flag"] == "inexact" or fault["fault"] == "cleared"
                if not (drawn_ones if of_samples else of_others):
                    continue
                line = lines.setdefault((library, fault["flag"], fault["fault"]),
                                        {"counts": dict.fromkeys(ROUNDINGS, 0), "first": (rounding, fault["first"])})
                line["counts"][rounding] += fault["count"]
    faults = {library: [(library, name, flag, fault, *map(str, line["counts"].values()), f"{line['first'][0]} {spelled(line['first'][1]['input'])}")
                        for (one, flag, fault), line in lines.items() if one == library] for library in impls}
    return {library: ((f"{count:,}" if samples else "all", f"{count:,}", "" if samples else OF_SAMPLES), faults[library], told[library])
            for library, count in inputs.items()}


def order():
    """Flags and faults as they were found."""
    return placed({"function": FUNCTIONS}, {"library": LIBRARIES})


def put(name, library, inputs, faults, versions):
    """Writes what was found of a function of a library."""
    run = this_run(versions)
    for table, rows in (("inputs", [(library, name, *inputs)]), ("faults", faults)):
        DATA.put(table, rows, run, order(), lambda row: (row["library"], row["function"]) == (library, name))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--samples", type=int, default=0, help="judge N inputs of each function, and special ones")
    parser.add_argument("--libraries", type=lambda names: names.split(","), default=LIBRARIES, help="judge these, of "
                        + ",".join(LIBRARIES))
    parser.add_argument("functions", nargs="*", default=FUNCTIONS)
    given = parser.parse_intermixed_args()
    unknown = {*given.libraries} - {*LIBRARIES} | {*given.functions} - {*FUNCTIONS}
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: the libraries are {', '.join(LIBRARIES)}, the functions "
                     + ", ".join(FUNCTIONS))
    program = os.path.abspath(given.program)
    for name in given.functions:
        found = judge(program, name, given.libraries, given.samples)
        lost = {row["library"] for row in DATA.rows("inputs") if row["function"] == name} & {*given.libraries} - {*found}
        if lost:
            raise SystemExit(f"{name}: the manual has it of {', '.join(sorted(lost))}, which {program} does not find")
        for library, (inputs, faults, detail) in found.items():
            put(name, library, inputs, faults, versions_of(program, detail))
            print(name, library, *inputs, len(faults), flush=True)


if __name__ == "__main__":
    main()
