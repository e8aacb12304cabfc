#!/usr/bin/env python3
"""Measures what built inputs cost a search for errors: the rows of detcheck-search(1).

    man/tables/built_costs.py DETCHECK SECONDS OPERATION:IMPLEMENTATION[:SEED]...

For each, two searches in fp64 run at once, with built inputs and without them (--without built). Each is interrupted after that many
seconds of processor time, on one thread, and its report says the largest error by then.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from library_page import versions_of
from measured import Data, placed, this_run, version_of

DATA = Data("built-costs")
TICKS = os.sysconf("SC_CLK_TCK")
LOOKS_EACH = 0.1  # seconds


class Search:
    """One search under way."""

    def __init__(self, program, operation, implementation, seed, more):
        self.output = tempfile.TemporaryFile()  # pylint: disable=consider-using-with
        words = [program, "search", operation, "-f", "fp64", "--impl", implementation, "--threads", "1", "--seed", seed, "--seconds", "1000000",
                 *more, "--json", "-"]
        self.process = subprocess.Popen(words, stdout=self.output, stderr=subprocess.DEVNULL)  # pylint: disable=consider-using-with
        self.seconds = 0.0

    def goes_on(self, limit):
        """Interrupts it when it has used its time."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stream:
            fields = stream.read().rpartition(")")[2].split()
        self.seconds = (int(fields[11]) + int(fields[12])) / TICKS
        if self.seconds < limit and self.process.poll() is None:
            return True
        self.process.send_signal(signal.SIGINT)
        return False

    def result(self):
        """How many inputs it tried, and the largest error."""
        self.process.wait()
        self.output.seek(0)
        search = json.load(self.output)["results"][0]["inputs"]["search"]
        return search["evaluations"], search["parts"][0]["best"][0]["error"]


def measure(program, seconds, operation, implementation, seed):
    """The row of a pair of searches."""
    under_way = both = [Search(program, operation, implementation, seed, more) for more in ((), ("--without", "built"))]
    while under_way:
        time.sleep(LOOKS_EACH)
        under_way = [one for one in under_way if one.goes_on(seconds)]
    (tried, error), (tried_without, error_without) = (one.result() for one in both)
    return (operation, implementation, seed, f"{seconds:g}", f"{tried / 1e6:.2f}", f"{tried_without / 1e6:.2f}", f"{error:.6f}",
            f"{error_without:.6f}", f"{100 * (error / error_without - 1):+.2f} %")


def versions(program, pairs):
    """With the C library's, where a pair has its libm."""
    known = versions_of(program, version_of(program))
    if not any(pair.split(":")[1] == "libm" for pair in pairs):
        return known
    library = json.loads(subprocess.run([program, "env", "--json", "-"], capture_output=True, check=True).stdout)["platform"]["libc"]
    return known.replace(", ", f", libm of {library}, ", 1)


def main():
    program, seconds, *pairs = sys.argv[1:]
    run = this_run(versions(program, pairs))
    for pair in pairs:
        operation, implementation, seed = (pair.split(":") + ["1"])[:3]
        row = measure(program, float(seconds), operation, implementation, seed)
        print(*row, flush=True)
        DATA.put("costs", [row], run, placed())


if __name__ == "__main__":
    main()
