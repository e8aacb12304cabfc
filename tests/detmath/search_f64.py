#!/usr/bin/env python3
"""Searches for the largest errors of each function of fp64, one after another, and keeps a table of what was found.

    search_f64.py DETCHECK FOLDER [--seconds 3600] [--functions NAME,...]

FOLDER/NAME.json is the report of `detcheck search NAME -f fp64 --impl det,cr --seconds 3600 --threads 1`, and FOLDER/table.md
the table. What is interrupted goes on when the same command is given again: functions with a report of as many seconds are
not searched again. Exit status 1 where det is above its budget of functions_f64.inc, or cr was wrong.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROWS = pathlib.Path(__file__).resolve().parents[2] / "src/detmath/functions_f64.inc"
HEAD = ("| function | operands tried | seconds | det: largest error | budget | at | cr: judged | wrong |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n")


def budgets():
    """{function: the error that det may have, in ulps} of all rows with one result."""
    text = ROWS.read_text(encoding="utf-8")
    found = re.findall(r"^DETMATH_(?:UNARY|BINARY)_F64\((\w+), *\w+, *([\d.]+)\)", text, re.MULTILINE)
    return {name: float(budget) for name, budget in found}


def finished(path, seconds):
    """The report, if there is one of a search of that many seconds."""
    if not path.exists():
        return None
    report = json.loads(path.read_text(encoding="utf-8"))
    return report if report["complete"] and report["run"]["seconds"] >= seconds else None


def search(detcheck, folder, name, seconds):
    path = folder / f"{name}.json"
    report = finished(path, seconds)
    if not report:
        command = [detcheck, "search", name, "-f", "fp64", "--impl", "det,cr", "--seconds", str(seconds), "--threads", "1",
                   "--checkpoint", str(folder / f"{name}.{seconds}.checkpoint"), "--json", str(path)]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        report = finished(path, 0)
        if not report:
            sys.exit(f"{name}: the search was interrupted")
    return report


def wrong(one):
    return one["incorrectly_rounded"] + one["nan_mismatches"] + one["sign_mismatches"] + one["unanswered"]


def row(name, budget, report):
    """The table's line of one function, and whether all holds."""
    result = report["results"][0]
    det, cr = result["implementations"]
    largest = det["max_ulp"]
    places = largest["input"] if isinstance(largest["input"], list) else [largest["input"]]
    cells = [name, f"{result['inputs']['search']['evaluations']:,}", f"{report['run']['seconds']:.0f}", f"{largest['error']:.6f}",
             str(budget), ", ".join(f"`{place}`" for place in places), f"{cr['tested']:,}", f"{wrong(cr):,}"]
    return f"| {' | '.join(cells)} |\n", largest["error"] <= budget and wrong(cr) == 0


def write_table(folder, known):
    """The lines of all functions with a report, whenever it was made."""
    reports = {name: finished(folder / f"{name}.json", 0) for name in known}
    lines = [row(name, known[name], report)[0] for name, report in reports.items() if report]
    (folder / "table.md").write_text(HEAD + "".join(lines), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("detcheck")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--functions", default="", help="names, by commas; all if none")
    args = parser.parse_args()
    known = budgets()
    names = [name for name in args.functions.split(",") if name] or list(known)
    for name in names:
        if name not in known:
            print(f"search_f64.py: {ROWS.name} has no {name}; it has {', '.join(known)}", file=sys.stderr)
            return 2
    args.folder.mkdir(parents=True, exist_ok=True)
    holds = True
    for name in names:
        line, right = row(name, known[name], search(args.detcheck, args.folder, name, args.seconds))
        holds &= right
        write_table(args.folder, known)
        print(line if right else f"{line.rstrip()} DOES NOT HOLD\n", end="", flush=True)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
