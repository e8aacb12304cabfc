"""Reads as much of LLVM's intermediate language, as clang prints it, as det's kernels need: functions of numbers without
loops, and tables of words and of numbers, which are their bits here. What it does not know ends the program with a line that says what.

A value is the name of one ("%7", or "name" of an operand), or a constant: a number of Python's, of floats its bits."""
import functools
import re
import struct
import sys
from collections import namedtuple

# kind: what LLVM calls it; what: the condition of a comparison, or the name of what is called.
Step = namedtuple("Step", "result kind type operands what", defaults=(None,))
Branch = namedtuple("Branch", "condition targets")  # one target, or two of which the first is for true

FLAGS = r"(?:nuw|nsw|exact|nneg|disjoint|samesign|inbounds|tail|notail|musttail|fast|noundef|fastcc|signext|zeroext)"
TYPE = r"(?:\[\d+ x \w+\]\*?|\w+\*?)"


def fail(text):
    print(f"ports.py: {text}", file=sys.stderr)
    sys.exit(2)


def word_of(text):
    """A constant's bits, or the name."""
    if text.startswith("%"):
        return text
    if text in ("true", "false"):
        return int(text == "true")
    if text in ("undef", "poison", "zeroinitializer"):
        return 0
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    number = struct.unpack(">d", bytes.fromhex(text[2:]))[0] if text.startswith("0x") else float(text)
    return struct.unpack(">I", struct.pack(">f", number))[0]


class Function:
    """Its blocks in the order in which they stand, each with its steps and the branch at its end; None: it returns."""

    def __init__(self, name, result, operands):
        self.name, self.result, self.operands = name, result, operands
        self.blocks, self.ends, self.returned = {}, {}, {}

    @functools.lru_cache(maxsize=None)
    def through(self, block):
        """The blocks that every way from one comes through, itself too."""
        end = self.ends[block]
        return frozenset({block}.union(frozenset.intersection(*map(self.through, end.targets)) if end else ()))

    def join(self, block):
        """The first block that every way from a branch comes through; None: there is none."""
        # The first of them has all the others still before it.
        return max(self.through(block) - {block}, key=lambda one: len(self.through(one)), default=None)


def read_step(line):
    """One line that has a result, or a branch, or a return."""
    match = re.fullmatch(r"(%[\w.]+) = (.*)", line)
    result, text = match.groups() if match else (None, line)
    text = re.sub(rf"\b{FLAGS} ", "", text.replace("uitofp nneg", "sitofp"))  # no number below 0: both are the same
    if match := re.fullmatch(rf"(add|sub|mul|and|or|xor|shl|lshr|ashr|fadd|fsub|fmul) ({TYPE}) (\S+), (\S+)", text):
        kind, type_, *operands = match.groups()
        return Step(result, kind, type_, list(map(word_of, operands)))
    if match := re.fullmatch(rf"(fneg|freeze) ({TYPE}) (\S+)", text):
        return Step(result, match[1], match[2], [word_of(match[3])])
    if match := re.fullmatch(rf"(icmp|fcmp) (\w+) ({TYPE}) (\S+), (\S+)", text):
        return Step(result, match[1], match[3], [word_of(match[4]), word_of(match[5])], match[2])
    if match := re.fullmatch(rf"select i1 (\S+), ({TYPE}) (\S+), {TYPE} (\S+)", text):
        return Step(result, "select", match[2], [word_of(match[1]), word_of(match[3]), word_of(match[4])])
    if match := re.fullmatch(r"bitcast (?:i32|float)\* (%[\w.]+) to (?:i32|float)\*", text):
        return Step(result, "alias", "ptr", [match[1]])
    if match := re.fullmatch(rf"(zext|sext|trunc|bitcast|sitofp|uitofp|fptosi) ({TYPE}) (\S+) to ({TYPE})", text):
        return Step(result, match[1], match[4], [word_of(match[3])], match[2])
    if match := re.fullmatch(rf"phi ({TYPE}) (.*)", text):
        edges = re.findall(r"\[ ([^,]+), %([\w.]+) \]", match[2])
        return Step(result, "phi", match[1], [(word_of(value), block) for value, block in edges])
    # Of an array, or from clang 18 or so on of its first element.
    if match := (re.fullmatch(rf"getelementptr {TYPE}, (?:{TYPE}) @([\w.]+), i(?:32|64) 0, i(?:32|64) (\S+)", text) or
                 re.fullmatch(r"getelementptr (?:float|i32), ptr @([\w.]+), i(?:32|64) (\S+)", text)):
        return Step(result, "element", "ptr", [word_of(match[2])], match[1])
    if match := re.fullmatch(r"getelementptr i8, ptr (%[\w.]+), i(?:32|64) (\d+)", text):
        return Step(result, "farther", "ptr", [match[1]], int(match[2]) // 4)
    if match := re.fullmatch(r"load (i32|float), (?:i32\*|float\*|ptr) (%[\w.]+)", text):
        return Step(result, "load", match[1], [match[2]])
    # Hides a number from the compiler, and does nothing.
    if match := re.fullmatch(r'call i32 asm "", "=r,0[^"]*"\(i32 (\S+)\)', text):
        return Step(result, "freeze", "i32", [word_of(match[1])])
    if match := re.fullmatch(rf"call ({TYPE}) @([\w.]+)\((.*)\)", text):
        return Step(result, "call", match[1], [word_of(one.split()[-1]) for one in match[3].split(", ")], match[2])
    fail(f"this is not known: {line}")


def read_function(head, lines):
    match = re.match(r"define .*?(float|i32) @([\w.]+)\((.*?)\)", head)
    operands = [(one.split()[-1], one.split()[0]) for one in match[3].split(", ")]
    function = Function(match[2], match[1], operands)
    block = str(len(operands))  # unless it has a name
    function.blocks[block] = []
    for line in lines:
        line = re.sub(r"(, ![\w.]+ !\d+)+$|(, align \d+)(, ![\w.]+ !\d+)*$| #\d+(, ![\w.]+ !\d+)*$", "", line.split(" ; ")[0]).strip()
        line = re.sub(r"(, align \d+| #\d+)$", "", line)
        if not line or line.startswith(";"):
            continue
        if match := re.match(r"([\w.]+):", line):
            if function.blocks == {block: []} and block not in function.ends:
                function.blocks = {}
            block = match[1]
            function.blocks[block] = []
        elif match := re.fullmatch(r"br label %([\w.]+)", line):
            function.ends[block] = Branch(None, [match[1]])
        elif match := re.fullmatch(r"br i1 (\S+), label %([\w.]+), label %([\w.]+)", line):
            function.ends[block] = Branch(word_of(match[1]), [match[2], match[3]])
        elif match := re.fullmatch(rf"ret {TYPE} (\S+)", line):
            function.ends[block], function.returned[block] = None, word_of(match[1])
        else:
            function.blocks[block].append(read_step(line))
    return function


def read(text):
    """The functions and the tables of a module, by name."""
    tables = {name: [word_of(word) % 2**32 for word in re.findall(r"(?:i32|float) (\S+?)(?:,|$)", words)]
              for name, words in re.findall(r"^@([\w.]+) = .*constant \[\d+ x (?:i32|float)\] \[(.*?)\]", text, re.MULTILINE)}
    functions = {}
    for head, body in re.findall(r"^(define [^\n]*) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        function = read_function(head, body.splitlines())
        functions[function.name] = function
    return functions, tables
