"""Prints a table of errors and times for src/detmath/TRIED.md from reports of `detcheck sweep` and, last, one of
`detcheck bench`:

    detcheck sweep FUNCTION... --impl det,cr,libm --json sweep.json
    detcheck bench FUNCTION... --impl det,cr,libm --json bench.json
    python3 tests/detmath/accuracy_table.py sweep.json... bench.json

A function of several reports is taken from the first of them. Sweeps that were interrupted are refused.
"""

import json
import sys


def load(path):
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def share(part, whole):
    text = f"{100 * part / whole:.4f}"
    return "100" if part == whole else ("99.9999" if text == "100.0000" else text)


def error(one):
    largest = one["max_ulp"]
    if not one["provided"] or not largest:
        return "-"
    where = largest["input"]
    return f"{largest['error']:.6f} at {where if isinstance(where, str) else ', '.join(where)}"


def judged(one):
    """Largest error, shares correctly rounded and faithful."""
    if not one or not one["provided"]:
        return ["-", "-", "-"]
    return [error(one), share(one["correctly_rounded"], one["tested"]), share(one["faithful"], one["tested"])]


def accuracy(result):
    rows = {one["name"]: one for one in result["implementations"]}
    det, cr, libm = (rows.get(name) for name in ("det", "cr", "libm"))
    wrong = cr["incorrectly_rounded"] + cr["nan_mismatches"] + cr["sign_mismatches"] if cr and cr["provided"] else None
    return [*judged(det), "-" if wrong is None else f"{wrong:,}", judged(cr)[0], *judged(libm)]


def times(bench, operation):
    rows = {(one["name"], one["form"]): one["nanoseconds"]
            for result in bench["results"] if result["operation"] == operation
            for one in result["implementations"]}
    forms = (("det", "array"), ("det", "scalar"), ("cr", "array"), ("cr", "scalar"),
             ("libm", "scalar"))
    return [f"{rows[form]:.2f}" if form in rows else "-" for form in forms]


def rows(sweeps, bench=None, words=""):
    """The table's rows: {operation: line}; with words behind its name, and no times without a report of them."""
    results = {}
    for path in sweeps:
        report = load(path)
        if not report["complete"]:
            sys.exit(f"{path}: the sweep was interrupted")
        for result in report["results"]:
            results.setdefault(result["operation"], result)
    bench = load(bench) if bench else {"results": []}
    return {name: f"| {name}{words} | " + " | ".join(accuracy(result) + times(bench, name.split(".")[0])) + " |"
            for name, result in results.items()}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print("| function | det: largest error, ulp | right, % | faithful, % | cr: wrong | largest error, ulp |"
          " libm: largest error, ulp | right, % | faithful, % | ns: det array | det | cr array | cr | libm |")
    print("| --- " * 14 + "|")
    print("\n".join(rows(sys.argv[1:-1], sys.argv[-1]).values()))


if __name__ == "__main__":
    main()
