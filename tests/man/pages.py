"""The manual pages, and what is read from them: the tags of lists (.It lines) whose first word is Fl are
options, those whose first word is Va are members of a JSON document. The path of a member begins with the
heading (.Ss) above it where that is a path itself (lower case, such as run or results[].inputs). A literal
display after the comment '\\" test: exact' is run, and each command in it must print what stands below it;
after '\\" test: mask' but for the library, the duration and the like.

Environment: DETCHECK is the program, MANUAL the folder of the pages that the build made of man/*.in; the
others are in man/."""

import glob
import os
import re
import subprocess

PROGRAM = os.environ["DETCHECK"]
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "man")
PAGES = {os.path.basename(path): path for folder in (SOURCES, os.environ["MANUAL"])
         for path in sorted(glob.glob(os.path.join(folder, "*.[137]")))}


def run(*words, code=0, env=None, stdin=""):
    clean = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run([PROGRAM, *words], input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=300, check=False,
                          env={**clean, **(env or {})})
    if done.returncode != code:
        raise AssertionError(f"{words} ends with {done.returncode}: {done.stderr}")
    return done.stdout


def page(name):
    with open(PAGES[name], encoding="ascii") as stream:
        return stream.read()


def tags(text, macro):
    """The .It lines whose tag begins with the macro."""
    return re.findall(rf"^\.It {macro} (.*)$", text, re.MULTILINE)


def page_members(text):
    """The paths of all members that a page describes."""
    found, prefix = set(), ""
    for line in text.splitlines():
        heading = re.fullmatch(r"\.S[sh] (.*?)(?:\\&)?", line)
        if heading:
            path = re.fullmatch(r"[a-z_.\[\]]+", heading[1])
            prefix = heading[1] + "." if path else ""
        tag = re.fullmatch(r"\.It Va (.*)", line)
        if tag:
            found |= {prefix + name for name in re.split(r" , Va ", tag[1])}
    return found


def members(value, path=""):
    """The paths of all members of a document; those of event_counts are names of events, and what an input of
    arrays has is told of where inputs are."""
    if isinstance(value, list):
        return set().union(*(members(item, path + "[]") for item in value))
    if not isinstance(value, dict) or path.endswith((".event_counts", ".input")):
        return set()
    if path.endswith(".parameters"):  # those of operations have a page of their own
        value = {name: item for name, item in value.items() if name == "strict_nan"}
    found = set()
    for name, item in value.items():
        inner = f"{path}.{name}" if path else name
        found |= {inner} | members(item, inner)
    return found


def examples(text):
    """(kind, command, output) of the displays that are to be run."""
    found = []
    displays = re.findall(r'^\.\\" test: (\w+)\n\.Bd -literal.*?\n(.*?)^\.Ed$', text,
                          re.MULTILINE | re.DOTALL)
    for kind, display in displays:
        display = re.sub(r"\\\[u([0-9A-F]{4})\]", lambda code: chr(int(code[1], 16)), display).replace("\\e", "\\")
        for part in re.split(r"^\$ ", display, flags=re.MULTILINE)[1:]:
            command, _, output = re.sub(r" \\\n +", " ", part).partition("\n")  # a long command goes on in the next line
            found.append((kind, command, output))
    return found


def masked(text):
    """The output of a sweep without what differs between machines."""
    text = re.sub(r"^libm  .*$", "libm", text, flags=re.MULTILINE)
    text = re.sub(r"^(det|cr)  (detcheck [\d.]+), \w+$", r"\1  \2", text, flags=re.MULTILINE)  # builds differ in the best instruction set
    return re.sub(r" inputs in .*$", " inputs in", text, flags=re.MULTILINE)
