#!/usr/bin/env python3
"""Renews what follows from the functions of detmath, and says what it wrote:

    cmake --build --preset slow --target renew
    tests/renew.py DETCHECK [FUNCTION...]        with the built program; of these functions, changed or not
    tests/renew.py --check DETCHECK              exit 1 and a line for each function that something lacks

    tests/reach/fingerprints.txt   hashes of what det and cr return
    src/detmath/self_check.inc     those of the few results that detmath_self_check() tries
    vectors/                       test vectors
    src/detmath/TRIED.md           the table of errors and times
    src/detmath/functions.inc      the budget of a function that has none

A function is renewed where its fingerprints have changed, or where the table or the vectors lack it. First its
outputs are judged, for all of fp32 (of two operands the samples of pairs.py): where cr rounds wrongly or det is not
faithful, nothing is written and the exit status is 1. A function takes a minute or two.
"""
import hashlib
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests/reach"), str(ROOT / "tests/detmath"), str(ROOT / "vectors")]
import accuracy_table  # noqa: E402
import make  # noqa: E402  vectors/make.py
import pairs  # noqa: E402
import reach  # noqa: E402

TABLES = ROOT / "src/detmath/TRIED.md"
FUNCTIONS = ROOT / "src/detmath/functions.inc"
FINGERPRINTS = ROOT / "tests/reach/fingerprints.txt"
NO_FUNCTIONS = {"cast", "mx"}  # what fingerprints have besides
WRONG_SHOWN = 8


def fingerprints():
    """{function: its lines} of the sets that an update renews."""
    found = {}
    for key, text in reach.parse(FINGERPRINTS.read_text(encoding="utf-8")).items():
        if key[1] not in NO_FUNCTIONS and key[0] != "all":
            found.setdefault(key[1], set()).add((key, text))
    return found


def written():
    """{file: digest} of everything that may be renewed."""
    files = [FINGERPRINTS, reach.CHECKS, TABLES, FUNCTIONS, *ROOT.glob("vectors/**/*.json"), *ROOT.glob("vectors/*.txt")]
    return {path: hashlib.sha256(path.read_bytes()).digest() for path in files}


def load(path):
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def run(*words):
    print("+", " ".join(map(str, words)), flush=True)
    return subprocess.run(words, check=True)


def operations(program):
    text = subprocess.run([program, "list", "operations", "--json", "-"], stdout=subprocess.PIPE, check=True).stdout
    return {row["name"]: row for row in json.loads(text)["operations"]}


def table_names():
    """The functions that the tables have."""
    return {name.split(".")[0] for name in re.findall(r"^\| (\w+(?:\.\w+)?) \|", TABLES.read_text(encoding="utf-8"),
                                                      re.MULTILINE)}


def vector_files(program, function):
    return [name for name in make.full_set(program) if re.fullmatch(rf"\w+/{function}\.json", name)]


def lacks_vectors(program, functions):
    missing = make.full_set(program).keys() - make.digests().keys()
    return {path.stem for path in map(pathlib.Path, missing) if path.stem in functions}


def check(program):
    """What is not there, of each function; whether it is still right is for other tests."""
    lines = FUNCTIONS.read_text(encoding="utf-8")
    functions = set(re.findall(r"^DETMATH_(?:UNARY|UNARY_QUICK|BINARY|PAIR)\((\w+)", lines, re.MULTILINE))
    lacking = {"fingerprints": functions - fingerprints().keys(), "a row in the table": functions - table_names(),
               "vectors": lacks_vectors(program, functions), "an operation": functions - operations(program).keys()}
    checked = set(re.findall(r"^DETMATH_CHECK\((\w+)", reach.CHECKS.read_text(encoding="utf-8"), re.MULTILINE))
    lacking["a row in self_check.inc"] = functions - checked
    rows = TABLES.read_text(encoding="utf-8")
    lacking["a row of its worst pairs"] = {name for name in functions if pairs.words(name) and
                                           f"\n| {name}, {pairs.words(name)} | " not in rows}
    found = [f"{name} lacks {what}" for what, names in lacking.items() for name in sorted(names)]
    sys.exit("\n".join([*found, "renew.py: build the target renew"]) if found else 0)


def judge(program, row, folder):
    """Reports of the function, by the words that stand behind its name in the table, and what is wrong with it."""
    name, reports, wrong = row["name"], {}, []
    samples = {"": ("det,cr,libm", pairs.SAMPLED if row["operands"] == 2 else ())}
    if pairs.words(name):
        samples[f", {pairs.words(name)}"] = "det,cr", pairs.worst(name, folder)
    for words, (implementations, options) in samples.items():
        reports[words] = os.path.join(folder, f"{name}-{len(reports)}.json")
        run(program, "sweep", name, "--impl", implementations, "--json", reports[words], *map(str, options))
        wrong += faults(reports[words])
    return reports, wrong


def faults(path):
    """What is wrong with det and cr by a report."""
    wrong = []
    for result in load(path)["results"]:
        for one in result["implementations"]:
            bad = one["name"] == "cr" and one["incorrectly_rounded"] or one["name"] == "det" and (
                one["tested"] - one["faithful"])
            others = one["name"] in ("det", "cr") and one["nan_mismatches"] + one["sign_mismatches"]
            if bad or others:
                worst = ", ".join(f"{w['input']} gives {w['got']}, want {w['want']}" for w in one["worst"][:WRONG_SHOWN])
                what = "wrongly rounded" if one["name"] == "cr" else "not faithful"
                wrong.append(f"{result['operation']}: {one['name']}: {bad} {what}, {others} with a wrong NaN or sign of "
                             f"zero; the worst: {worst}")
    return wrong


