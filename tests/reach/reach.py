#!/usr/bin/env python3
"""Compiles a fingerprint program, runs it and compares what it prints with fingerprints.txt.

    reach.py --cc COMPILER [options] -- FLAGS...    exit 0: equal, 1: not, 77: cannot be had here
    reach.py --update [--set all] [options]         writes fingerprints.txt and self_check.inc anew
    reach.py --list                                 the platforms of platforms.py, and what each needs
    reach.py --platforms NAME,... [--table]         these, or all; with --table also into detcheck-platforms(7)
    reach.py --table                                looks whether the table there is of the platforms as they are now

Of the lines for all of fp32, which take minutes a function, an update keeps those of the functions
that have not changed, unless told `--set all`.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

import platforms

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = HERE / "fingerprints.txt"
CHECKS = HERE.parent.parent / "src/detmath/self_check.inc"
CHECKS_HEAD = """\
/* The hashes that detmath_self_check() wants: DETMATH_CHECK(NAME, DET, CR), a row for each function
 * of functions.inc, and NAME_f64 of functions_f64.inc. Made by tests/reach/reach.py --update. */
"""
HEAD = """\
# What detmath's functions return, hashed: SET FUNCTION VARIANT HASH. inputs.h says which inputs the sets
# have, driver.h what is hashed, hash.h how. Made by
#     tests/reach/reach.py --update                                quick and full
#     tests/reach/reach.py --update --set all --jobs 8 [--functions NAME,...]      all of fp32
# and compared by the tests that are called reach_..., on any machine, compiler and C library.
"""
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
SKIPPED = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--cc", default="gcc")
    parser.add_argument("--language", choices=["c", "c++", "other"], default="c")
    parser.add_argument("--source", default="fingerprint.c")
    parser.add_argument("--runner", default="", help="a program that runs the program, as qemu does")
    parser.add_argument("--run", action="append", help="options for the program; runs once for each")
    parser.add_argument("--set", default="quick", choices=["quick", "full", "all"])
    parser.add_argument("--functions", default="", help="names, by commas; all if none")
    parser.add_argument("--variants", default="", help="those that the program has, by commas; all if none")
    parser.add_argument("--without", default="", help="functions that are not compared, by commas; *_f64 stands for many")
    parser.add_argument("--jobs", type=int, default=1, help="as many functions or platforms side by side")
    parser.add_argument("--cpu", default="", help="features that /proc/cpuinfo must have")
    parser.add_argument("--header", default="", help="a header that the compiler must find")
    parser.add_argument("--package", default="", help="Debian's packages for what may be missing")
    parser.add_argument("--macros", action="store_true",
                        help="with each function's name a macro, as in PoCL's OpenCL C")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--platforms", default="", help="names, by commas; or all")
    parser.add_argument("--table", action="store_true", help="writes what came out into detcheck-platforms(7)")
    parser.add_argument("flags", nargs="*")
    return parser.parse_args()


def check(args):
    """Ends with exit 77 where the compiler, its runner or the processor are missing."""
    get = f": apt-get install {args.package}" if args.package else ""
    for program in [shlex.split(args.cc)[0], *shlex.split(args.runner)[:1]]:
        if not shutil.which(program):
            skip(f"there is no {program}{get}")
    include = f"#include <{args.header or 'stdio.h'}>\n"
    if args.language != "other" and subprocess.run(
            [*shlex.split(args.cc), "-E", "-x", args.language, "-"], input=include, text=True,
            capture_output=True).returncode:
        skip(f"{args.cc} finds no {args.header or 'stdio.h'}{get}")
    if args.cpu:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        have = {f for line in lines if line.startswith("flags") for f in line.split()}
        missing = [f for f in args.cpu.split(",") if f not in have]
        if missing:
            skip(f"this processor has no {' '.join(missing)}")


def build(args, folder):
    standard = {"c": ["-std=c11", *WARNINGS], "c++": ["-x", "c++", "-std=c++17", *WARNINGS], "other": []}
    program = pathlib.Path(folder) / "fingerprint"
    command = [*shlex.split(args.cc), *standard[args.language], f"-I{HERE.parent.parent / 'src'}", f"-I{HERE}",
               f'-DREACH_ROOT="{HERE.parent.parent}"', "-o", str(program), str(HERE / args.source), *args.flags]
    if args.macros:
        names = {key[1].removesuffix("_f64") for key in parse(EXPECTED.read_text(encoding="utf-8"))}
        command += [f"-D{name}=_cl_{name}" for name in sorted(names)]
    print(shlex.join(command), flush=True)
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    print(done.stderr, end="", file=sys.stderr, flush=True)
    if "internal compiler error" in done.stderr:  # gcc 12's for sh4 has one
        skip(f"{args.cc} ends with an error of its own")
    if done.returncode:
        sys.exit(1)
    windows = program.with_suffix(".exe")  # as mingw's compilers call it whatever -o says
    return [*shlex.split(args.runner), str(windows if windows.exists() else program)]


def run_once(command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except OSError as error:  # x32, where the kernel was built without it
        skip(f"this machine does not run such a program: {error.strerror}")
    print(done.stderr, end="", file=sys.stderr, flush=True)
    if done.returncode == SKIPPED:
        skip(done.stderr.strip().split("\n")[-1])  # why, as the program says
    if done.returncode:
        sys.exit(f"{shlex.join(command)}: exit {done.returncode}")
    return done.stdout


def run(args, program, which):
    """The lines for a set, as {(set, function, variant): hash}."""
    names = [n for n in args.functions.split(",") if n]
    if args.jobs > 1:
        names = names or sorted({key[1] for key in parse(run_once([*program, "quick"]))})
        commands = [[*program, which, name] for name in names]
    else:
        commands = [[*program, which, *names]]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        return parse("".join(pool.map(run_once, commands)))


def native(command):
    """The option for all that this processor has, where the compiler knows one."""
    known = subprocess.run([*command, "-march=native", "-E", "-x", "c", os.devnull], capture_output=True).returncode == 0
    return ["-march=native"] if known else []


def parse(text):
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {(row[0], row[1], row[2]): row[3] for row in rows}


def compare(args, got):
    functions, variants, without = ({n for n in names.split(",") if n}
                                    for names in (args.functions, args.variants, args.without))
    got = {key: hash_ for key, hash_ in got.items() if not any(fnmatch.fnmatch(key[1], one) for one in without)}
    want = {key: hash_ for key, hash_ in parse(EXPECTED.read_text(encoding="utf-8")).items()
            if key[0] == args.set and (not functions or key[1] in functions) and (not variants or key[2] in variants)
            and not any(fnmatch.fnmatch(key[1], one) for one in without)}
    if args.set != "all": # of which not every function need be there
        for key in sorted(want.keys() - got.keys()):
            print(f"{' '.join(key)}: expected, and not printed")
    differ = [key for key in sorted(got) if got[key] != want.get(key)]
    for key in differ:
        print(f"{' '.join(key)}: got {got[key]}, want {want.get(key, 'none: see --update')}")
    equal = sum(got[key] == want.get(key) for key in got)
    print(f"{equal} fingerprints equal, {len(differ)} not")
    missing = args.set != "all" and want.keys() - got.keys()
    return 1 if differ or missing or not got else 0


def update(args, program):
    old = parse(EXPECTED.read_text(encoding="utf-8")) if EXPECTED.exists() else {}
    functions, args.functions = args.functions, ""
    new = {**run(args, program, "quick"), **run(args, program, "full")}
    changed = {key[1] for key in new if old.get(key) != new[key]}
    known = {key[1] for key in new}
    new.update({key: hash_ for key, hash_ in old.items()
                if key[0] == "all" and key[1] in known - changed})
    args.functions = functions
    if args.set == "all":
        new.update(run(args, program, "all"))
    order = {"quick": 0, "full": 1, "all": 2}
    lines = [" ".join([*key, new[key]]) + "\n" for key in sorted(new, key=lambda k: (k[1], k[2], order[k[0]]))]
    EXPECTED.write_text(HEAD + "".join(lines), encoding="utf-8")
    CHECKS.write_text(CHECKS_HEAD + run_once([*program, "--checks"]), encoding="utf-8")
    print(f"{EXPECTED.name}: {len(lines)} fingerprints, of {len(changed)} functions new")
    return 0


def main():
    args = parse_arguments()
    os.environ["PATH"] += ":/usr/local/cuda/bin:/usr/lib/wine"  # where Debian has wine64
    if args.list:
        return platforms.show()
    if args.table and not args.platforms:
        return platforms.check_table()
    if args.platforms:
        return platforms.main(args.platforms, args.set, args.table, args.jobs)
    check(args)
    if args.update and not args.flags:
        args.flags = ["-O3", "-march=native", "-ffp-contract=off"]
    if "-march=native" in args.flags and not native(shlex.split(args.cc)):
        args.flags.remove("-march=native")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["POCL_CACHE_DIR"] = folder
        program = build(args, folder)
        if args.update:
            return update(args, program)
        if args.source == "fingerprint.c":
            print(run_once([*program, "--self-check"]), end="", flush=True)
        runs = [[*program, *shlex.split(options)] for options in args.run or [""]]
        return max(compare(args, run(args, each, args.set)) for each in runs)


if __name__ == "__main__":
    sys.exit(main())
