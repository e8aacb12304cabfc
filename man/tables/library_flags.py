#!/usr/bin/env python3
"""Writes the table of detcheck-library-flags(7): which exception flags functions of glibc, musl and SLEEF raise in fp32
that they may not raise, do not raise and have to, or clear, in four roundings.

    man/tables/library_flags.py DETCHECK [--samples N] [--libraries NAME,...] [FUNCTION...]

Without --samples all of fp32 is judged, which takes hours; of functions of two operands always samples are, 2^24 unless
--samples says other. Whether calls are inexact, which Annex F of C leaves open, and whether they clear a flag that was
set, is told of 2^22 samples then: to look for that takes twice the time. Functions and libraries that are not named keep
their lines. The page is written after each function, so that several of these commands can run at once.
MUSL is the shared library of musl, where it is not in Debian's place.
"""
import argparse
import json
import os
import re
import shlex
import subprocess

from library_page import Page, answer, spelled

PAGE = Page("detcheck-library-flags.7", "library_flags.py")
PAIRS = ("pow", "atan2", "hypot", "fmod")
FUNCTIONS = """exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt sqrt
erf erfc tgamma lgamma""".split() + list(PAIRS)
ROUNDINGS = ("nearest-even", "toward-zero", "up", "down")
LIBRARIES = ("glibc", "musl", "SLEEF")
MUSL = os.environ.get("MUSL", "/usr/lib/x86_64-linux-musl/libc.so")
RUN_LENGTH, SAMPLES, INEXACT_SAMPLES = 64, 1 << 24, 1 << 22
ALL_BUT = "all, for inexact and cleared "


def implementation(program, library, name):
    """Of a function of a library; None where it has none. SLEEF's own kind is for nearest-even alone, and for the processor's
    largest vectors: its function for AVX2 is called instead."""
    kind = {"glibc": "libm", "musl": "lib:" + MUSL, "SLEEF": "sleef"}[library]
    found = answer(program, name, kind, "fp32")
    if not found or library != "SLEEF":
        return kind if found else None
    file, symbol = found["detail"].split(", ")
    return f"lib:{file}:" + re.sub(r"f16_(.*)avx512f$", r"f8_\1avx2", symbol) + ",vector"


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
    """Of a function: how many inputs each library had in each rounding, where it has the function, and the lines."""
    impls = {library: implementation(program, library, name) for library in libraries}
    impls = {library: impl for library, impl in impls.items() if impl}
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
    table = [[name, library, flag, fault, *map(str, line["counts"].values()), line["first"][0],
              spelled(line["first"][1]["input"])] for (library, flag, fault), line in lines.items()]
    return {library: f"{'' if samples else ALL_BUT}{count:,}" for library, count in inputs.items()}, table


def read_table():
    """{function: ({library: inputs}, lines)} as the page has it."""
    text, table = PAGE.read(), {}
    of_library = r"(?:all|all, for [a-z ]+ [\d,]+|[\d,]+)"
    for name, inputs in re.findall(rf"^\.It (\w+)\n(\w+: {of_library}(?:; .*)?)\.$", text, re.MULTILINE):
        table[name] = (dict(one.split(": ") for one in inputs.split("; ")), [])
    for line in text.splitlines():
        words = line.split(None, 9)
        if len(words) == 10 and words[0] in table and words[1] in LIBRARIES:
            table[words[0]][1].append(words)
    return table


def with_news(old, new, libraries):
    """What the page has of a function, with what was found anew of these libraries."""
    inputs = {library: (new if library in libraries else old)[0].get(library) for library in LIBRARIES}
    lines = [line for line in old[1] if line[1] not in libraries] + new[1]
    return ({library: count for library, count in inputs.items() if count},
            sorted(lines, key=lambda line: LIBRARIES.index(line[1])))


def write_table(table):
    headings = ["", "", "", "", "nearest", "zero", "up", "down", "first in", "at"]
    shown = [name for name in FUNCTIONS if name in table]
    rows = [headings] + [row for name in shown for row in table[name][1]]
    widths = [max(len(row[at]) for row in rows) for at in range(9)]
    lines = [" ".join(f"{word:>{width}}" if 4 <= at < 8 else f"{word:{width}}"
                      for at, (word, width) in enumerate(zip(row, [*widths, 0]))).rstrip() for row in rows]
    clean = {library: [name for name in shown if library in table[name][0]
                       and not any(row[1] == library for row in table[name][1])] for library in LIBRARIES}
    text = ".Bd -literal\n" + "\n".join(lines) + "\n.Ed\n.Ss Nothing was found\n.Bl -tag -width Ds -compact\n"
    text += "".join(f".It {library}\n{', '.join(names) or 'none'}.\n" for library, names in clean.items())
    text += ".El\n.Ss The inputs\nHow many each library had of each function in each rounding:\n.Bl -tag -width Ds -compact\n"
    inputs = {name: "; ".join(f"{library}: {count}" for library, count in table[name][0].items()) for name in shown}
    text += "".join(f".It {name}\n{inputs[name]}.\n" for name in shown) + ".El\n"
    PAGE.write(text)


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
        inputs, lines = judge(program, name, given.libraries, given.samples)
        table = read_table()  # anew, since another of these commands may have written meanwhile
        old = table.get(name, ({}, []))
        lost = {*given.libraries} & {*old[0]} - {*inputs}
        if lost:
            raise SystemExit(f"{name}: the page has it of {', '.join(sorted(lost))}, which {program} does not find")
        table[name] = with_news(old, (inputs, lines), given.libraries)
        write_table(table)
        print(name, inputs, len(lines), flush=True)


if __name__ == "__main__":
    main()
