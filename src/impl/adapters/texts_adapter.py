"""detcheck asks for numbers of texts and for texts of numbers, and Python, numpy or node answers:

    detcheck sweep from_decimal --impl 'exec:python3 texts_adapter.py'
    detcheck sweep from_decimal --to fp32 --impl 'exec:python3 texts_adapter.py numpy'
    detcheck sweep to_decimal --style exponent --digits 16 --impl 'exec:python3 texts_adapter.py node'

Where Python refuses a text, the number is NaN. Only numpy needs numpy.
"""

import math
import struct
import subprocess
import sys

from adapter import need, serve
from decimal_texts import lines_of, scientific, texts_of

# Numbers of a text that node reads to the end of its number, and texts as C's printf has them.
NODE = r"""
const bytes = new DataView(new ArrayBuffer(8));
const padded = text => text.replace(/e([+-])(\d)$/, "e$10$2");
const style = process.argv[1], digits = Number(process.argv[2]), bits = Number(process.argv[3]);
const toNumber = style === "javascript" ? Number : Number.parseFloat;
function read(text) {
    const y = toNumber(text);
    if (bits === 32) { bytes.setFloat32(0, y); return bytes.getUint32(0).toString(16); }
    bytes.setFloat64(0, y);
    return bytes.getBigUint64(0).toString(16);
}
function write(code) {
    bytes.setBigUint64(0, BigInt("0x" + code));
    const x = bytes.getFloat64(0);
    if (Number.isNaN(x)) return "nan";
    if (!Number.isFinite(x)) return x < 0 ? "-inf" : "inf";
    const text = style === "fixed" ? x.toFixed(digits) : padded(x.toExponential(style === "shortest" ? undefined : digits));
    return Object.is(x, -0) ? "-" + text : text; // JavaScript writes no sign there
}
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", line => process.stdout.write((digits < 0 ? read(line) : write(line)) + "\n"));
"""
# What node has of styles: --digits goes to 100, and toFixed writes numbers from 10^21 on in another way.
NODE_STYLES = ("shortest", "exponent")
# Whose rules they may be judged by. Both of node's readers read strtod's decimal texts as strtod does.
GRAMMARS = {"python": ("strtod", "python"), "numpy": ("strtod", "python"), "node": ("strtod", "javascript", "parse-float")}
LETTERS = {"exponent": "e", "fixed": "f", "general": "g"}
# How struct writes numbers of a format and their codes.
FORMATS = {"fp64": ("d", "Q"), "fp32": ("f", "I")}


def python_read(text):
    try:
        return float(text)
    except ValueError:
        return math.nan


def python_write(style, digits):
    if style == "shortest":
        return lambda x: scientific(repr(x))
    return (lambda x: f"%.{digits}{LETTERS[style]}" % x) if style in LETTERS else None


def numpy_read(np, kind):
    def read(text):
        try:
            with np.errstate(over="ignore"):  # a warning for each line
                return float(kind(text))
        except ValueError:
            return math.nan
    return read


def numpy_write(np, kind, style, digits):
    if style == "shortest":
        return lambda x: np.format_float_scientific(kind(x), trim="-", exp_digits=2)
    if style == "exponent":
        return lambda x: np.format_float_scientific(kind(x), precision=digits, unique=False, trim="-" if not digits else "k", exp_digits=2)
    if style == "fixed":
        return lambda x: np.format_float_positional(kind(x), precision=digits, unique=False, trim="-" if not digits else "k")
    return None


class Command:
    """One that answers a line by a line."""

    def __init__(self, words):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, lines):
        answers = []
        for start in range(0, len(lines), 64):  # as much as pipes hold
            part = lines[start:start + 64]
            self.process.stdin.write(b"".join(line + b"\n" for line in part))
            self.process.stdin.flush()
            answers += [self.process.stdout.readline().rstrip(b"\n") for _ in part]
        return answers


def reader(who, format_, np, grammar):
    """A function from texts to the bytes of numbers' codes. By the grammar javascript, node's Number reads; by others, its parseFloat."""
    number, code = FORMATS[format_]
    if who == "node":
        command = Command(["node", "-e", NODE, grammar, "-1", format_[2:]])
        return lambda texts: b"".join(struct.pack("<" + code, int(answer, 16)) for answer in command.ask(texts))
    read = python_read if who == "python" else numpy_read(np, np.dtype(number).type)
    return lambda texts: b"".join(struct.pack("<" + number, read(text.decode("latin-1"))) for text in texts)


def writer(who, format_, np, style, digits):
    """A function from the bytes of numbers' codes to texts."""
    number, code = FORMATS[format_]
    if who == "node":
        if style not in NODE_STYLES or digits > 100:
            return None
        command = Command(["node", "-e", NODE, style, str(digits), "64"])
        return lambda codes: command.ask([f"{x:x}".encode() for x, in struct.iter_unpack("<" + code, codes)])
    write = python_write(style, digits) if who == "python" else numpy_write(np, np.dtype(number).type, style, digits)
    return write and (lambda codes: [write(x).encode() for x, in struct.iter_unpack("<" + number, codes)])


def start(request):
    who = sys.argv[1] if len(sys.argv) > 1 else "python"
    names = {"python": f"Python {sys.version.split()[0]}", "numpy": f"numpy {getattr(NUMPY, '__version__', '')}", "node": "node"}
    if who not in names:
        return None, f"texts_adapter.py takes python, numpy or node, and not {who}"
    name, reads = names[who], request.operation == "from_decimal"
    format_ = request.parameters.get("to") if reads else request.format
    is_known = request.operation in ("from_decimal", "to_decimal") and request.rounding == "nearest-even"
    style, digits = request.parameters.get("style", "shortest"), int(request.parameters.get("digits", "6"))
    grammar = request.parameters.get("grammar", "strtod")
    is_known = is_known and grammar in GRAMMARS[who]
    found = None
    try:
        if is_known and format_ in (FORMATS if who == "numpy" else ("fp64",)):
            found = reader(who, format_, NUMPY, grammar) if reads else writer(who, format_, NUMPY, style, digits)
    except OSError as error:
        return None, f"{who}: {error.strerror}"
    if not found:
        return None, f"{name} has no {request.operation} of that format, rounding, grammar, style and number of digits"

    def compute(codes, shapes):
        return [found(texts_of(codes, shapes[0][-1])) if reads else lines_of(found(codes), shapes[1][-1])]

    return compute, name


NUMPY = need("numpy") if sys.argv[1:] == ["numpy"] else None
serve(start, arrays=True, without_numpy=True)
