#!/usr/bin/env python3
"""Measures the rows of detcheck-lines(7): the test files of other projects, judged by the oracle.

    man/tables/lines_files.py DETCHECK [--versions TEXT] [--glibc FOLDER] [--libc-test FOLDER] [--tst FOLDER] [--core-math FOLDER]
        [--onnx FOLDER]

The folders are glibc's math (auto-libm-test-in, auto-libm-test-out-*), libc-test's src/math (sanity, special, crlibm, ucb),
Arm's math/test/testcases/directed (*.tst), one with CORE-MATH's files (*.wc, found in all
that is below), and one with ONNX's backend tests (test_NAME/test_data_set_0/*.pb). A project
whose folder is not given keeps its row.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

from measured import NOT_RECORDED, Data, placed, this_run

DATA = Data("lines")
PROJECTS = ("glibc-out", "libc-test", "tst", "onnx", "glibc", "core-math")
FORMATS = {"fp32": "f", "fp64": ""}
# Those without attributes, on tensors of the same shape; elu, selu and hardsigmoid have an alpha of their own there.
ONNX_OPERATIONS = ("acos acosh add asin asinh atan atanh ceil cos cosh div erf exp floor hardswish log mish mul pow reciprocal relu round sigmoid sin sinh "
                   "softplus softsign sqrt sub tan tanh").split()
ONNX_NAMES = {"reciprocal": "recip", "round": "rint"}  # where detcheck has another name
ONNX_ULPS = 2


def run(program, *words):
    return subprocess.run([program, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)


def operations(program):
    """Those of one result, which a line can hold."""
    found = json.loads(run(program, "list", "operations", "--json", "-").stdout)["operations"]
    return {one["name"] for one in found if len(one["results"]) == 1}


def judged(program, kind, path, *words):
    """Lines, tests, reasons and the wrong tests of a file."""
    done = run(program, "verify", path, "--as", kind, "--impl", "exact", "--flags", "--first", 1000, "--json", "-", *words)
    if "no test says which flags" in done.stderr:
        done = run(program, "verify", path, "--as", kind, "--impl", "exact", "--first", 1000, "--json", "-", *words)
    if done.returncode not in (0, 1) and "has no results for these options" not in done.stderr:
        sys.exit(f"{path}: {done.stderr}")
    note = re.search(r"([\d,]+) lines, ([\d,]+) tests(?:; left out: (.*))?$", done.stderr, re.MULTILINE)
    reasons = {why: int(count.replace(",", "")) for count, why in re.findall(r"([\d,]*\d) ([a-z ]+)", note[3] or "")} if note else {}
    document = json.loads(done.stdout) if done.stdout else {"tests": 0, "results": []}
    lines = int(note[1].replace(",", "")) if note else document["tests"]
    wrong = [f"{path.name}:{first['tcId']}" + (" (flags)" if "flags" in first else "")
             for row in document["results"] for first in row.get("first", [])]
    return lines, document["tests"], reasons, wrong


def together(parts):
    lines = tests = 0
    reasons, wrong = {}, []
    for one in parts:
        lines, tests = lines + one[0], tests + one[1]
        for why, count in one[2].items():
            reasons[why] = reasons.get(why, 0) + count
        wrong += one[3]
    return lines, tests, reasons, wrong


def of_glibc(program, folder, known):
    files = sorted(folder.glob("auto-libm-test-out-*"))
    names = {path: re.sub("^narrow-", "", path.name.removeprefix("auto-libm-test-out-")) for path in files}
    return [judged(program, "glibc-out", path, "--operation", name) for path, name in names.items() if name in known and path.stat().st_size]


def of_libc_test(program, folder, known):
    parts = []
    for path in sorted(folder.glob("*/*.h")):
        name = re.sub("_r$", "", path.stem)
        for form, suffix in FORMATS.items():
            if suffix == "" and name in known or suffix and name.endswith("f") and name[:-1] in known and name not in known:
                parts.append(judged(program, "libc-test", path, "--operation", name.removesuffix("f") if suffix else name, "-f", form))
    return parts


def of_onnx(program, folder):
    """What is wrong by more than ONNX_ULPS."""
    parts = []
    for test in sorted(folder.glob("test_*/test_data_set_0/output_0.pb")):
        name = re.sub("^test_|_example$", "", test.parts[-3])
        if name in ONNX_OPERATIONS:
            lines, tests, reasons, wrong = judged(program, "onnx", test, "--operation", ONNX_NAMES.get(name, name), "--max-ulp", ONNX_ULPS)
            parts.append((lines, tests, reasons, [one.replace(test.name, test.parts[-3]) for one in wrong]))
    return parts


def of_inputs(program, kind, path, name, form):
    """How many inputs a sweep takes from the file; 0 where it has none of the function."""
    done = run(program, "sweep", name, "-f", form, "--inputs", path, "--inputs-as", kind, "--impl", "exact", "--json", "-")
    if done.returncode and "holds no inputs" not in done.stderr:
        sys.exit(f"{path}: {done.stderr}")
    return json.loads(done.stdout)["results"][0]["inputs"]["count"] if done.stdout else 0


def by_file(wrong):
    """{(file, "the flags" or "the result"): lines}"""
    found = {}
    for one in wrong:
        file, line, flags = re.fullmatch(r"(.*):(\d+)( \(flags\))?", one).groups()
        found.setdefault((file, "the flags" if flags else "the result"), []).append(line)
    return {place: ", ".join(sorted(lines, key=int)) for place, lines in found.items()}


def put(kind, parts, versions):
    """Writes the row of a project, and its notes: which lines were left out, and which are wrong."""
    lines, tests, reasons, wrong = together(parts)
    counts = ("-", "-") if kind in ("glibc", "core-math") else (f"{sum(reasons.values()):,}", str(len(wrong)))
    notes = [(kind, "left out", f"{count:,} lines {why}") for why, count in sorted(reasons.items())]
    notes += [(kind, "wrong", f"{file}, {what} of line{'s' if ',' in at else ''} {at}") for (file, what), at in by_file(wrong).items()]
    row = (kind, str(len(parts)), f"{lines:,}", f"{tests:,}", *counts)
    for table, rows in (("files", [row]), ("notes", notes)):
        DATA.put(table, rows, this_run(versions), placed({"kind": PROJECTS}), lambda old: old["kind"] == kind)
    print(*row, *notes, sep="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    for name in ("--glibc", "--libc-test", "--tst", "--core-math", "--onnx"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--versions", default=NOT_RECORDED, help="which files these are: \"glibc of January 2026\"")
    given = parser.parse_args()
    known = operations(given.program)
    found = {}
    if given.glibc:
        found["glibc-out"] = of_glibc(given.program, given.glibc, known)
        path = given.glibc / "auto-libm-test-in"
        lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines() if line.strip() and line[0] != "#"]
        named = sorted({line[0] for line in lines})
        inputs = [of_inputs(given.program, "glibc", path, name, form) for name in named if name in known for form in FORMATS]
        found["glibc"] = [(sum(line[0] in known for line in lines), sum(inputs), {}, [])]
    if given.libc_test:
        found["libc-test"] = of_libc_test(given.program, given.libc_test, known)
    if given.tst:
        found["tst"] = [judged(given.program, "tst", path) for path in sorted(given.tst.glob("*.tst"))]
    if given.onnx:
        found["onnx"] = of_onnx(given.program, given.onnx)
    if given.core_math:
        parts = []
        for path in sorted(given.core_math.glob("**/*.wc")):
            form = "fp32" if path.stem.endswith("f") and path.stem[:-1] in known else "fp64"
            name = path.stem.removesuffix("f") if form == "fp32" else path.stem
            if name in known:
                lines = [line.split("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines()]
                parts.append((sum(map(bool, lines)), of_inputs(given.program, "core-math", path, name, form), {}, []))
        found["core-math"] = parts
    for kind, parts in found.items():
        put(kind, parts, given.versions)


if __name__ == "__main__":
    sys.exit(main())
