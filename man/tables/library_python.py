#!/usr/bin/env python3
"""Measures the rows of detcheck-library-python(7): the largest errors of functions of numpy, scipy, PyTorch and JAX, by
samples (ulpwise survey) and by all inputs (detcheck survey), and what either took.

    man/tables/library_python.py FOLDER [--minutes N] [--all FUNCTION,...] [LIBRARY...]

It is run by a Python that has the package detcheck, ulpwise and the libraries. What it finds goes into FOLDER, and what is
there already is not computed again; the rows are of what is there. --minutes is for each library (4). --all sweeps all of fp32 of those
functions of each library that is named, however long it takes: what one run has not done another can.
"""
import argparse
import csv
import importlib.metadata
import json
import pathlib
import resource
import subprocess
import sys
import time

from library_page import NONE
from measured import Data, placed, this_run

DATA = Data("library-python")
LIBRARIES = ("numpy", "scipy", "torch", "jax")
FORMATS = {"fp16": "f16", "bf16": "bf16", "fp32": "f32"}  # as ulpwise calls them
# ulpwise's names of functions that the operation table calls something else.
NAMES = {"reciprocal": "recip", "gamma": "tgamma", "bessel_j0": "j0", "bessel_j1": "j1", "bessel_y0": "y0", "bessel_y1": "y1"}
HALF = 0.5 + 1e-12  # the largest error of what is correctly rounded, as doubles have it


def run(folder, name, words):
    """Runs a command, and keeps its seconds: of the clock, and of processors."""
    notes = folder / "seconds.json"
    seconds = json.loads(notes.read_text()) if notes.exists() else {}
    begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(folder / f"{name}.txt", "w", encoding="utf-8") as out:
        subprocess.run([sys.executable, "-m", *words], check=True, stdout=out)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds[name] = [time.monotonic() - begun, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime]
    notes.write_text(json.dumps(seconds))


def samples(folder):
    """{(operation, library, format): row}, and the names that the operation table lacks."""
    target = folder / "ulpwise" / "results.csv"
    if not target.exists():
        run(folder, "ulpwise", ["ulpwise", "survey", "--dtypes", ",".join(FORMATS.values()), "--out", str(target.parent)])
    formats = {ours: name for name, ours in FORMATS.items()}
    with open(target, encoding="utf-8") as rows:
        return {(NAMES.get(row["function"], row["function"]), row["backend"], formats[row["dtype"]]): row for row in csv.DictReader(rows)}


def surveys(folder, libraries, minutes, whole):
    """{(operation, library, format): entry of a report, and which inputs}"""
    found = {}
    for library in libraries:
        words = {library: ["survey", library, "--minutes", str(minutes), "-f", ",".join(FORMATS)],
                 **{f"{library}-{name}": ["sweep", name, "--impl", f"py:{library}", "-f", "fp32", "--all"] for name in whole}}
        for name, command in words.items():
            report = folder / f"{name}.json"
            if not report.exists():
                run(folder, name, ["detcheck", *command, "--json", str(report)])
        for report in (folder / f"{library}.json", *sorted(folder.glob(f"{library}-*.json"))):
            for result in json.loads(report.read_text())["results"]:
                found[result["operation"], library, result["format"]] = (result["implementations"][0], result["inputs"]["kind"])
    return found


def number(error):
    return f"{error:.4g}" if error < 1e4 else f"{error:.1e}".replace("e+0", "e").replace("e+", "e")


def cells(key, sampled, surveyed):
    """What samples found, what all inputs did, and the input."""
    row, (entry, kind) = sampled.get(key), surveyed[key]
    worst = entry["max_ulp"] or {"error": 0.0, "input": NONE}
    inputs = worst["input"] if isinstance(worst["input"], str) else " ".join(worst["input"])
    mark = ("" if kind == "all" else "*") + ("!" if entry["nan_mismatches"] else "")
    return [number(float(row["max_ulp"])) if row else NONE, number(worst["error"]) + mark, inputs]


def is_clean(row):
    """Whether all samples are correctly rounded."""
    return float(row["max_ulp"]) <= HALF and row["nonfinite_mismatch"] == "0"


def overturned(library, format_, sampled, surveyed):
    """Of the functions whose samples are all correctly rounded: how many there are, and those with wrong results. The sign of a
    zero, which samples leave aside, does not count, nor do NaNs."""
    def wrong(entry):
        return entry["incorrectly_rounded"] - entry["sign_mismatches"]

    keys = [key for key in surveyed if key[1:] == (library, format_) and key in sampled and surveyed[key][1] == "all"]
    clean = [key for key in keys if is_clean(sampled[key])]
    return len(keys), len(clean), [(key[0], wrong(surveyed[key][0])) for key in clean if wrong(surveyed[key][0])]


