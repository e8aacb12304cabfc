#!/usr/bin/env python3
"""Measures the processor time of each method of the default tests, and writes slow.txt: those that the label slow runs.

It runs all methods of the tests whose names match REGEX, two tests at a time, and stores the times in BUILD/seconds.txt. Then it
lists the methods that take more than SECONDS, but not the quickest method of a class, unless this takes five times as long. Rows
of tests that were never measured in BUILD stay. --choose runs nothing, and lists by BUILD/seconds.txt. Tests that have no methods
are printed with their time, if they take more than SECONDS."""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

SLOW = os.path.join(os.path.dirname(os.path.abspath(__file__)), "slow.txt")
UNDIVIDED = {"property_systems"}  # which has only the methods that SYSTEMS in the environment names
OTHERS = {"exhaustive", "proof", "reach", "fuzz", "cluster", "slow"}
HEAD = """# Methods that the default run leaves out and the label slow runs: the test, the method, its seconds of processor time.
# tests/slow.py measures them and writes this file.
"""


def default_tests(build):
    """The name, the command, the environment and the folder of each test of the default run."""
    output = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    for test in json.loads(output)["tests"]:
        properties = {one["name"]: one["value"] for one in test.get("properties", [])}
        if "command" in test and not OTHERS.intersection(properties.get("LABELS", [])):
            environment = dict(line.split("=", 1) for line in properties.get("ENVIRONMENT", []))
            yield test["name"], test["command"], environment, properties.get("WORKING_DIRECTORY", build)


def measure(name, command, environment, folder):
    """The seconds of a test, and of each of its methods; None if it fails."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
        environment = {**os.environ, **environment, "SECONDS_TO": file.name}
        environment.pop("TIER", None)
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 77):
            return name, None, {}
        methods = {method: float(taken) for method, taken in map(str.split, file)}
        return name, used.ru_utime + used.ru_stime, methods


def read(path):
    """The rows of a file: {test: {method: seconds}}."""
    seconds = collections.defaultdict(dict)
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                test, method, taken = line.split()
                seconds[test][method] = float(taken)
    return seconds


def write(path, rows, head=""):
    with open(path, "w", encoding="utf-8") as file:
        file.write(head)
        file.writelines(f"{test} {method} {taken:.2f}\n" for test, method, taken in sorted(rows))


def slow_methods(seconds, at_most):
    """The methods that take longer; but each test keeps one, and each class one, unless its quickest takes five times as long."""
    for test, methods in seconds.items():
        quickest = {}
        for taken, method in sorted(((taken, method) for method, taken in methods.items()), reverse=True):
            quickest[method.rpartition(".")[0]] = (taken, method)
        kept = {method for taken, method in quickest.values() if taken <= 5 * at_most} or {min(quickest.values())[1]}
        yield from ((test, method, taken) for method, taken in methods.items() if taken > at_most and method not in kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("-R", dest="pattern", default="", metavar="REGEX")
    parser.add_argument("--at-most", type=float, default=0.12, metavar="SECONDS", help="0.12")
    parser.add_argument("--choose", action="store_true")
    words = parser.parse_args()
    tests = list(default_tests(words.build))
    measured = os.path.join(words.build, "seconds.txt")
    seconds = read(measured) if os.path.exists(measured) else {}
    names = {test[0] for test in tests}
    seconds = {name: methods for name, methods in seconds.items() if name in names}
    if not words.choose:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            chosen = (test for test in tests if re.search(words.pattern, test[0]))
            for name, whole, methods in pool.map(lambda test: measure(*test), chosen):
                if whole is None:
                    print(f"{name} fails, and keeps its rows", file=sys.stderr)
                    continue
                seconds[name] = methods
                if not methods and whole > words.at_most:
                    print(f"{whole:.2f} {name}", flush=True)
                write(measured, [(test, *row) for test, rows in seconds.items() for row in rows.items()])
    rows = list(slow_methods({name: seconds[name] for name in seconds.keys() - UNDIVIDED}, words.at_most))
    kept = [(name, *row) for name, methods in read(SLOW).items() if name in names - seconds.keys() for row in methods.items()]
    write(SLOW, rows + kept, HEAD)
    every = sum(sum(methods.values()) for methods in seconds.values())
    left_out = sum(taken for *_, taken in rows)
    print(f"the label slow runs {len(rows)} of {sum(map(len, seconds.values()))} methods, {left_out:.0f} of {every:.0f} s")


if __name__ == "__main__":
    main()
