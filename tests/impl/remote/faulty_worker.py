"""A worker for exec: that computes sqrt in fp32 or fp64, or sincos or asin of tiny numbers, or narrows fp64
to fp32, with the standard library alone, and misbehaves where FAULTS=KIND@BITS,... says:

  crash, exit, hang    at that input
  short                half of the answer, then the end
  stall                half of the answer, then nothing
  close                closes stdout and lives on
  junk, long, count    at the answer with that input: other letters first; a byte too many; another count
  slow                 a pause before that answer, unless it is of a single input
  trickle              the answer byte by byte, with a pause before each
  twice                the answer twice
  late                 the answer a second time once the next request has been read
  later                the answer a second time once the request after the next one has been read
  leave                that answer, then the end
  grow                 a gibibyte of memory before that answer

or STARTS=WORD: status (a reply of status 9), silent (no reply), bytes (in its name, no text), junk (no reply but text), dead (ends at once), refuse, mute (refuses
without a word), later (refuses when it is started again: RECORD is there), replace (adds a line to its own file, once), wrong (twice
the right results unless RECORD is there).
EACH=KIND: it does so at each answer. FLAKY=N, with RECORD: it hangs at about one of so many inputs, at others each time.
TELLS=STATUS,RAISED,CLEARED,ERRNO: it replies with that status, and its answers have these bytes for each input.
RECORD=FILE: appends what it was asked, a line each.
"""

import math
import os
import random
import signal
import struct
import sys
import time

from worker import faults, give, record, take

FAULTS = faults(lambda at: int(at, 16))
STARTS = os.environ.get("STARTS", "")
FLAKY = int(os.environ.get("FLAKY", "0"))
LETTERS = {1: "B", 2: "H", 4: "I", 8: "Q"}


def square_root(x):
    return math.sqrt(x) if x >= 0 else math.nan


COMPUTE = {"sqrt": lambda x: (square_root(x),), "sincos": lambda x: (x, 1.0), "asin": lambda x: (x,),
           "add": lambda x, y: (x + y,), "narrow": lambda x: (x,)}


def misbehave(kinds):
    if "crash" in kinds:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "exit" in kinds:
        os._exit(3)
    if "close" in kinds:
        os.close(1)
    if "hang" in kinds or "close" in kinds:
        time.sleep(3600)


if STARTS == "later" and os.path.exists(os.environ["RECORD"]):
    STARTS = "mute"
FACTOR = 2 if STARTS == "wrong" and not os.path.exists(os.environ["RECORD"]) else 1
if STARTS == "replace":
    with open(__file__, "r+", encoding="utf-8") as own:
        if not own.read().endswith("# replaced"):
            own.write("# replaced")
if STARTS == "dead":
    sys.exit("this worker does not work")
header = struct.unpack("<8s6I32s32s32s32s", take(160))
magic, version, operands, results, operand_bytes, result_bytes, length = header[:7]
operation, form, result_format, rounding = (name.rstrip(b"\0").decode() for name in header[7:])
record(version, operands, results, operand_bytes, result_bytes, operation, form, result_format, rounding,
       *take(length).decode().splitlines())
if STARTS == "silent":
    time.sleep(3600)
if STARTS == "junk":
    give(b"Hello, world! This is no reply.\n" * 20)
    time.sleep(3600)
reason = b"" if STARTS != "refuse" else b"it does not feel like it"
text = reason or (b"te\xff\0\n" if STARTS == "bytes" else b"" if STARTS == "mute" else b"test")
status, *TOLD = map(int, os.environ.get("TELLS", "0").split(","))
give(b"detreply", struct.pack("<2I", 9 if STARTS == "status" else 1 if reason or STARTS == "mute" else status, len(text)), text)
TOLD = {4: TOLD[:2], 5: TOLD[2:], 6: TOLD}.get(status, [])
if reason or STARTS == "mute":
    sys.exit()
again, later = b"", []
while True:
    kind, count, first = struct.unpack("<2IQ", take(16))
    record("range" if kind == 1 else "block", count, first)
    if kind == 1:
        codes = [range(first, first + count)]
    else:
        codes = [struct.unpack(f"<{count}{LETTERS[operand_bytes]}", take(operand_bytes * count))
                 for _ in range(operands)]
    give(again, *(answer for left, answer in later if not left))
    later = [(left - 1, answer) for left, answer in later if left]
    here = {fault for fault, at in FAULTS if at in codes[0]} | set(os.environ.get("EACH", "").split())
    # Other draws for each request, and the same ones in each run.
    draw = random.Random(f"request {os.path.getsize(os.environ['RECORD'])}") if FLAKY else None
    if any(draw.random() * FLAKY < 1 for _ in range(count) if FLAKY):
        here.add("hang")
    misbehave(here)
    letter = {4: "f", 8: "d"}
    numbers = [struct.unpack(f"<{count}{letter[operand_bytes]}",
                             struct.pack(f"<{count}{LETTERS[operand_bytes]}", *code)) for code in codes]
    if "slow" in here and count > 1:
        time.sleep(0.01 * count)
    outputs = [[FACTOR * y for y in results] for results in zip(*map(COMPUTE[operation], *numbers))]
    answer = struct.pack("<I", count + ("count" in here)) + b"".join(
        struct.pack(f"<{count}{letter[result_bytes]}", *output) for output in outputs) + b"".join(
            bytes([told]) * count for told in TOLD) + b"done"
    answer = (b"oops" if "junk" in here else b"answ") + answer
    if "long" in here:
        answer = answer[:20] + b"!" + answer[20:]
    if "short" in here or "stall" in here:
        give(answer[:len(answer) // 2])
        if "short" in here:
            sys.exit()
        time.sleep(3600)
    while "trickle" in here and answer:
        time.sleep(0.1)
        give(answer[:1])
        answer = answer[1:]
    memory = bytearray(1 << 30) if "grow" in here else b""
    again = answer if "late" in here else b""
    later += [(1, answer)] * ("later" in here)
    give(answer * (1 + ("twice" in here)))
    if "leave" in here:
        sys.exit()
