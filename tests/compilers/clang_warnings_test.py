"""Every source of the program and the library compiles under clang without a warning, whichever compiler the build
uses: the syntax alone, as the build's compile_commands.json has it. (The preset clang compiles the tests too.)

Headers of the libraries take clang most of the time. They are read once, for the options that most sources have (a
precompiled header).

Environment: COMMANDS, that file; CLANG, the compiler, or empty; TARGET, another processor for which clang compiles, with
Debian's C library for that in /usr/TARGET: there, what x86 alone compiles has to be left out, and no more."""

import collections
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
import tempfile

# What gcc knows and clang does not, or what only code generation needs.
FOREIGN = ("-flto", "-fno-lto", "-fno-tree-pre", "-ffat-lto-objects", "-fexcess-precision", "-fsanitize", "-fno-sanitize",
           "-Wno-stringop-overread")
HEADERS = ("inttypes.h", "math.h", "stdio.h", "stdlib.h", "string.h", "cjson/cJSON.h", "mpfr.h", "acb.h",
           "arb_hypgeom.h")
TARGET = os.environ.get("TARGET")
# The libraries' own headers are of the machine, which will do for a look; what is for x86 alone is not.
TARGET_OPTIONS = ("--target=" + TARGET, "-idirafter", f"/usr/include/{os.uname().machine}-linux-gnu") if TARGET else ()
FOREIGN += ("-frounding-math", "-fcf-protection", "-DDETCHECK_XXHASH_DISPATCH", "-DVARIANT_AVX2", "-DDETMATH_AVX2", "-DDETMATH_AVX512") if TARGET else ()
ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
OURS = tuple(os.path.join(ROOT, folder, "") for folder in ("src", "cmd"))


def options(entry):
    """What clang is called with, without the file."""
    words = shlex.split(entry["command"])
    kept, skip = [], False
    for word in words[1:]:
        if skip or word in ("-c", entry["file"]) or word.startswith(FOREIGN):
            skip = False
        elif word in ("-o", "-MT", "-MF"):
            skip = True
        else:
            kept.append(word)
    return (os.environ["CLANG"], *TARGET_OPTIONS, *kept[kept[0].startswith("/"):])  # behind a launcher stands the compiler


def check(entry, words):
    """The warnings for one file."""
    done = subprocess.run([*words, "-fsyntax-only", "-Werror", entry["file"]],
                          cwd=entry["directory"], stderr=subprocess.PIPE, text=True, check=False)
    return done.stderr if done.returncode else ""


def precompile(entries, folder):
    """The options that most entries have, and what clang reads in place of those headers."""
    common = collections.Counter(map(options, entries)).most_common(1)[0][0]
    header, made = os.path.join(folder, "headers.h"), os.path.join(folder, "headers.pch")
    with open(header, "w", encoding="ascii") as stream:
        stream.writelines(f"#include <{name}>\n" for name in HEADERS)
    subprocess.run([*common, "-x", "c-header", header, "-o", made], cwd=entries[0]["directory"], check=True)
    return common, ("-include-pch", made)


def main():
    if not os.environ.get("CLANG"):
        print("skipped: there is no clang")
        return 77
    if TARGET and not os.path.exists(f"/usr/{TARGET}/include/stdio.h"):
        print(f"skipped: there is no C library for {TARGET}")
        return 77
    with open(os.environ["COMMANDS"], encoding="utf-8") as stream:
        # Of a file that is compiled several times for the same processor, the first is the library's own.
        entries = {}
        for entry in json.load(stream):
            machine = tuple(word for word in entry["command"].split() if word.startswith("-m"))
            if entry["file"].startswith(OURS) and entry["file"].endswith(".c") and not (TARGET and machine):
                entries.setdefault((entry["file"], machine), entry)
    with tempfile.TemporaryDirectory(prefix="detcheck-test-") as folder:
        common, quickly = precompile(list(entries.values()), folder)

        def complaint(entry):
            # What the precompiled header has too much of is no complaint about the file.
            doubtful = options(entry) != common or check(entry, (*common, *quickly))
            return check(entry, options(entry)) if doubtful else ""

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            complaints = [text for text in pool.map(complaint, entries.values()) if text]
    print("\n".join(complaints), f"{len(entries)} files, {len(complaints)} with complaints", sep="")
    return 1 if complaints or len(entries) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
