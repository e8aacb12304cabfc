#!/usr/bin/env python3
"""Measures the rows of detcheck-wrong-roundings(7): the faults of tests/cmd/wrong_roundings.py, and what finds them.

    man/tables/faults.py DETCHECK LIBRARY [METHOD]...

LIBRARY is tests/programs/libmisrounding_library.so of a build folder. METHOD is built, special, search or drawn: with it, the
other methods keep the rows that they have. One thread at a time: all methods take some ten minutes of a processor, and most of these go to
the samples that show nothing.

A method's inputs are how many of them it takes to show a wrong output, and its seconds are the processor time of the whole process that
tries so many. A search and the samples try 1 input, 2, 4 and so on, until one is wrong or ten seconds are over. A sweep of special inputs
always tries them all: its inputs are those up to such a power of two, and its seconds are those of the whole sweep.
"""
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

from library_page import versions_of
from measured import ROOT, Data, placed, this_run, version_of

sys.path.append(str(ROOT / "tests/cmd"))
from wrong_roundings import FAULTS, RARE, cause_of, is_swept, words_of, wrong_of  # noqa: E402  # pylint: disable=wrong-import-position

DATA = Data("faults")
ENOUGH = 10  # seconds
LEAPS_FROM = 16  # the exponent from which the next power of two is the one that takes that long
NONE = ("none", "-")

# A process that keeps the inputs that it is given, in their order, and answers each with 0; remquo has two results.
KEEPS = """NR == 1 { answer = $3 == "remquo" ? "0 0" : "0"; print "ready bits awk"; fflush(); next }
{ print > LIST; fflush(LIST); print answer; fflush() }
"""


def operation_of(fault):
    """"fma fp32", "fp64 to fp16": without what fits on no line."""
    format_ = re.search(r"-f (\S+)", fault.options)[1]
    to = re.search(r"--to (\S+)", fault.options)
    return f"{format_} to {to[1].removeprefix('fp8_')}" if to else f"{fault.operation} {format_}"


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(words):
    """A result, and the processor time that it took: others may keep the machine busy."""
    before = processor_time()
    done = subprocess.run([*words, "--json", "-"], capture_output=True, check=False)
    seconds = processor_time() - before
    if done.returncode:
        raise SystemExit(done.stderr.decode())
    return json.loads(done.stdout)["results"][0], seconds


def shows(words, exponent):
    """Whether 2^exponent inputs show a wrong output, and the processor time."""
    result, seconds = run([*words, str(1 << exponent)])
    return wrong_of(result) > 0, seconds


def first_power(words):
    """The exponent of the first power of two of inputs that show a wrong output, and their time."""
    below, exponent = -1, 0
    while True:
        found, seconds = shows(words, exponent)
        if found or seconds >= ENOUGH:
            break
        below = exponent
        exponent += 1
        while exponent > LEAPS_FROM and seconds * (1 << (exponent - below)) < ENOUGH:
            exponent += 1
    while found and exponent - below > 1:
        middle = (below + exponent) // 2
        found_there, seconds_there = shows(words, middle)
        below, exponent, seconds = (below, middle, seconds_there) if found_there else (middle, exponent, seconds)
    return (exponent, seconds) if found else None


def by_number(words):
    found = first_power(words)
    return (f"2^{found[0]}", f"{found[1]:.2f}") if found else NONE


def kept(program, fault, folder):
    """The special inputs of a fault's operation, in their order."""
    (folder / "keeps.awk").write_text(KEEPS, encoding="ascii")
    words = words_of(fault, "")
    words[words.index("--impl") + 1] = f"exec-text:mawk -W interactive -v LIST={folder}/list -f {folder}/keeps.awk"
    run([program, "sweep", *words, "--special"])
    given = (folder / "list").read_text(encoding="ascii").splitlines(keepends=True)
    return list(dict.fromkeys(given))  # the sweep calls for some of them a second time


