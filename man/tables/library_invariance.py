#!/usr/bin/env python3
"""Writes the table of detcheck-library-invariance(7): which properties change the bits of which libraries.

    man/tables/library_invariance.py DETCHECK [--python PYTHON] [--intel FOLDER] [--opencl PROGRAM] [--samples N]
                                [--libraries NAME,...] [FUNCTION...]

PYTHON has numpy and JAX; FOLDER has libimf.so and libsvml.so, such as those of the package intel-cmplr-lib-rt; PROGRAM is
the adapter for OpenCL, compiled. N inputs of each function are tested (4096), or all of up to 16 bits with N = 0. What is
not named keeps its lines.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import textwrap

from library_page import ROOT, Page, spelled

PAGE = Page("detcheck-library-invariance.7", "library_invariance.py")
FUNCTIONS = "exp log sin tan tanh cbrt".split()
ADAPTERS = pathlib.Path(ROOT) / "src/impl/adapters"


def python(script):
    return lambda given, name: f"exec:{given.python} -B {ADAPTERS / script}" if given.python else None


# How a library's function is called, and the formats. Those that end in None are not there.
LIBRARIES = {
    "det": (lambda given, name: "det", ("fp16", "bf16", "fp32")),
    "cr": (lambda given, name: "cr", ("fp16", "bf16", "fp32")),
    "glibc": (lambda given, name: "libm", ("fp16", "fp32", "fp64")),
    "libmvec": (lambda given, name: "libmvec", ("fp32", "fp64")),
    "SLEEF": (lambda given, name: "sleef", ("fp32", "fp64")),
    "libimf": (lambda given, name: "lib:libimf.so" if given.intel else None, ("fp32", "fp64")),
    "SVML": (lambda given, name: f"lib:libsvml.so:__svml_{name}f16,vector" if given.intel else None, ("fp32",)),
    "numpy": (python("numpy_adapter.py"), ("fp16", "fp32", "fp64")),
    "JAX": (python("jax_adapter.py"), ("bf16", "fp32")),
    "OpenCL": (lambda given, name: f"exec:{given.opencl}" if given.opencl else None, ("fp32", "fp64")),
}


def ask(given, library, name, form):
    """{property: (changed, inputs, first) or the reason why it was not tested}; None where there is no such function."""
    implementation = LIBRARIES[library][0](given, name)
    words = [given.program, "invariance", name, "-f", form, "--impl", implementation, "--json", "-"]
    words += ["--samples", str(given.samples)] if given.samples else []
    env = {**os.environ, "LD_LIBRARY_PATH": os.path.abspath(given.intel)} if given.intel else None
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, env=env)
    if not done.stdout:
        return None
    one = json.loads(done.stdout)["results"][0]["implementations"][0]
    return {each["property"]: (each["changed"], each["inputs"], each["first"]) if each["tested"] else each["why"]
            for each in one["invariance"]} if one["provided"] else None


def read_table():
    """({(library, function, format): (inputs, lines)}, {library: {property: reason}})"""
    asked, reasons = {}, {}
    text = PAGE.read()
    for library, name, form, inputs in re.findall(r"^\.\\\" (\S+) (\S+) (\S+) ([\d,]+)$", text, re.MULTILINE):
        asked[library, name, form] = (inputs, [])
    for line in text.splitlines():
        words = line.split(None, 5)
        if len(words) == 6 and (words[2], words[0], words[1]) in asked:
            asked[words[2], words[0], words[1]][1].append(words)
    for library, block in re.findall(r"^\.It (\w+)\n(.*?)(?=^\.It|^\.El)", text, re.MULTILINE | re.DOTALL):
        reasons[library] = dict(re.findall(r"^([\w-]+): (.*)$", block, re.MULTILINE))
    return asked, reasons


def write_table(asked, reasons):
    order = sorted(asked, key=lambda key: (list(LIBRARIES).index(key[0]), FUNCTIONS.index(key[1]), key[2]))
    rows = [["", "", "", "property", "changed", "first at"]] + [row for key in order for row in asked[key][1]]
    widths = [max(len(row[at]) for row in rows) for at in range(5)] + [0]
    lines = [" ".join(f"{word:>{width}}" if at == 4 else f"{word:{width}}"
                      for at, (word, width) in enumerate(zip(row, widths))).rstrip() for row in rows]
    text = ".Bd -literal\n" + "\n".join(lines) + "\n.Ed\n.Ss What was tested\n"
    text += "".join(f'.\\" {" ".join(key)} {asked[key][0]}\n' for key in order)
    for library in LIBRARIES:
        mine = [key for key in order if key[0] == library]
        if mine:
            each = ", ".join(f"{name} in {form} ({asked[library, name, form][0]})" for _, name, form in mine)
            text += f"{library}:\n" + textwrap.fill(each, 80, break_on_hyphens=False) + ".\n.Pp\n"
    text += "In parentheses stand the inputs.\n.Ss What was not tested, and why\n.Bl -tag -width Ds -compact\n"
    for library in LIBRARIES:
        if reasons.get(library):
            text += f".It {library}\n" + ".Pp\n".join(f"{name}: {why}\n" for name, why in reasons[library].items())
    PAGE.write(text + ".El\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--python", default="")
    parser.add_argument("--intel", default="")
    parser.add_argument("--opencl", default="")
    parser.add_argument("--samples", type=int, default=4096)
    parser.add_argument("--libraries", default=",".join(LIBRARIES))
    parser.add_argument("--formats", default="")
    parser.add_argument("functions", nargs="*", default=FUNCTIONS)
    given = parser.parse_intermixed_args()
    given.program, (asked, reasons) = os.path.abspath(given.program), read_table()
    for library in given.libraries.split(","):
        for name in given.functions:
            for form in given.formats.split(",") if given.formats else LIBRARIES[library][1]:
                found = ask(given, library, name, form) if LIBRARIES[library][0](given, name) else None
                if not found:
                    continue
                tested = {each: outcome for each, outcome in found.items() if isinstance(outcome, tuple)}
                inputs = max((outcome[1] for outcome in tested.values()), default=0)
                asked[library, name, form] = (f"{inputs:,}", [
                    [name, form, library, each, f"{changed:,}", shown(form, first)]
                    for each, (changed, _, first) in tested.items() if changed])
                reasons[library] = {each: re.sub(r"exec:\S+( -B \S+)?", library, outcome) for each, outcome in found.items()
                                    if isinstance(outcome, str)}
                print(library, name, form, inputs, flush=True)
                write_table(asked, reasons)


def shown(form, first):
    at = spelled(first["input"]) if form in ("fp32", "fp64") else first["input"]
    return f"{at if isinstance(at, str) else ' '.join(at)}, {first['where']}"


if __name__ == "__main__":
    main()
