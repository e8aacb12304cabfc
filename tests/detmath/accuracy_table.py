"""Prints a table of errors and times for src/detmath/README.md from a report of `detcheck sweep` and one of `detcheck
bench`:

    detcheck sweep FUNCTION... --impl det,cr,libm --json sweep.json
    detcheck bench FUNCTION... --impl det,cr,libm --json bench.json
    python3 tests/detmath/accuracy_table.py sweep.json bench.json
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


def accuracy(result):
    rows = {one["name"]: one for one in result["implementations"]}
    det, cr, libm = (rows.get(name, {"provided": False, "max_ulp": None})
                     for name in ("det", "cr", "libm"))
    cells = [error(det)]
    cells += [share(det["correctly_rounded"], det["tested"]), share(det["faithful"], det["tested"])] \
        if det["provided"] else ["-", "-"]
    cells.append(f"{cr['incorrectly_rounded'] + cr['nan_mismatches']:,}" if cr["provided"] else "-")
    cells.append(error(libm))
    cells.append(share(libm["correctly_rounded"], libm["tested"]) if libm["provided"] else "-")
    return cells


def times(bench, operation):
    rows = {(one["name"], one["form"]): one["nanoseconds"]
            for result in bench["results"] if result["operation"] == operation
            for one in result["implementations"]}
    forms = (("det", "array"), ("det", "scalar"), ("cr", "array"), ("cr", "scalar"),
             ("libm", "scalar"))
    return [f"{rows[form]:.2f}" if form in rows else "-" for form in forms]


def main():
    report, bench = load(sys.argv[1]), load(sys.argv[2])
    print("| function | det: largest error, ulp | rounded right, % | faithful, % | cr: wrong |"
          " libm: largest error, ulp | rounded right, % | ns: det array | det | cr array | cr | libm |")
    print("| --- " * 12 + "|")
    for result in report["results"]:
        name = result["operation"]
        print(f"| {name} | " + " | ".join(accuracy(result) + times(bench, name.split(".")[0]))
              + " |")


if __name__ == "__main__":
    main()
