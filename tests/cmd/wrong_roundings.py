"""The catalogue of faults: operations that are rounded wrongly in rare places, after faults that were published.

python3 wrong_roundings.py DETCHECK LIBRARY [NAME ...]  prints a table: how long each kind of input takes to the first
wrong one, on one thread. tests/programs/misrounding_library.c has the functions, in code of our own.
"""

import json
import subprocess
import sys
import time
from collections import namedtuple

# A function of the library, the operation that it claims to be, its options, what is wrong, and where that was published.
Fault = namedtuple("Fault", "function operation options wrong published")

FAULTS = [
    Fault("fma_not_fused", "fma", "-f fp32", "product and sum rounded each", "Debian bug 372544 (glibc bug 3268)"),
    Fault("fma_rounded_twice", "fma", "-f fp32", "rounded to fp64 first", "openjdk/jdk#2684"),
    Fault("fma_subnormal_twice", "fma", "-f fp32", "rounded twice where results are subnormal",
          "musl 1.2.3 fmaf; dotnet/runtime#133349; rust-lang/compiler-builtins#1262, #1270"),
    Fault("fma_exact_by_one_side", "fma", "-f fp32", "a sum that is not exact is taken for one",
          "JuliaMath/openlibm#357 (#160)"),
    Fault("fma_not_fused_fp64", "fma", "-f fp64", "product and sum rounded each", "Debian bug 372544 (glibc bug 3268)"),
    Fault("fma_by_x87", "fma", "-f fp64", "rounded to 64 bits, twice", "mingw-w64 c7fb1a6e"),
    Fault("div_by_reciprocal", "div", "-f fp32", "a times 1/b", "compilers of devices by -ffast-math"),
    Fault("div_by_reciprocal_fp64", "div", "-f fp64", "a times 1/b", "compilers of devices by -ffast-math"),
    Fault("add_by_x87", "add", "-f fp64", "rounded to 64 bits first", "GCC bug 323"),
    Fault("sub_by_x87", "sub", "-f fp64", "rounded to 64 bits first", "GCC bug 323"),
    Fault("mul_by_x87", "mul", "-f fp64", "rounded to 64 bits first", "GCC bug 323"),
    Fault("div_by_x87", "div", "-f fp64", "rounded to 64 bits first", "GCC bug 323"),
    Fault("sqrt_by_x87", "sqrt", "-f fp64", "rounded to 64 bits first", "JuliaMath/openlibm#256"),
]


def words_of(fault, library):
    return [fault.operation, *fault.options.split(), "--impl", f"lib:{library}:{fault.function}", "--threads", "1"]


def wrong_of(result):
    """How many outputs of a result are wrong."""
    one = result["implementations"][0]
    return one["incorrectly_rounded"] + one["nan_mismatches"]


def run(program, words):
    start = time.monotonic()
    done = subprocess.run([program, *words, "--json", "-"], capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr.decode())
    return json.loads(done.stdout)["results"][0], time.monotonic() - start


def seconds_to_first(result, seconds):
    """By the evaluations to the first find, of those that the search made in these seconds."""
    search = result["inputs"]["search"]
    growth = search["parts"][0]["growth"]
    return seconds * growth[0]["evaluations"] / search["evaluations"] if growth else None


def measure(program, library, fault):
    """Seconds to the first wrong input, or None, by each kind of input."""
    words = words_of(fault, library)
    found, seconds = run(program, ["search", *words, "--for", "wrong-rounding", "--evaluations", "200000"])
    yield seconds_to_first(found, seconds)
    found, seconds = run(program, ["search", *words, "--seconds", "1"]) if searched(fault) else (None, 0)
    yield seconds if found and wrong_of(found) else None
    for inputs in (["--special"], ["--samples", "1000000", "--run-length", "1"]):
        found, seconds = run(program, ["sweep", *words, *inputs])
        wrong = wrong_of(found)
        yield seconds / (wrong if inputs[0] == "--samples" else 1) if wrong else None


def searched(fault):
    """Whether a search for errors takes the operation: it has more than 2^32 inputs."""
    return "fp64" in fault.options or fault.operation not in ("sqrt", "recip", "rsqrt", "cbrt", "cast")


def main():
    program, library, *names = sys.argv[1:]
    print(f"{'function':<28} {'--for wrong-rounding':>20} {'search':>10} {'--special':>10} {'samples':>10}  published")
    for fault in FAULTS:
        if names and fault.function not in names:
            continue
        times = ["none" if one is None else f"{one:.3f} s" for one in measure(program, library, fault)]
        print(f"{fault.function:<28} {times[0]:>20} {times[1]:>10} {times[2]:>10} {times[3]:>10}  {fault.published}", flush=True)


if __name__ == "__main__":
    main()