def renew_table(program, rows, reports, folder):
    """Puts the rows into the tables, in place of the old ones or behind the last."""
    times = os.path.join(folder, "bench")
    run(program, "bench", *rows, "--impl", "det,cr,libm", "--json", times)
    lines = TABLES.read_text(encoding="utf-8").split("\n")
    for name, row in rows.items():
        for words, report in reports[name].items():
            for result, new in accuracy_table.rows([report], None if words else times, words).items():
                # Of the tables of fp32 the first is of functions of one operand, the second of pairs.
                start = [i for i, line in enumerate(lines) if line.startswith("| function | det: largest")][row["operands"] - 1]
                end = next(i for i in range(start, len(lines)) if not lines[i].startswith("|"))
                at = next((i for i in range(start, end) if lines[i].startswith(f"| {result}{words} |")), end)
                lines[at:at + (at < end)] = [new]
    TABLES.write_text("\n".join(lines), encoding="utf-8")


def renew_budget(name, reports, exact):
    """Gives the function's row in functions.inc its budget, det's largest error, rounded up: where it is 0, or
    where the reports are of every input (`exact`) and say that det has become better."""
    text = FUNCTIONS.read_text(encoding="utf-8")
    largest = max(one["max_ulp"]["error"] for report in reports.values() for result in load(report)["results"]
                  for one in result["implementations"] if one["name"] == "det")
    budget = math.ceil(largest * 1e6) / 1e6
    found = re.search(rf"^(DETMATH_(?:UNARY|BINARY)\({name}, .*, +)([\d.]+)\)$", text, re.MULTILINE)
    if not found:  # a pair has the budgets of its functions
        return []
    old = float(found[2])
    if old and largest > old:
        return [f"{name}: det: an error of {largest} ulp, more than its budget of {found[2]} in {FUNCTIONS.name}"]
    if not old or exact and budget < old:
        FUNCTIONS.write_text(text.replace(found[0], f"{found[1]}{budget:.6f})"), encoding="utf-8")
    return []


def build(program):
    """The program again, which refuses to work where its hashes of the self-check are not those of its functions."""
    folder = next((one for one in pathlib.Path(program).parents if (one / "CMakeCache.txt").exists()), None)
    if not folder:
        sys.exit(f"renew.py: {program} lies in no folder of a build, and wants to be built again: self_check.inc has changed")
    run("cmake", "--build", folder, "--target", pathlib.Path(program).name)


def renew(program, named):
    """Writes all that follows from the functions named, and from those that changed. Returns their names."""
    old, known, checks = fingerprints(), operations(program), reach.CHECKS.read_bytes()
    for name in named:
        if name not in known:
            sys.exit(f"renew.py: there is no operation {name}")
    run(sys.executable, ROOT / "tests/reach/reach.py", "--update")
    if reach.CHECKS.read_bytes() != checks:
        build(program)
    new = fingerprints()
    for name in named:
        if name not in new:
            sys.exit(f"renew.py: det has no {name}; it has {', '.join(sorted(new))}")
    changed = {name for name in new if new[name] != old.get(name)}
    wanted = {*named} | changed | ({*new} - table_names()) | lacks_vectors(program, new)
    rows = {name: known[name] for name in known if name in wanted}
    with tempfile.TemporaryDirectory() as folder:
        reports, wrong = {}, []
        for name, row in rows.items():
            reports[name], found = judge(program, row, folder)
            wrong += found or renew_budget(name, reports[name], row["operands"] == 1)
        if wrong:
            sys.exit("\n".join(wrong))
        if rows:
            renew_table(program, rows, reports, folder)
    for name in rows:
        files = vector_files(program, name)
        if files:
            with tempfile.TemporaryDirectory() as folder:
                make.renew(program, folder, files)
    unary = [name for name in rows if rows[name]["operands"] == 1]
    if unary:  # all of fp32
        run(sys.executable, ROOT / "tests/reach/reach.py", "--update", "--set", "all", "--functions", ",".join(unary),
            "--jobs", str(os.cpu_count()))
    return rows


def main(program, *named):
    before = written()
    kept = {path: path.read_text(encoding="utf-8") for path in (FINGERPRINTS, reach.CHECKS, FUNCTIONS, TABLES)}
    try:
        rows = renew(os.path.abspath(program), named)
    except BaseException:
        # What changed must be found again by the next run.
        for path, text in kept.items():
            path.write_text(text, encoding="utf-8")
        print("renew.py: fingerprints, budgets and the table are as they were", file=sys.stderr)
        raise
    after = written()
    print(f"renewed: {', '.join(rows) or 'no function'}")
    for path in sorted(after):
        if after[path] != before.get(path):
            print(f"wrote {path.relative_to(ROOT)}")
    for path in sorted(before.keys() - after.keys()):
        print(f"removed {path.relative_to(ROOT)}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    if sys.argv[1] == "--check":
        check(os.path.abspath(sys.argv[2]))
    main(*sys.argv[1:])
