#!/usr/bin/env python3
"""Measures the rows of detcheck-library-jax(7): JAX on this processor, held to the figures of its own accuracy page.

    PYTHONPATH=build/release/python man/tables/library_jax.py DETCHECK [--formats bf16,fp16,fp32] [--samples N] [FUNCTION...]

Each row of the policy jax_cpu is swept over all of a format, and functions of two operands, and sinc and ndtri of fp32,
over N inputs (10,000,000), or over all of them with --samples 0. A row is held to half an ulp less than its figure, so that the worst output tells the
largest error that is there, unless that is less still. Rows of other names and formats stay as they are in the data file, which
is written after each row: the command can run alone for hours, and be ended at any time. DETCHECK_PYTHON names the Python
that has JAX. A row whose sweep fails stays as it is, and the command says why.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

from library_page import NONE, ROOT, spelled, versions_of
from measured import Data, placed, this_run

DATA = Data("library-jax")
POLICY = ROOT / "vectors/policies/jax_cpu.txt"
FORMATS = ("bf16", "fp16", "fp32")
PAIRS = ("atan2", "hypot")
# Formulas that the exact oracle takes days for, over all of fp32.
SAMPLED = ("sinc", "ndtri")
# Operations that detcheck has no row for, as formulas.
FORMULAS = """square(x) = x*x
deg2rad(x) = x*pi/180
rad2deg(x) = x*180/pi
sinc(x) = select(x == 0, 1, sin(pi*x)/(pi*x))
    sinc(inf) = 0
    sinc(-inf) = 0
erfcinv(x) = erfinv(1 - x)
ndtri(x) = sqrt(2)*erfinv(2*x - 1)
"""
# What the page means where detcheck's own name of the function says another: functions of JAX's module lax.
NAMES = {**{name: f"py:jax:lax.{name}" for name in "acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp2 "
                                                    "expm1 log log1p rsqrt sin sinh sqrt square tan tanh".split()},
         "i0e": "py:jax:lax.bessel_i0e", "i1e": "py:jax:lax.bessel_i1e", "erfinv": "py:jax:lax.erf_inv",
         "sigmoid": "py:jax:lax.logistic", "recip": "py:jax:lax.reciprocal",
         **{name: f"py:jax:numpy.{name}" for name in "deg2rad hypot log10 log2 rad2deg sinc".split()},
         **{name: f"py:jax:scipy.special.{name}" for name in "erfcinv erfcx ndtri".split()}}
HIGHEST = "highest.py"
ADAPTER = "".join(f"""
def {name}_highest(x):
    return lax.{name}(x, accuracy=lax.AccuracyMode.HIGHEST)
""" for name in ("exp", "expm1", "erfc"))


def read_rows():
    """{(function, format): figure}, those of accuracy=HIGHEST by the name "exp highest"."""
    rows = {}
    for line in POLICY.read_text(encoding="ascii").splitlines():
        found = re.fullmatch(r"(\w+)(?:\(\*)? (\w+)( implementation \*highest\*)? promise (\S+)", line)
        if found and found[2] in FORMATS:
            rows[found[1] + (" highest" if found[3] else ""), found[2]] = float(found[4])
    return rows


def order(names):
    return placed({"function": names}, {"format": FORMATS})


def verdicts():
    """The sentence that counts the figures by what was found of them."""
    cells = [row["figure"] for row in DATA.rows("figures")]
    held, less, more = (sum(cell.endswith(sign) for cell in cells) for sign in "=<!")
    return (f"{held + less + more} published figures were tested.\n{held} are the largest error, rounded up to a multiple of half an ulp. "
            f"{less} {'is' if less == 1 else 'are'} larger than that. {more} are smaller than the largest error, and so refuted.")


def shown(error):
    return f"{int(error * 1e3) / 1e3:.3f}" if error < 1000 else f"{error:.1e}".replace("e+0", "e").replace("e+", "e")


def judge(program, name, form, figure, samples, **options):
    """The cell, the worst input of what is refuted or None, what JAX says it is. The cell is None where the sweep gave no verdict."""
    function, _, highest = name.partition(" ")
    sampled = function in PAIRS or (form == "fp32" and function in SAMPLED)
    inputs = ["-n", str(samples)] if sampled and samples else ["--all"]
    implementation = f"py:./{HIGHEST}:{function}_highest" if highest else NAMES[function]
    limit = max(figure - 0.5, 0.5)
    with open(os.path.join(options["cwd"], "policy.txt"), "w", encoding="ascii") as policy:
        policy.write(f"accept flushed_inputs,flushed_ulps,zero_sign\nformat {form} promise {limit:g} promise.inputs zero,subnormal,normal,infinity\n")
    done = subprocess.run([program, "sweep", function, "--operations", "formulas", "-f", form, *inputs, "--impl", implementation,
                           "--policy", "policy.txt", "--timeout", "300", "--json", "-"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, **options)
    if done.returncode not in (0, 1):
        said = done.stderr.decode().strip()
        print(f"{name} in {form}:", said, flush=True)
        return NONE if re.search("AttributeError|unexpected keyword argument", said) else None, None, "JAX"
    one = json.loads(done.stdout)["results"][0]["implementations"][0]
    promise = one["promise"]
    if not promise["violations"]:
        return f"{figure:g}:{limit:g}{'=' if figure <= 0.5 else '<'}", None, one.get("detail", "JAX")
    worst = promise["worst"]
    error = worst["error"]
    found = "NaN" if error is None else shown(error)
    if error is not None and error <= figure:
        return f"{figure:g}:{found}=", None, one.get("detail", "JAX")
    wrong = "NaN on one side only" if error is None else f"{found} ulps"
    more = f"{promise['violations']:,} of {one['tested']:,} outputs are off by more than {limit:g}"
    return f"{figure:g}:{found}!", f"{wrong} at {spelled_input(form, worst)}; {more}", one.get("detail", "JAX")


def spelled_input(form, worst):
    """The operands, and the bits that came and that were right."""
    codes = worst["input"] if isinstance(worst["input"], list) else [worst["input"]]
    return f"{', '.join(codes if form == 'fp16' else [spelled(one if form == 'fp32' else one + '0000') for one in codes])}: got {worst['got']}, right is {worst['want']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--formats", default=",".join(FORMATS))
    parser.add_argument("--samples", type=int, default=10_000_000)
    parser.add_argument("functions", nargs="*")
    given = parser.parse_intermixed_args()
    figures = read_rows()
    names = list(dict.fromkeys(name for name, _ in figures))
    # The sweeps run in another folder.
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(os.path.abspath(path) for path in paths if path)}
    with tempfile.TemporaryDirectory() as folder:
        for file, text in (("formulas", FORMULAS), (HIGHEST, "from jax import lax\n" + ADAPTER)):
            with open(os.path.join(folder, file), "w", encoding="ascii") as stream:
                stream.write(text)
        for (name, form), figure in figures.items():
            if form not in given.formats.split(",") or (given.functions and name not in given.functions):
                continue
            cell, line, detail = judge(given.program, name, form, figure, given.samples, cwd=folder, env=environment)
            if cell is None:
                continue
            run = this_run(versions_of(given.program, detail))
            DATA.put("figures", [(name, form, cell)], run, order(names))
            DATA.put("refuted", [(name, form, line)] if line else [], run, order(names),
                     lambda row, key=(name, form): (row["function"], row["format"]) == key)
            DATA.put("findings", [("verdicts", verdicts())], run, placed())
            print(name, form, cell, line or "", flush=True)


if __name__ == "__main__":
    sys.exit(main())
