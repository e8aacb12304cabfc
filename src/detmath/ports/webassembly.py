"""Reads as much of a module of WebAssembly, as clang makes it, as det's kernels of fp64 need: functions with structured
branches, and the words of memory that tables fill. What it does not know ends the program with a line that says what.

Why this language: its branches are blocks and loops already, where LLVM's intermediate one has jumps; and the last phase of cr
has loops and arrays."""
import struct
from collections import namedtuple

from llvm import fail

# name: as in the text format, "f64.add"; what: the constant, the number of a local or of a function, the type of a block's result,
# the distance of an address, or the depth of a branch (of a table of branches those of 0, 1 and so on, and of all others).
Instruction = namedtuple("Instruction", "name what", defaults=(None,))

TYPES = {0x7f: "i32", 0x7e: "i64", 0x7c: "f64", 0x40: None}
ORDERS = "eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u".split()
SUMS = "clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr".split()
PLAIN = {0x00: "unreachable", 0x0f: "return", 0x1a: "drop", 0x1b: "select", 0x45: "i32.eqz", 0x50: "i64.eqz",
         0xa7: "i32.wrap_i64", 0xaa: "i32.trunc_f64_s", 0xab: "i32.trunc_f64_u", 0xac: "i64.extend_i32_s",
         0xad: "i64.extend_i32_u", 0xb0: "i64.trunc_f64_s", 0xb1: "i64.trunc_f64_u", 0xb7: "f64.convert_i32_s",
         0xb8: "f64.convert_i32_u", 0xb9: "f64.convert_i64_s", 0xba: "f64.convert_i64_u", 0xbd: "i64.reinterpret_f64",
         0xbf: "f64.reinterpret_i64"}
for first, type_, names in ((0x46, "i32", ORDERS), (0x51, "i64", ORDERS), (0x61, "f64", "eq ne lt gt le ge".split()),
                            (0x67, "i32", SUMS), (0x79, "i64", SUMS),
                            (0x99, "f64", "abs neg ceil floor trunc nearest sqrt add sub mul div min max copysign".split())):
    PLAIN.update({first + place: f"{type_}.{name}" for place, name in enumerate(names)})
BLOCKS = {0x02: "block", 0x03: "loop", 0x04: "if"}
NUMBERED = {0x0c: "br", 0x0d: "br_if", 0x10: "call", 0x20: "local.get", 0x21: "local.set", 0x22: "local.tee", 0x23: "global.get",
            0x24: "global.set"}
MEMORY = {0x28: "i32.load", 0x29: "i64.load", 0x2b: "f64.load", 0x35: "i64.load32_u", 0x36: "i32.store", 0x37: "i64.store",
          0x39: "f64.store", 0x3e: "i64.store32"}
# The bytes of which the distance must be a multiple: what the kernels have in memory begins with a word of its own length, though
# clang does not always know it and writes a smaller alignment.
LENGTHS = {"i32.load": 4, "i64.load": 8, "f64.load": 8, "i64.load32_u": 4, "i32.store": 4, "i64.store": 8, "f64.store": 8,
           "i64.store32": 4}


class Function:
    def __init__(self, name, operands, result):
        self.name, self.operands, self.result = name, operands, result
        self.locals, self.body = list(operands), []


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def byte(self):
        return self.take(1)[0]

    def number(self, signed=False):
        """An integer in groups of seven bits, the lowest first."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value - (1 << shift) if signed and byte & 64 else value

    def text(self):
        return self.take(self.number()).decode("ascii")

    def list(self, one):
        return [one() for _ in range(self.number())]

    def type(self):
        byte = self.byte()
        if byte not in TYPES:
            fail(f"the type {byte:#x} of WebAssembly is not known")
        return TYPES[byte]

    def signature(self):
        self.byte()
        operands, results = self.list(self.type), self.list(self.type)
        return operands, results[0] if results else None

    def instruction(self):
        code = self.byte()
        if code in PLAIN:
            return Instruction(PLAIN[code])
        if code in BLOCKS:
            return Instruction(BLOCKS[code], self.type())
        if code in NUMBERED:
            return Instruction(NUMBERED[code], self.number())
        if code == 0x0e:
            return Instruction("br_table", [*self.list(self.number), self.number()])
        if code in MEMORY:
            _, distance = self.number(), self.number()
            if distance % LENGTHS[MEMORY[code]]:
                fail(f"{MEMORY[code]} of a part of a word is not known")
            return Instruction(MEMORY[code], distance)
        if code in (0x41, 0x42):
            return Instruction("i32.const" if code == 0x41 else "i64.const", self.number(signed=True))
        if code == 0x44:
            return Instruction("f64.const", struct.unpack("<Q", self.take(8))[0])
        if code in (0x05, 0x0b):
            return Instruction("else" if code == 0x05 else "end")
        fail(f"the instruction {code:#x} of WebAssembly is not known")

    def expression(self):
        """The instructions up to the end of a function or of a constant, each block with its end."""
        depth, body = 1, []
        while True:
            one = self.instruction()
            depth += (one.name in BLOCKS.values()) - (one.name == "end")
            if not depth:
                return body
            body.append(one)


class Module:
    """functions: by number, those that are imported first; exports: their names and numbers; words: what memory holds from the
    address `first` on, in words of 64 bits; below is the stack, of which `first` is the top."""

    def __init__(self, data):
        reader, self.functions, self.exports, self.first, self.words = Reader(data), [], {}, 0, []
        if reader.take(8) != b"\0asm\1\0\0\0":
            fail("clang made no module of WebAssembly")
        signatures, names, pieces = [], {}, []
        while reader.at < len(data):
            kind, part = reader.byte(), Reader(reader.take(reader.number()))
            if kind == 1:
                signatures = part.list(part.signature)
            elif kind == 2:
                for _ in range(part.number()):
                    _, name, _ = part.text(), part.text(), part.byte()
                    self.functions.append(Function(name, *signatures[part.number()]))
            elif kind == 3:
                self.imported = len(self.functions)
                self.functions += [Function(None, *signatures[number]) for number in part.list(part.number)]
            elif kind == 6:
                part.number(), part.take(2)
                self.first = part.expression()[0].what
            elif kind == 7:
                for _ in range(part.number()):
                    name, what, number = part.text(), part.byte(), part.number()
                    if what == 0:
                        self.exports[name] = number
            elif kind == 10:
                part.number()
                for function in self.functions[self.imported:]:
                    self.read_body(part, function)
            elif kind == 11:
                for _ in range(part.number()):
                    part.byte()
                    pieces.append((part.expression()[0].what, part.take(part.number())))
            elif kind == 0 and part.text() == "name":
                names = self.read_names(part)
        for number, function in enumerate(self.functions):
            function.name = function.name or names.get(number, f"function{number}")
        self.read_words(pieces)

    @staticmethod
    def read_body(part, function):
        part.number()
        for _ in range(part.number()):
            count = part.number()
            function.locals += [part.type()] * count
        function.body = part.expression()

    @staticmethod
    def read_names(part):
        while part.at < len(part.data):
            kind, inner = part.byte(), Reader(part.take(part.number()))
            if kind == 1:
                return dict(inner.list(lambda: (inner.number(), inner.text())))
        return {}

    def read_words(self, pieces):
        end = max((address + len(data) for address, data in pieces), default=self.first) + 7 & ~7
        memory = bytearray(end - self.first)
        for address, data in pieces:
            memory[address - self.first:address - self.first + len(data)] = data
        self.words = list(struct.unpack(f"<{len(memory) // 8}Q", memory))
