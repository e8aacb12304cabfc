#!/usr/bin/env python3
"""Makes libraries.json, by which `detcheck` tells whose bits a library gives: fingerprints of the functions of
mathematical libraries, those of this machine that can be run.

    vectors/libraries.py DETCHECK [--library NAME]... [--all] [--anew] [--seconds SECONDS] [--intel FOLDER]
                         [--python PYTHON] [--jax PYTHON] [--newlib SOURCE] [FUNCTION...]

Of fp16 and bf16 there are all inputs, of fp32 those of "--samples 1048576 --seed 1" and of "--special"; with --all all
2^32 too, which takes a processor between 2 and 60 seconds for a function of a library. What the table has stays, unless
--anew is given. Nothing is added to a function that has other bits here than in the table: another processor may make
another library of it. The table is written after each function of a library, and --seconds of processor time after the
start no other one is begun. libraries.json says which version of a library it was, and by which --impl it was run. FOLDER
has Intel's libimf.so and libsvml.so (the package intel-cmplr-lib-rt); PYTHON has numpy, or jax; SOURCE is newlib's, with
newlib/libm in it (Debian's newlib-source), which is built here by cc: as it is on most processors, and with its newer
exp, log, pow, sin and cos, as on Arm. A library that is not there is left out.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "vectors" / "libraries.json"
FUNCTIONS = """exp log sin cos tanh exp2 log2 tan erf expm1 log1p cbrt exp10 log10 sinh cosh asin acos atan asinh acosh
atanh erfc tgamma lgamma""".split()
FORMATS = {"fp16": ("all", "special"), "bf16": ("all", "special"), "fp32": ("samples", "special")}
INPUTS = {"all": ["--all"], "samples": ["--samples", "1048576", "--seed", "1"], "special": ["--special"]}

# The name; how it is run, of a function; what the environment has besides. {folder}, {intel}, {python}, {jax}: as given.
# As numpy calls them from 2.4 on, and before.
AVX512 = "X86_V4 AVX512_ICL AVX512_SPR AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL"
FMA_OFF = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4"}
ROWS = (
    ("detcheck det", "det", {}),
    ("detcheck cr: correctly rounded", "cr", {}),
    ("glibc {glibc}", "libm", {}),
    ("glibc {glibc} without FMA", "libm", FMA_OFF),
    ("libmvec of glibc {glibc}", "libmvec", {}),
    ("musl 1.2.3", "exec:{folder}/musl", {}),
    ("newlib {newlib}", "lib:{folder}/newlib1.so:{name}f", {}),
    ("newlib {newlib}, as on Arm", "lib:{folder}/newlib0.so:{name}f", {}),
    ("SLEEF {sleef} u10", "sleef", {}),
    ("SLEEF {sleef} u35", "lib:libsleef.so.3:Sleef_{name}f8_u35avx2,vector", {}),
    ("libimf of Intel's {intel_version}", "lib:libimf.so:{name}f", {"LD_LIBRARY_PATH": "{intel}"}),
    ("SVML of Intel's {intel_version}, high accuracy", "lib:libsvml.so:__svml_{name}f8_ha,vector",
     {"LD_LIBRARY_PATH": "{intel}"}),
    ("SVML of Intel's {intel_version}", "lib:libsvml.so:__svml_{name}f8,vector", {"LD_LIBRARY_PATH": "{intel}"}),
    ("SVML of Intel's {intel_version}, enhanced performance", "lib:libsvml.so:__svml_{name}f8_ep,vector",
     {"LD_LIBRARY_PATH": "{intel}"}),
    ("numpy {numpy}", "exec:{python} {adapters}/numpy_adapter.py", {}),
    ("numpy {numpy} without AVX512", "exec:{python} {adapters}/numpy_adapter.py", {"NPY_DISABLE_CPU_FEATURES": AVX512}),
    ("numpy {numpy} without AVX2 and FMA", "exec:{python} {adapters}/numpy_adapter.py",
     {"NPY_DISABLE_CPU_FEATURES": "X86_V3 AVX2 FMA3 " + AVX512}),
    ("jax {jax_version} on a CPU", "exec:{jax} {adapters}/jax_adapter.py", {}),
)


def output(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def build_newlib(source, folder):
    """newlib's libm as two shared libraries, by its switch __OBSOLETE_MATH; its version, or None where it is not there."""
    top = pathlib.Path(source, "newlib")
    if not source or not (top / "libm").is_dir():
        return None
    for name in ("newlib.h", "_newlib_version.h"):  # which its configure would write
        pathlib.Path(folder, name).touch()
    # What its libc has for libm: errno, and room for signgam.
    pathlib.Path(folder, "libc.c").write_text(
        "static int e; int *__errno(void) { return &e; } static char room[65536]; void *_impure_ptr = room;\n",
        encoding="ascii")
    files = sorted(str(path) for part in ("common", "math") for path in (top / "libm" / part).glob("*.c"))
    for old in (0, 1):
        subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-nostdlib", "-fno-builtin", "-ffp-contract=off", "-Wl,-Bsymbolic",
                        f"-D__OBSOLETE_MATH_DEFAULT={old}", "-w", "-I", folder, "-I", top / "libc" / "include", "-I",
                        top / "libm" / "common", *files, folder + "/libc.c", "-o", f"{folder}/newlib{old}.so"], check=True)
    return re.search(r"PACKAGE_VERSION='([\d.]+)'", (top / "configure").read_text(encoding="utf-8")).group(1)


