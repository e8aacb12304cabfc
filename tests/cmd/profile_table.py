"""What each profile makes of the inputs on which they differ, for every format of up to 8 bits: the
table in detcheck-casts(7), made by running the program.

    DETCHECK=build/test/detcheck python3 tests/cmd/profile_table.py            print it
    DETCHECK=build/test/detcheck python3 tests/cmd/profile_table.py --write    put it into the page
"""

import csv
import json
import os
import re
import struct
import subprocess
import sys
import textwrap

PROGRAM = os.environ["DETCHECK"]
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "man", "detcheck-casts.7")
WIDTH = 75  # columns of a page, which indents it by 5
BEGIN, END = '.\\" made by tests/cmd/profile_table.py\n.Bd -literal\n', ".Ed\n"
HEADINGS = ("+Inf", "-Inf", "NaN", "-NaN", "-0", "above", "FLT_MAX")


def run(*words, code=0):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise SystemExit(f"{' '.join(words)} ends with {done.returncode}: {done.stderr}")
    return done.stderr if code else done.stdout


def profiles():
    refusal = run("eval", "cast", "--to", "fp16", "--profile", "ocp-up", "1", code=2)
    return refusal.strip().split("these have one: ")[1].split(", ")


def formats():
    """The names of the formats of up to 8 bits, and for each the rows of its codes."""
    listed = json.loads(run("list", "formats", "--json", "-"))["formats"]
    names = [row["name"] for row in listed if row["width"] <= 8]
    return {name: list(csv.DictReader(run("table", name, "--as", "csv").splitlines()))
            for name in names}


def largest(codes):
    return max(float(row["decimal"]) for row in codes if row["class"] in ("normal", "subnormal"))


def first_beyond(codes):
    """The bits of the first fp32 number nearer to the number after the largest, if there were one."""
    values = sorted(float(row["decimal"]) for row in codes if row["class"] == "normal")
    step = values[-1] - values[-2]
    if values[-2] * 2 == values[-1]:  # powers of two alone
        step *= 2
    halfway, = struct.unpack("<I", struct.pack("<f", values[-1] + step / 2))
    return halfway + 1


def inputs(codes):
    """Bits of fp32, one for each heading."""
    return (0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x80000000, first_beyond(codes), 0x7F7FFFFF)


def cell(codes, code):
    """The value of a code; a sign at a NaN where the format has NaNs of both signs."""
    row = codes[code]
    if row["class"] == "nan":
        signs = {other["sign"] for other in codes if other["class"] == "nan"}
        return "-nan" if row["sign"] == "1" and len(signs) == 2 else "nan"
    return row["decimal"] if len(row["decimal"]) <= 8 else row["hex"]


def convert(name, profile, bits):
    """The codes that the inputs become; None where the profile has no rule for the format."""
    found = []
    for value in bits:
        words = ("eval", "cast", "--from", "fp32", "--to", name, "--profile", profile, "--impl", "det",
                 "--json", "-", f"0x{value:08x}")
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
        if done.returncode == 2 and f"the profile {profile} has no rule for {name}" in done.stderr:
            return None
        if done.returncode:
            raise SystemExit(f"{' '.join(words)} ends with {done.returncode}: {done.stderr}")
        result, = json.loads(done.stdout)["results"]
        if result["implementations"][0]["got"] != result["want"]:
            raise SystemExit(f"{' '.join(words)}: det differs from the exact result")
        found.append(int(result["want"], 16))
    return found


def table():
    """{format: (codes, {profile: codes that the inputs become, or None})}"""
    names = profiles()
    return {form: (codes, {name: convert(form, name, inputs(codes)) for name in names})
            for form, codes in formats().items()}


def text(rows):
    lines = []
    for form, (codes, by_profile) in rows.items():
        beyond, = struct.unpack("<f", struct.pack("<I", first_beyond(codes)))
        lines += ["", f"{form}: largest {largest(codes):.9g}, above it {beyond:.9g}"]
        cells = [("", *HEADINGS)]
        cells += [(name, *(cell(codes, code) for code in got))
                  for name, got in by_profile.items() if got is not None]
        widths = [max(map(len, column)) for column in zip(*cells)]
        gap = "  " if sum(widths) + 2 * len(widths) <= WIDTH else " "
        lines += ["  " + gap.join([row[0].ljust(widths[0])] +
                                  [item.rjust(width) for item, width in zip(row[1:], widths[1:])])
                  for row in cells]
        silent = [name for name, got in by_profile.items() if got is None]
        if silent:
            lines += textwrap.wrap("refused: " + ", ".join(silent), 76, initial_indent="  ",
                                   subsequent_indent=" " * 11, break_on_hyphens=False)
    return "\n".join(lines[1:]) + "\n"


def page_parts():
    """The page before the table, the table, and the page after it."""
    with open(PAGE, encoding="ascii") as stream:
        page = stream.read()
    before, rest = page.split(BEGIN)
    inside, after = re.split(r"^\.Ed\n", rest, maxsplit=1, flags=re.MULTILINE)
    return before, inside, after


def main():
    made = text(table())
    if sys.argv[1:] != ["--write"]:
        sys.stdout.write(made)
        return
    before, _, after = page_parts()
    with open(PAGE, "w", encoding="ascii") as stream:
        stream.write(before + BEGIN + made + END + after)


if __name__ == "__main__":
    main()
