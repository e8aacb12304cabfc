#!/usr/bin/env python3
"""Measures the rows of detcheck-library-casts(7): which profiles of casts packages keep, and where they part from the
others.

    man/tables/library_casts.py DETCHECK [--python PACKAGE=PROGRAM]... [--targets FORMAT,...] [PACKAGE...]

--python says which Python has a package (this one). Packages and targets that are not named keep their rows. Every package is asked
once for what it makes of all of fp16, and of the fp32 numbers that inputs() lists; each profile is then held against that.
"""
import argparse
import functools
import shlex
import struct
import subprocess
import sys

from library_page import ROOT
from measured import Data, placed, this_run

DATA = Data("library-casts")
ADAPTERS = ROOT / "src" / "impl" / "adapters"
# The adapter of each package, and what follows its name.
PACKAGES = {"numpy": ("numpy",), "jax": ("jax",), "torch": ("torch",), "onnx": ("onnx",), "onnx-unsaturated":
            ("onnx", "--unsaturated"), "onnxruntime": ("onnx", "onnxruntime", "--opset", "24"),
            "onnxruntime-unsaturated": ("onnx", "onnxruntime", "--opset", "24", "--unsaturated")}
TARGETS = """fp8_e4m3fn fp8_e4m3fnuz fp8_e5m2 fp8_e5m2fnuz fp8_e3m4 fp8_e4m3 fp8_e4m3b11fnuz fp8_e8m0fnu fp6_e2m3fn
fp6_e3m2fn fp4_e2m1fn""".split()
SOURCES, BYTES = ("fp16", "fp32"), {"fp16": 2, "fp32": 4}
BLOCK = 32768


@functools.lru_cache
def inputs(source):
    """All codes of fp16; of fp32 those that end with 16 zeros, their neighbours, and so all that lies halfway between two
    numbers of a target, infinities, and NaNs of both signs."""
    if source == "fp16":
        return range(1 << 16)
    return [high << 16 | low for high in range(1 << 16) for low in (0, 1, 0xffff)]


class Answers:
    """What a package's adapter answers of a cast, by the protocol of detcheck-exec(7)."""

    def __init__(self, command, source, target):
        name = [word.encode().ljust(32, b"\0") for word in ("cast", source, target, "nearest-even")]
        text = f"to={target}\nprofile=ieee\n".encode()
        self.detail, self.outputs = None, b""
        with subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as worker:
            worker.stdin.write(struct.pack("<8s6I", b"detcheck", 1, 1, 1, BYTES[source], 1, len(text)) + b"".join(name) + text)
            worker.stdin.flush()
            head = worker.stdout.read(16)
            status, length = struct.unpack("<2I", head[8:]) if len(head) == 16 else (1, 0)
            detail = worker.stdout.read(length).decode()
            if status == 0:
                self.detail = detail
                self.ask(worker, inputs(source), BYTES[source])
            worker.stdin.close()

    def ask(self, worker, codes, size):
        for at in range(0, len(codes), BLOCK):
            block = codes[at:at + BLOCK]
            worker.stdin.write(struct.pack("<2IQ", 2, len(block), 0) + b"".join(one.to_bytes(size, "little") for one in block))
            worker.stdin.flush()
            answer = worker.stdout.read(12 + len(block))
            if answer[:4] != b"answ" or answer[-4:] != b"done":
                raise SystemExit(f"{worker.args}: its answer is none")
            self.outputs += answer[8:-4]


@functools.lru_cache
def profiles(program):
    """The names of those that have rules for casts."""
    words = [program, "eval", "cast", "--to", "fp16", "--profile", "ocp-up", "1"]
    refusal = subprocess.run(words, capture_output=True, text=True, check=False).stderr
    return refusal.strip().split("these have one: ")[1].split(", ")


