#!/usr/bin/env python3
"""Runs the commands that stand in displays of manual pages, and writes what they print below them.

    examples.py DETCHECK [PAGE...]     pages of man/; without any, all that have such displays

A display is renewed if it stands below a comment '\\" test: exact' or '\\" test: mask', which tests hold too
(tests/man/pages.py), or below '\\" shown', whose output depends on the machine. '\\" shown: 7' keeps the first seven lines
of each output. The commands of one display run in one empty folder, with the program's folder in front of the PATH.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

MANUAL = pathlib.Path(__file__).resolve().parents[1]
DISPLAY = re.compile(r'(^\.\\" (?:test: \w+|shown(?:: (?P<lines>\d+))?)\n\.Bd -literal[^\n]*\n)(?P<body>.*?)(?=^\.Ed$)', re.MULTILINE | re.DOTALL)


def plain(text):
    """The text that a display shows."""
    text = re.sub(r"^\\&", "", text, flags=re.MULTILINE)
    return re.sub(r"\\\[u([0-9A-F]{4})\]", lambda code: chr(int(code[1], 16)), text).replace("\\e", "\\")


def display(text):
    """The lines of a display that shows the text."""
    text = re.sub(r"^(?=[.'])", r"\\&", text.replace("\\", "\\e"), flags=re.MULTILINE)
    return "".join(one if ord(one) < 128 else f"\\[u{ord(one):04X}]" for one in text)


def renewed(body, lines, environment):
    made = ""
    with tempfile.TemporaryDirectory(prefix="detcheck-examples-") as folder:
        for command in re.findall(r"^\$ (.*)$", plain(body), re.MULTILINE):
            output = subprocess.run(command, shell=True, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    text=True, check=False).stdout
            if lines and output.count("\n") > lines:
                output = "".join(output.splitlines(True)[:lines]) + "...\n"
            made += f"$ {command}\n{output}"
    return display(made)


def main(words):
    if not words:
        sys.exit(__doc__)
    program = pathlib.Path(words[0]).resolve()
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    named = [MANUAL / name for name in words[1:]]
    for path in named or sorted(path for path in MANUAL.iterdir() if path.is_file()):
        text = path.read_text(encoding="ascii")
        if named and not DISPLAY.search(text):
            sys.exit(f"examples.py: {path.name} has no display below a comment 'test:' or 'shown'")
        new = DISPLAY.sub(lambda one: one[1] + renewed(one["body"], int(one["lines"] or 0), environment), text)
        if new != text:
            path.write_text(new, encoding="ascii")
            print(path.name)


if __name__ == "__main__":
    main(sys.argv[1:])
