"""The scales that each profile chooses for blocks of telling maxima: the table in detcheck-mx(7), made by
running the program.

    DETCHECK=build/test/detcheck python3 tests/cmd/mx_table.py            print it
    DETCHECK=build/test/detcheck python3 tests/cmd/mx_table.py --write    put it into the page
"""

import json
import os
import re
import subprocess
import sys

PROGRAM = os.environ["DETCHECK"]
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "man", "detcheck-mx.7.in")
BEGIN, END = '.\\" made by tests/cmd/mx_table.py\n.Bd -literal\n', ".Ed\n"
# Headings, and the bits of a number that stands in a block beside 1 (2^-149 below it).
MAXIMA = {"256": 0x43800000, "448": 0x43E00000, "448+": 0x43E00001, "480": 0x43F00000, "511": 0x43FF8000,
          "FLT_MAX": 0x7F7FFFFF, "least": 0x04600001, "0": 0, "NaN": 0x7FC00000, "Inf": 0x7F800000}


def run(*words, code=0):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise SystemExit(f"{' '.join(words)} ends with {done.returncode}: {done.stderr}")
    return done.stderr if code else done.stdout


def profiles():
    refusal = run("eval", "mx", "--profile", "ieee", "1", code=2)
    return refusal.strip().split("these have one: ")[1].split(", ")


def cell(profile, bits):
    """The exponent of the scale; ! where the largest number saturates."""
    other = "0x3f800000" if bits > 0x40000000 else "0x00000000"
    results = json.loads(run("eval", "mx", "--to", "mxfp8_e4m3", "--profile", profile, "--impl", "det", "--json", "-",
                             f"0x{bits:08x}", other))["results"]
    element, scale = (one["elements"][0]["implementations"][0]["got"] for one in results)
    exact = results[0]["elements"][0]["exact"].rstrip(".")
    saturated = element == "0x7e" and (exact == "inf" or float(exact) > 448)
    return ("nan" if scale == "0xff" else str(int(scale, 16) - 127)) + "!" * saturated


def table():
    rows = [["", *MAXIMA]] + [[name, *(cell(name, bits) for bits in MAXIMA.values())] for name in profiles()]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "".join(" ".join(text.ljust(width) if i == 0 else text.rjust(width)
                            for i, (text, width) in enumerate(zip(row, widths))).rstrip() + "\n" for row in rows)


def page_table():
    """What the page has."""
    with open(PAGE, encoding="ascii") as stream:
        return re.search(re.escape(BEGIN) + "(.*?)" + re.escape(END), stream.read(), re.DOTALL).group(1)


def write():
    with open(PAGE, encoding="ascii") as stream:
        text = stream.read().replace(BEGIN + page_table() + END, BEGIN + table() + END)
    with open(PAGE, "w", encoding="ascii") as stream:
        stream.write(text)


if __name__ == "__main__":
    write() if "--write" in sys.argv[1:] else print(table(), end="")