def surroundings(given, folder):
    """What the rows name: versions and folders; None where a thing is not there."""
    def version(python, module):
        return python and output(python, "-c", f"import {module}; print({module}.__version__)") or None
    if shutil.which("musl-gcc"):
        subprocess.run(["musl-gcc", "-O2", "-ffp-contract=off", "-D_GNU_SOURCE", "-static",
                        ROOT / "src/impl/adapters/c_adapter.c", "-o", folder + "/musl"], check=True)
    sleef = [re.search(r"so\.([\d.]+)$", str(path)).group(1)
             for path in pathlib.Path("/usr/lib").glob("*/libsleef.so.*.*") if re.search(r"so\.([\d.]+)$", str(path))]
    return {"folder": folder, "adapters": str(ROOT / "src/impl/adapters"), "intel": given.intel,
            "python": given.python, "jax": given.jax, "newlib": build_newlib(given.newlib, folder),
            "glibc": output("getconf", "GNU_LIBC_VERSION").rpartition(" ")[2] or None,
            "sleef": sleef[0] if sleef else None, "intel_version": given.intel and given.intel_version,
            "numpy": version(given.python, "numpy"), "jax_version": version(given.jax, "jax")}


def filled(text, names):
    """The text with the names put in; None where one of them is not there."""
    wanted = re.findall(r"\{(\w+)\}", text)
    return text.format_map(names) if all(names.get(one) for one in wanted) else None


def fingerprints(program, implementation, env, name, format_, inputs):
    """Of what an implementation gives for these inputs and for fewer; none where it has no such function."""
    words = [program, "explain", name, "-f", format_, "--impl", implementation, "--json", "-"] + INPUTS[inputs]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                          env={**os.environ, **env})
    if not done.stdout:
        return {}
    result, = json.loads(done.stdout)["results"]
    one, = result["implementations"]
    return one["explanation"]["a"]["fingerprints"] if one["provided"] else {}


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read():
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    return {one["name"]: one for one in table["libraries"]}


def write(libraries):
    """A line for each function, so that a change shows; the members of each in order."""
    lines = ['{"schema": "detcheck/libraries/1",', ' "libraries": [']
    for i, one in enumerate(libraries.values()):
        head = {key: value for key, value in one.items() if key != "functions"}
        lines.append("  " + json.dumps(head)[:-1] + ', "functions": {')
        rows = sorted(one["functions"].items())
        lines += [f"   {json.dumps(name)}: {json.dumps(row, sort_keys=True)}" + ("," if j + 1 < len(rows) else "")
                  for j, (name, row) in enumerate(rows)]
        lines.append("  }}" + ("," if i + 1 < len(libraries) else ""))
    lines.append(" ]}\n")
    unfinished = TABLE.with_suffix(".new")
    unfinished.write_text("\n".join(lines), encoding="utf-8")
    unfinished.replace(TABLE)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--library", action="append", default=[], help="those whose name has this part")
    parser.add_argument("--all", action="store_true", help="all inputs of fp32 too")
    parser.add_argument("--anew", action="store_true", help="what the table has too")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of processor time")
    parser.add_argument("--intel", default="")
    parser.add_argument("--intel-version", default="")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--jax", default="")
    parser.add_argument("--newlib", default="")
    parser.add_argument("functions", nargs="*", default=FUNCTIONS)
    return parser.parse_intermixed_args()


def rows(names, wanted):
    """Of the libraries that are here: the name, the row of the table that it begins with, and the environment."""
    for title, how, env in ROWS:
        title = filled(title, names)
        env = {key: filled(value, names) for key, value in env.items()}
        if title and filled(how, {**names, "name": "-"}) and all(part in title for part in wanted):
            shown = {key: value for key, value in env.items() if key != "LD_LIBRARY_PATH"}
            yield title, {"name": title, "impl": how, "environment": shown, "functions": {}}, env


def main():
    given = parse()
    libraries, program = read(), os.path.abspath(given.program)
    wanted = [(format_, inputs) for format_, all_inputs in FORMATS.items() for inputs in all_inputs]
    wanted += [("fp32", "all")] if given.all else []
    with tempfile.TemporaryDirectory() as folder:
        names = surroundings(given, folder)
        for name in given.functions or FUNCTIONS:
            for title, new, env in rows(names, given.library):
                row = libraries.setdefault(title, new)
                how = filled(row["impl"], {**names, "name": name})
                before, made = processor_seconds(), 0
                for format_, inputs in wanted:
                    have = row["functions"].get(f"{name} {format_}", {})
                    if processor_seconds() > given.seconds or inputs in have and not given.anew:
                        continue
                    found = fingerprints(program, how, env, name, format_, inputs)
                    if not given.anew and any(have.get(each, print_) != print_ for each, print_ in found.items()):
                        print(f"{title}: {name} {format_} has other bits here than in the table", flush=True)
                    elif inputs in found:
                        row["functions"].setdefault(f"{name} {format_}", {})[inputs] = found[inputs]
                        made += 1
                if made:
                    print(f"{title}: {name}, {made} in {processor_seconds() - before:.1f} s", flush=True)
                    write(libraries)


if __name__ == "__main__":
    main()