@functools.lru_cache(None)
def table(program, source, target, profile):
    """The codes that a profile makes of the inputs; None where it says nothing of the target. A line of the program's table
    is of one code, or of a run of those of a wider format."""
    words = [program, "table", "cast", "--from", source, "--to", target, "--profile", profile, "--as", "csv"]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if f"the profile {profile} says nothing of {target}" in done.stderr:
        return None
    if done.returncode:
        raise SystemExit(done.stderr)
    heading, *lines = [line.split(",") for line in done.stdout.splitlines()]
    last, made = heading.index("last" if "last" in heading else "x"), heading.index("code")
    runs = sorted((int(line[last], 16), int(line[made], 16)) for line in lines)
    at, outputs = 0, bytearray()
    for code in inputs(source):
        while runs[at][0] < code:
            at += 1
        outputs.append(runs[at][1])
    return bytes(outputs)


def is_nan(source, code):
    infinity = {"fp16": 0x7c00, "fp32": 0x7f800000}[source]
    return code & (2 * infinity - 1 if source == "fp16" else 0x7fffffff) > infinity


def part(source, answers, wanted):
    """The first number, the first NaN, that a package and a profile make different codes of; None where there is none."""
    found = [None, None]
    if answers == wanted:
        return found
    for code, one, other in zip(inputs(source), answers, wanted):
        which = is_nan(source, code)
        if one != other and found[which] is None:
            found[which] = (code, one, other)
    return found


def shown(source, code, one, other):
    """The number, the package's code and the profile's."""
    value, = struct.unpack("<e" if source == "fp16" else "<f", code.to_bytes(BYTES[source], "little"))
    number = f"0x{code:0{2 * BYTES[source]}x}" if value != value else f"{value:.9g}"
    return source, number, f"0x{one:02x}", f"0x{other:02x}"


def judge(program, package, command, targets):
    """{target: (profiles kept, profiles kept but for NaNs, [(profile, where it parts)])} and what the package is."""
    rows, detail = {}, None
    for target in targets:
        answers = {source: Answers(command, source, target) for source in SOURCES}
        if not all(one.detail for one in answers.values()):
            continue
        detail, kept, nearly, parted = answers["fp32"].detail, [], [], []
        for profile in profiles(program):
            wanted = {source: table(program, source, target, profile) for source in SOURCES}
            if None in wanted.values():
                continue
            found = {source: part(source, answers[source].outputs, wanted[source]) for source in SOURCES}
            numbers = [(source, one[0]) for source, one in found.items() if one[0]]
            if numbers:
                parted.append((profile, shown(numbers[0][0], *numbers[0][1])))
            else:
                (nearly if any(one[1] for one in found.values()) else kept).append(profile)
        rows[target] = (kept, nearly, parted)
        print(package, target, *kept, flush=True)
    return {"detail": detail, "rows": rows}


def order():
    """Profiles as the program lists them."""
    return placed({"package": list(PACKAGES)}, {"target": TARGETS})


def put(package, found, targets):
    """Writes a package's rows for these targets."""
    run, rows = this_run(found["detail"]), found["rows"].items()
    kept = [(package, target, ", ".join(kept) or "none", ", ".join(nearly)) for target, (kept, nearly, _) in rows]
    parted = [(package, target, profile, *where) for target, (_, _, parted) in rows for profile, where in parted]
    for table_, of_table in (("kept", kept), ("parted", parted)):
        DATA.put(table_, of_table, run, order(), lambda row: row["package"] == package and row["target"] in targets)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--python", action="append", default=[], metavar="PACKAGE=PROGRAM", help="the Python of a package")
    parser.add_argument("--targets", type=lambda text: text.split(","), default=TARGETS, help="of these formats alone")
    parser.add_argument("packages", nargs="*", default=list(PACKAGES))
    given = parser.parse_intermixed_args()
    unknown = {*given.packages} - {*PACKAGES} | {*given.targets} - {*TARGETS}
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join([*PACKAGES, *TARGETS])}")
    pythons = dict(one.split("=", 1) for one in given.python)
    for package in given.packages:
        adapter, *words = PACKAGES[package]
        command = shlex.join([pythons.get(package, sys.executable), "-B", str(ADAPTERS / f"{adapter}_adapter.py"), *words])
        found = judge(given.program, package, command, given.targets)
        if not found["rows"]:
            raise SystemExit(f"{command}: it answers no cast")
        put(package, found, given.targets)


if __name__ == "__main__":
    main()
