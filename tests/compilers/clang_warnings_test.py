"""Every source of the program and the library compiles under clang without a warning, whichever compiler the build
uses: the syntax alone, as the build's compile_commands.json has it. (The preset clang compiles the tests too.)

Environment: COMMANDS, that file; CLANG, the compiler, or empty."""

import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

# What gcc knows and clang does not, or what only code generation needs.
FOREIGN = ("-flto", "-fno-lto", "-ffat-lto-objects", "-fexcess-precision", "-fsanitize", "-fno-sanitize",
           "-Wno-stringop-overread")
ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
OURS = tuple(os.path.join(ROOT, folder, "") for folder in ("src", "cmd"))


def check(entry):
    """The warnings for one file."""
    words = shlex.split(entry["command"])
    kept, skip = [], False
    for word in words[1:]:
        if skip or word in ("-c", entry["file"]) or word.startswith(FOREIGN):
            skip = False
        elif word in ("-o", "-MT", "-MF"):
            skip = True
        else:
            kept.append(word)
    done = subprocess.run([os.environ["CLANG"], *kept, "-fsyntax-only", "-Werror", entry["file"]],
                          cwd=entry["directory"], stderr=subprocess.PIPE, text=True, check=False)
    return done.stderr if done.returncode else ""


def main():
    if not os.environ.get("CLANG"):
        print("skipped: there is no clang")
        return 77
    with open(os.environ["COMMANDS"], encoding="utf-8") as stream:
        # Of a file that is compiled several times for the same processor, the first is the library's own.
        entries = {}
        for entry in json.load(stream):
            machine = tuple(word for word in entry["command"].split() if word.startswith("-m"))
            if entry["file"].startswith(OURS) and entry["file"].endswith(".c"):
                entries.setdefault((entry["file"], machine), entry)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        complaints = [text for text in pool.map(check, entries.values()) if text]
    print("\n".join(complaints), f"{len(entries)} files, {len(complaints)} with complaints", sep="")
    return 1 if complaints or len(entries) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
