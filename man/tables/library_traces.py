#!/usr/bin/env python3
"""Measures the rows of detcheck-library-traces(7): which operation parts first between two settings of a model's run.

    man/tables/library_traces.py DETCHECK [--only ROW] [--versions TEXT]

PYTHONPATH has detcheck's package; the Python that runs this has PyTorch, transformers, onnxruntime, onnx and numpy. MAGIKA is the file
of magika's model, OTHER_NUMPY and OTHER_ONNXRUNTIME are folders with another version of the package; rows without theirs stay as they
are. Each side of a row is recorded in a process of its own, which stays: while an operation parts by itself that det has, both sides
are recorded again, with det in its place.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import traced_runs
from measured import NOT_RECORDED, ROOT, Data, placed, this_run

DATA = Data("library-traces")
RUNS = ROOT / "man/tables/traced_runs.py"
GIVEN = {"MAGIKA": "FILE", "OTHER_NUMPY": "FOLDER", "OTHER_ONNXRUNTIME": "FOLDER"}  # environment variables, and what they name
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
LLAMA, MAGIKA = ["llama", "128", "50"], ["onnx", "MAGIKA"]
AVX2 = {"ATEN_CPU_CAPABILITY": "avx2", "MKL_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"}


def threads(count):
    return dict.fromkeys(THREADS, count)


# A row: the run and the environment of both sides. A variable in capitals of a run, and OTHER_ ones of an environment, name what is given.
ROWS = {
    "Llama, PyTorch's kernels: AVX2 | AVX-512": ((LLAMA, {"ATEN_CPU_CAPABILITY": "avx2"}), (LLAMA, {})),
    "Llama, MKL's kernels: AVX2 | AVX-512": ((LLAMA, {"MKL_ENABLE_INSTRUCTIONS": "AVX2"}), (LLAMA, {})),
    "Llama, all kernels: AVX2 | AVX-512": ((LLAMA, AVX2), (LLAMA, {})),
    "Llama, bf16: oneDNN's AVX2 | what the processor has": (([*LLAMA, "eager", "bf16"], {"ONEDNN_MAX_CPU_ISA": "AVX2"}), ([*LLAMA, "eager", "bf16"], {})),
    "Llama: 1 | 2 threads": ((LLAMA, {}), (LLAMA, threads("2"))),
    "Llama: attention eager | sdpa": ((LLAMA, {}), ([*LLAMA, "sdpa"], {})),
    "Llama: eager | torch.compile": ((LLAMA, {}), ([*LLAMA, "eager", "fp32", "compile"], {})),
    "Llama: fp32 | autocast to bf16": ((LLAMA, {}), ([*LLAMA, "eager", "autocast"], {})),
    "GPT-2, a step of AdamW: AVX2 | AVX-512": ((["gpt2"], AVX2), (["gpt2"], {})),
    "magika, onnxruntime: disabled | extended": (([*MAGIKA, "disabled"], {}), ([*MAGIKA, "extended"], {})),
    "magika, onnxruntime: disabled | all": (([*MAGIKA, "disabled"], {}), ([*MAGIKA, "all"], {})),
    "magika: onnxruntime of another version | this one": (([*MAGIKA, "disabled"], {"PYTHONPATH": "OTHER_ONNXRUNTIME"}), ([*MAGIKA, "disabled"], {})),
    "perceptron, OpenBLAS: Haswell | SkylakeX": ((["perceptron", "300", "64"], {"OPENBLAS_CORETYPE": "Haswell"}),
                                                 (["perceptron", "300", "64"], {"OPENBLAS_CORETYPE": "SkylakeX"})),
    "scikit-learn's MLPClassifier, OpenBLAS: Haswell | SkylakeX": ((["classifier", "100", "200"], {"OPENBLAS_CORETYPE": "Haswell"}),
                                                                 (["classifier", "100", "200"], {"OPENBLAS_CORETYPE": "SkylakeX"})),
    "perceptron, numpy: 1 | 2 threads": ((["perceptron", "3000", "640"], {}), (["perceptron", "3000", "640"], threads("2"))),
    "perceptron: numpy of another version | this one": ((["perceptron", "300", "64"], {"PYTHONPATH": "OTHER_NUMPY"}),
                                                    (["perceptron", "300", "64"], {})),
}


def put(name, parts, versions):
    """Writes a row: a part to a paragraph."""
    words = [*(f"{one}={kind}" for one, kind in GIVEN.items() if one in str(ROWS[name])), "PYTHONPATH=build/release/python",
             "man/tables/library_traces.py", "build/release/detcheck", "--only", "ROW"]
    DATA.put("traces", [(re.split("[ :,]", name)[0], name, *part) for part in parts.items()], {**this_run(versions), "command": " ".join(words)},
             placed({"row": list(ROWS)}), lambda row: row["row"] == name)


# ---- Recording ----

def given(word):
    """What is named by a variable of this command; None where it is not there."""
    return os.environ.get(word) if word in GIVEN else word


def start(side):
    """The process that records one side; None where something is not there."""
    run, settings = [given(word) for word in side[0]], {name: given(word) for name, word in side[1].items()}
    if None in run or None in settings.values():
        return None
    if "PYTHONPATH" in settings:
        settings["PYTHONPATH"] += os.pathsep + os.environ.get("PYTHONPATH", "")
    return subprocess.Popen([sys.executable, "-W", "ignore", RUNS, *run], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            env={**os.environ, **threads("1"), **settings})


def record(processes, folder, names):
    """Both sides, with det in the place of these operations."""
    places = [os.path.join(folder, f"{side}-{len(names)}.trace") for side in ("here", "there")]
    for process, place in zip(processes, places):
        process.stdin.write(json.dumps({"out": place, "det": names}) + "\n")
        process.stdin.flush()
    for process in processes:
        if process.stdout.readline() != "recorded\n":
            sys.exit("a side was not recorded")
    return places


def compare(program, places):
    """The document, and as "text" what is printed for people."""
    document = places[0] + ".json"
    done = subprocess.run([program, "trace", "compare", *places, "--json", document], stdout=subprocess.PIPE, text=True, check=False)
    with open(document, encoding="utf-8") as stream:
        return {**json.load(stream), "text": done.stdout}


def agreeing(program, processes, folder):
    """The comparison, and with which operations by det it was done again until nothing parted that det has; the last comparison."""
    names = []
    first = last = compare(program, record(processes, folder, names))
    while True:
        new = [one["name"] for one in last["kinds"] if one["parted"] and one["name"] in traced_runs.BY_DET and one["name"] not in names]
        if not new:
            return first, names, last
        names = names + new
        last = compare(program, record(processes, folder, names))


# ---- Words ----

ALONE = {"here alone": "here", "there alone": "there"}
PARTS = {"First to part|Inputs equal|With the fp32 side|Equal: ": "parted", "A group of ": "group", "Compared with exact|Not judged": "exact", "Cause: |No simple cause|One side's cause|Fewer than 16 ": "cause",
         "Before it, |No other operation|\\d+ later operation|[\\d,]+ pairs? of ": "others"}
MOST_CAUSE = 420  # characters, of a paragraph


def equal_pairs(found):
    """How many pairs are equal, in words, where all are that can be compared; None where some differ or have no partner."""
    verdicts = found["verdicts"]
    equal, others = verdicts.get("equal", 0), verdicts.get("not compared", 0)
    if not equal or equal + others < found["pairs"] or any(map(verdicts.get, ALONE)):
        return None
    return f"all {equal:,} pairs" + (f" of operations that have digests, {others:,} have none" if others else " of operations")


def answer(found):
    """The sentences that come first, how many pairs became what, and which kinds parted: {part: sentences}."""
    first = re.split(r"\n|(?<=\.) (?=[A-Z])", found["text"].split("\n\n")[0])  # a line for each, as mdoc wants it
    counted = re.search(r"(?m)^[\d,]+ pairs? of operations: .*", found["text"])[0] + "."
    kinds = sorted({one["name"] for one in found["kinds"] if one["parted"]})
    return in_parts([*first, counted, *([f"Kinds that parted by themselves: {', '.join(kinds)}."] if kinds else [])])


def in_parts(sentences):
    """{part: sentences}: a new part begins with a sentence whose head PARTS has; a cause too long for a paragraph makes two."""
    parts, part = {}, "parted"
    for sentence in sentences:
        part = next((name for head, name in PARTS.items() if re.match(head, sentence)), part)
        parts.setdefault(part, []).append(sentence)
    here, comma, there = " ".join(parts.get("cause", [])).partition("; there ")
    if comma and len(here) + len(there) > MOST_CAUSE:
        return {one: text for name, sentences in parts.items()
                for one, text in ([("cause here", [here + ";"]), ("cause there", [f"there {there}"])] if name == "cause" else [(name, sentences)])}
    return parts


def needed(names, last):
    """What it takes for both to be equal."""
    by = f"Recorded again with det's {', '.join(names)}, both" if names else "Both"
    if equal_pairs(last):
        return [f"{by} sides are equal: {equal_pairs(last)}; each of these kinds parted by itself until det replaced it."] if names else []
    parted = [one["name"] for one in last["kinds"] if one["parted"]]
    rest = f"det does not replace {', '.join(parted)} in these runs" if parted \
        else "other operations differ, or have no partner"
    return [f"{by} sides still differ: {rest}, so the experiment shows nothing."]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--only")
    parser.add_argument("--versions", default=NOT_RECORDED, help="which libraries these are: \"PyTorch 2.15.0\"")
    asked = parser.parse_args()
    for name, sides in ROWS.items():
        if asked.only not in (None, name):
            continue
        processes = [start(side) for side in sides]
        if all(processes):
            with tempfile.TemporaryDirectory() as folder:
                first, names, last = agreeing(os.path.abspath(asked.program), processes, folder)
            parts = {**answer(first), "replaced": needed(names, last)}
            put(name, {part: "\n".join(text) for part, text in parts.items() if text}, asked.versions)
            print(name, flush=True)
        for process in filter(None, processes):
            process.stdin.close()
            process.wait()


if __name__ == "__main__":
    main()