def paragraphs(folder, libraries, sampled, surveyed):
    """What the manual says of all rows: (what it is about, its sentences)."""
    import detcheck  # the tests read the rows without it
    seconds = json.loads((folder / "seconds.json").read_text())
    details = {library: entry["detail"].split("+")[0] for (_, library, _), (entry, _) in surveyed.items()}
    versions = ", ".join([f"ulpwise {importlib.metadata.version('ulpwise')}", *(details[library] for library in libraries)])
    own = {one["name"] for one in detcheck.list("operations").to_dict()["operations"]}
    shared = [key for key in surveyed if key in sampled]
    tested = sum(entry["tested"] for entry, _ in surveyed.values())
    lacking = sorted({key[0] for key in sampled} - own)
    late = sorted({key[0] for key in sampled} - {key[0] for key in surveyed} - {*lacking})
    count = len({key[0] for key in sampled})
    yield "samples", f"{versions}.\nulpwise's survey of {count} functions took {seconds['ulpwise'][1]:.0f} s of processor time: " \
          f"{sum(int(row['n']) for row in sampled.values()):,} inputs in {len(sampled)} rows."
    spent = {library: sum(value[1] for name, value in seconds.items() if name.split("-")[0] == library) for library in libraries}
    yield "detcheck", "detcheck's survey took " + ", ".join(f"{spent[name]:.0f} s ({name})" for name in libraries) + \
          f": {tested:,} inputs in {len(surveyed)} rows.\nBoth surveys have {len(shared)} of the rows."
    for library in libraries:
        whole = [key[0] for key in sorted(surveyed) if key[1:] == (library, "fp32") and surveyed[key][1] == "all"]
        if whole:
            yield f"all {library}", f"detcheck tried all 4,294,967,296 inputs of fp32 for {library}'s {', '.join(whole)}."
    if lacking:
        yield "lacking", f"detcheck lacks these functions of ulpwise's survey: {', '.join(lacking)}."
    if late:
        yield "late", f"detcheck's time was over before {', '.join(late)}."
    above = [key for key in shared if (surveyed[key][0]["max_ulp"] or {"error": 0})["error"] > 1.001 * float(sampled[key]["max_ulp"])]
    twice = [key for key in above if surveyed[key][0]["max_ulp"]["error"] > 2 * float(sampled[key]["max_ulp"])]
    yield "above", (f"In {len(above)} of these {len(shared)} rows the largest error is more than 0.1 % above that of the samples.\n"
           f"In {len(twice)} rows it is more than twice as large.")
    far = [(key, surveyed[key][0]["max_ulp"]["error"]) for key in above if is_clean(sampled[key])]
    told = "; ".join(f"{name} {number(error)} ({library}, {format_})" for (name, library, format_), error in sorted(far, key=lambda one: -one[1])
                     if error > 1)
    if told:
        yield "far", f"These functions are correctly rounded for all samples. For other inputs they are off by more than 1 ulp (the errors in ulps follow the names): {told}."
    for library in libraries:
        for format_ in FORMATS:
            count, clean, wrong = overturned(library, format_, sampled, surveyed)
            if clean:
                told = "; ".join(f"{name} {many:,}" for name, many in sorted(wrong, key=lambda one: -one[1]))
                text = f"{library} in {format_}: detcheck tried all inputs of {count} functions, and {clean} of these " \
                       f"{'is' if clean == 1 else 'are'} correctly rounded for all samples.\n"
                yield f"{library} in {format_}", text + (f"{len(wrong)} of the {clean} have wrong results among all inputs (the counts follow the names): {told}." if wrong else
                                                         "No other input has a wrong result.")


def order():
    """Functions by their names."""
    place = placed({"library": list(LIBRARIES)}, {"format": list(FORMATS)})
    return lambda row: [row["function"], *place(row)]


def put(folder, libraries, sampled, surveyed):
    """Writes the rows of these libraries, and the sentences about all of them."""
    details = {library: entry["detail"].split("+")[0] for (_, library, _), (entry, _) in surveyed.items()}
    ulpwise = f"ulpwise {importlib.metadata.version('ulpwise')}"
    for library in libraries:
        rows = [(*key, *cells(key, sampled, surveyed)) for key in surveyed if key[1] == library]
        DATA.put("errors", rows, this_run(f"{details[library]}, {ulpwise}"), order(), lambda row, name=library: row["library"] == name)
    told = list(paragraphs(folder, libraries, sampled, surveyed))
    DATA.put("findings", told, this_run(", ".join([*details.values(), ulpwise])), placed({"topic": [topic for topic, _ in told]}), lambda row: True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("libraries", nargs="*", default=LIBRARIES)
    parser.add_argument("--minutes", type=float, default=4)
    parser.add_argument("--all", metavar="FUNCTION,...", type=lambda text: text.split(","), default=[])
    given = parser.parse_args()
    given.folder.mkdir(exist_ok=True)
    sampled, surveyed = samples(given.folder), surveys(given.folder, given.libraries, given.minutes, given.all)
    put(given.folder, given.libraries, sampled, surveyed)


if __name__ == "__main__":
    main()