def by_list(program, fault, library):
    """The first power of two of the special inputs that has a wrong one, and the time of the sweep of all."""
    words = [program, "sweep", *words_of(fault, library)]
    result, seconds = run([*words, "--special"])
    if not wrong_of(result):
        return NONE
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        listed = kept(program, fault, folder)
        file = folder / "first"

        def wrong_among(count):
            file.write_text("".join(listed[:count]), encoding="ascii")
            return wrong_of(run([*words, "--inputs", str(file)])[0])

        if len(listed) != result["inputs"]["count"] or wrong_among(len(listed)) != wrong_of(result):
            raise SystemExit(f"{fault.function}: the list of special inputs is another than the sweep's")
        low, high = -1, (len(listed) - 1).bit_length()
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if wrong_among(1 << middle) else (middle, high)
    return f"2^{high}", f"{seconds:.2f}"


def method_built(program, fault, library):
    return by_number([program, "search", *words_of(fault, library), "--for", "wrong-rounding", "--evaluations"])


def method_search(program, fault, library):
    return ("sweep", "-") if is_swept(fault) else by_number([program, "search", *words_of(fault, library), "--evaluations"])


def method_special(program, fault, library):
    return by_list(program, fault, library)


def method_drawn(program, fault, library):
    return by_number([program, "sweep", *words_of(fault, library), "--samples"])


METHODS = {"built": method_built, "special": method_special, "search": method_search, "drawn": method_drawn}


def measured(program, library, methods):
    """The cells of each fault, by method: those of other methods are the ones that the data have when all is measured."""
    new = []
    for fault in FAULTS:
        new.append({name: METHODS[name](program, fault, library) for name in methods})
        print(fault.function, operation_of(fault), new[-1], flush=True)
    before = {(row["fault"], row["operation"]): row for row in DATA.rows("faults")}
    for fault, cells in zip(FAULTS, new):
        old = before.get((fault.function, operation_of(fault)), {})
        yield fault, {name: cells.get(name) or (old[f"{name}_inputs"], old[name]) for name in METHODS}


def findings(found):
    """What the page says of all faults."""
    causes = [cause_of(fault) for fault in FAULTS]
    yield (f"explain names the cause of {causes.count('yes')} of the {len(FAULTS)} faults, and for {causes.count('place')} the interval that "
           "contains all differences.")
    for name, what in {"built": "A search for wrong roundings", "special": "A sweep of special inputs", "search": "A search for errors"}.items():
        late = [fault.function for fault, cells in found if cells[name] == NONE]
        most = max((float(cells[name][1]) for _, cells in found if cells[name][1] != "-"), default=0)
        yield f"{what} does not show in ten seconds: {', '.join(late)}." if late else f"{what} shows each fault in {most:.2f} seconds at most."


def reasons(found):
    """Why ten seconds of samples show nothing: each reason, and its faults."""
    named = {}
    for fault, cells in found:
        if cells["drawn"] == NONE:
            named.setdefault(RARE[fault.function], []).append(fault.function)
    return [(", ".join(dict.fromkeys(faults)), reason) for reason, faults in named.items()]


def main():
    program, library, *methods = sys.argv[1:]
    unknown = [name for name in methods if name not in METHODS]
    if unknown:
        sys.exit(f"'{unknown[0]}' is no method: {', '.join(METHODS)}")
    found = list(measured(program, library, methods or list(METHODS)))
    rows = [(fault.function, operation_of(fault), *(cells[name][1] for name in METHODS), *(cells[name][0] for name in METHODS), cause_of(fault))
            for fault, cells in found]
    run_of = this_run(versions_of(program, version_of(program)))
    for table, new in {"faults": rows, "names": [(fault.function, operation_of(fault), fault.published) for fault in FAULTS],
                       "findings": [("all", "\n".join(findings(found)))], "reasons": reasons(found)}.items():
        DATA.put(table, new, run_of, placed(), lambda row: True)


if __name__ == "__main__":
    main()
