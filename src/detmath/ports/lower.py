"""From functions of LLVM's intermediate language to text of a language of languages.py: a value of 64 bits becomes two
words, branches become nested ifs, and what a language lacks becomes a call of a helper."""
import re
from collections import Counter

from llvm import fail

ONE, MINUS = 0x3f800000, 0x80000000
KINDS = {"i32": "u", "float": "f", "i1": "b"}
# llvm.NAME of two words: the comparison by which the first is taken.
CHOICES = {"umin": "ult", "umax": "ugt", "smin": "slt", "smax": "sgt"}
UNORDERED = {"uge": "olt", "ugt": "ole", "ule": "ogt", "ult": "oge"}  # each is what the other is not
TRUTH = {"and": "both", "or": "either", "xor": "differ"}


class Lowering:
    """One function. `needed` collects the names of helpers and of tables that its text has."""

    def __init__(self, language, function, names):
        self.language, self.function, self.names = language, function, names
        self.elements, self.needed, self.tables = {}, set(), set()

    # Values as text: that of one word, number or truth value; or of the halves of 64 bits.

    def kind(self, type_):
        return "u" if type_ == "float" and not self.language.floats else KINDS[type_]

    def text(self, value, type_):
        language = self.language
        if isinstance(value, str):
            return "v" + re.sub(r"\W", "_", value[1:])
        if type_ == "i1":
            return "true" if value else "false"
        if type_ == "float" and language.floats:
            ordinary = value & 0x7f800000 != 0x7f800000 and value != MINUS
            return language.number(value) if ordinary else self.op("from_bits", language.word(value))
        return language.word(value)

    def halves(self, value):
        if isinstance(value, str):
            return self.text(value, "i64") + "h", self.text(value, "i64") + "l"
        return self.language.word(value >> 32), self.language.word(value)

    def op(self, name, *operands):
        return self.language.write(name, *operands)

    def word(self, number):
        return self.language.word(number)

    def help(self, name, *operands):
        self.needed.add("port_helper_" + name)
        return self.language.call(self.language.helper_name(name), operands)

    def select(self, type_, condition, a, b):
        name = "select_f" if self.kind(type_) == "f" and "select_f" in self.language.templates else "select"
        if type_ == "i1":
            return self.op("either", self.op("both", condition, a), self.op("both", self.op("not", condition), b))
        return self.op(name, condition, a, b)

    # Steps: text of the result, or of both halves.

    def float_step(self, step, *x):
        if self.language.floats:
            return self.op({"call": "fused"}.get(step.kind, step.kind), *x)
        if step.kind == "call":
            return self.help("fused", *x)
        if step.kind == "fneg":
            return self.op("xor", x[0], self.word(MINUS))
        other = self.op("xor", x[1], self.word(MINUS)) if step.kind == "fsub" else x[1]
        return self.help("fused", x[0], self.word(ONE), other)

    def compare_floats(self, step, a, b):
        if step.what in UNORDERED:  # also true of NaN; as a word it would be a comparison of integers
            return self.op("not", self.compare_floats(step._replace(what=UNORDERED[step.what]), a, b))
        if self.language.floats:
            return self.op(step.what, a, b)
        if step.what not in ("olt", "ogt"):
            fail(f"the comparison {step.what} of floats is not known")
        a, b = (a, b) if step.what == "olt" else (b, a)
        return self.op("ne", self.help("less", a, b), self.word(0))

    def call(self, step):
        name, x = step.what, [self.text(one, step.type) for one in step.operands]
        if name == "llvm.fma.f32":
            return self.float_step(step, *x)
        if name in self.names:  # another function of the module
            self.needed.add(name)
            return self.language.call(self.language.helper_name(self.names[name]), x)
        short = name.replace("llvm.", "").replace(".i32", "")
        if short in CHOICES:
            return self.op("select", self.op(CHOICES[short], *x), *x)
        if short == "usub.sat":
            return self.op("select", self.op("ult", *x), self.word(0), self.op("sub", *x))
        if short == "fshl":
            few = self.op("and", x[2], self.word(31))
            down = self.op("lshr", self.op("lshr", x[1], self.word(1)), self.op("sub", self.word(31), few))
            return self.op("or", self.op("shl", x[0], few), down)
        if name == "llvm.fabs.f32":  # which clang 19 makes of the bits without the sign's
            bits = self.op("bits", x[0]) if self.language.floats else x[0]
            return self.number_of_bits(self.op("and", bits, self.word(MINUS - 1)))
        fail(f"{name} is not known")

    def convert(self, step):
        value, kind, source = step.operands[0], step.kind, step.what
        if source == "i64":
            high, low = self.halves(value)
            if kind == "trunc":
                return low
            return self.number_of_bits(self.help("from_long", high, low))
        x = self.text(value, source)
        if kind == "bitcast":
            name = "bits" if source == "float" else "from_bits"
            return self.op(name, x) if self.language.floats else x
        if source == "i1":
            word = self.op("word", x)
            return word if kind == "zext" else self.op("sub", self.word(0), word)
        if kind == "sitofp":
            if self.language.floats:
                return self.op("from_word", x)
            return self.help("from_long", self.op("ashr", x, self.word(31)), x)
        fail(f"{kind} from {source} to {step.type} is not known")

    def number_of_bits(self, word):
        return self.op("from_bits", word) if self.language.floats else word

    def shift(self, step):
        """Of 64 bits: by a constant in place, to the left by anything."""
        (high, low), by = self.halves(step.operands[0]), step.operands[1]
        if isinstance(by, str):
            if step.kind != "shl":
                fail(f"{step.kind} of 64 bits by a number that is not constant")
            by = self.halves(by)[1]
            return self.help("left_high", high, low, by), self.help("left_low", high, low, by)
        few, fill = self.word(by % 32), self.op("ashr", high, self.word(31)) if step.kind == "ashr" else self.word(0)
        move = (lambda name, word: self.op(name, word, few)) if by % 32 else (lambda name, word: word)
        if step.kind == "shl":
            carried = self.op("lshr", low, self.word(32 - by)) if 0 < by < 32 else self.word(0)
            return (move("shl", low), self.word(0)) if by >= 32 else (self.op("or", move("shl", high), carried), move("shl", low))
        down = "ashr" if step.kind == "ashr" else "lshr"
        carried = self.op("shl", high, self.word(32 - by)) if 0 < by < 32 else self.word(0)
        return (fill, move(down, high)) if by >= 32 else (move(down, high), self.op("or", move("lshr", low), carried))

    def long_step(self, step):
        if step.kind == "zext":
            return self.word(0), self.text(step.operands[0], step.what)
        if step.kind == "fptosi":
            x = self.text(step.operands[0], "float")
            bits = self.op("bits", x) if self.language.floats else x
            return self.help("to_long_high", bits), self.help("to_long_low", bits)
        if step.kind in ("shl", "lshr", "ashr"):
            return self.shift(step)
        (ah, al), (bh, bl) = map(self.halves, step.operands)
        if step.kind == "add":
            low = self.op("add", al, bl)
            return self.op("add", self.op("add", ah, bh), self.op("word", self.op("ult", low, al))), low
        if step.kind == "sub":
            borrow = self.op("word", self.op("ult", al, bl))
            return self.op("sub", self.op("sub", ah, bh), borrow), self.op("sub", al, bl)
        if step.kind == "mul":
            cross = self.op("add", self.op("mul", ah, bl), self.op("mul", al, bh))
            return self.op("add", self.help("product_high", al, bl), cross), self.op("mul", al, bl)
        if step.kind in ("and", "or", "xor"):
            return self.op(step.kind, ah, bh), self.op(step.kind, al, bl)
        fail(f"{step.kind} of 64 bits is not known")

    def value(self, step):
        x = [self.text(one, step.type) for one in step.operands if not isinstance(one, tuple)]
        if step.kind in ("fadd", "fsub", "fneg"):
            return self.float_step(step, *x)
        if step.kind == "fcmp":
            return self.compare_floats(step, *(self.text(one, "float") for one in step.operands))
        if step.kind == "icmp":
            return self.op(step.what, *(self.text(one, "i32") for one in step.operands))
        if step.kind == "select":
            condition = self.text(step.operands[0], "i1")
            return self.select(step.type, condition, *(self.text(one, step.type) for one in step.operands[1:]))
        if step.kind == "call":
            return self.call(step)
        if step.kind == "freeze":
            return x[0]
        if step.kind in ("zext", "sext", "trunc", "bitcast", "sitofp"):
            return self.convert(step)
        if step.kind == "load":
            name, index, farther = self.elements[step.operands[0]]
            self.tables.add(name)
            index = self.text(index, "i32")
            index = self.op("add", index, self.text(farther, "i32")) if farther else index
            word = self.op("index", self.language.table_name(name), index)
            return self.number_of_bits(word) if step.type == "float" else word
        if step.type == "i1":
            return self.op(TRUTH[step.kind], *x)
        return self.op(step.kind, *x)

    def step(self, step):
        """Lines."""
        language, name = self.language, self.text(step.result, step.type)
        if step.kind == "element":
            self.elements[step.result] = step.what, step.operands[0], 0
            return []
        if step.kind in ("alias", "farther"):
            name, index, farther = self.elements[step.operands[0]]
            self.elements[step.result] = name, index, farther + (step.what or 0)
            return []
        if step.type == "i64":
            return [language.let(name + half, "u", text) for half, text in zip("lh", reversed(self.long_step(step)))]
        kind = "b" if step.kind in ("icmp", "fcmp") else self.kind(step.type)
        return [language.let(name, kind, self.value(step))]

    # Blocks.

    def enter(self, source, target):
        """What the variables of a block become on the way from another."""
        lines = []
        for step in self.function.blocks[target]:
            if step.kind == "phi":
                value = next(value for value, block in step.operands if block == source)
                lines.append(self.language.assign(self.text(step.result, step.type), self.text(value, step.type)))
        return lines

    def block(self, name, stop):
        """The lines from a block on to `stop`, which is left out."""
        lines = [line for step in self.function.blocks[name] if step.kind != "phi" for line in self.step(step)]
        end = self.function.ends[name]
        if not end:
            value = self.text(self.function.returned[name], self.function.result)
            return [*lines, self.language.result(value)]
        if end.condition is None:
            target, = end.targets
            return [*lines, *self.enter(name, target), *(self.block(target, stop) if target != stop else [])]
        join = self.function.join(name)
        ways = [[*self.enter(name, target), *(self.block(target, join) if target != join else [])] for target in end.targets]
        condition = self.text(end.condition, "i1")
        if not ways[0]:
            condition, ways = self.op("not", condition), ways[::-1]
        ways = [[self.language.indent + line for line in way] for way in ways]
        lines += [self.language.when(condition), *ways[0], *(["} else {", *ways[1]] if ways[1] else []), "}"]
        return lines + (self.block(join, stop) if join not in (None, stop) else [])

    def lines(self, name, public):
        language, function = self.language, self.function
        phis = [step for steps in function.blocks.values() for step in steps if step.kind == "phi"]
        variables = [language.variable(self.text(one.result, one.type), self.kind(one.type).replace("final ", "")) for one in phis]
        body = without_unused([*variables, *self.block(next(iter(function.blocks)), None)])
        operands = [(self.text(one, type_), self.kind(type_)) for one, type_ in function.operands]
        head = language.head(name, self.kind(function.result), operands, public)
        return "\n".join([head, *(language.indent + line for line in body), "}", ""])


def without_unused(lines):
    """Without the values that nobody asks for, of which there are some halves."""
    declared = re.compile(r"\s*(?:const |let |var |final )?(?:\w+ )?(v\w+)(?:: \w+| \w+)? = ")
    while True:
        count = Counter(re.findall(r"\bv\w+", "\n".join(lines)))
        kept = [line for line in lines if not ((match := declared.match(line)) and count[match[1]] == 1)]
        if len(kept) == len(lines):
            return lines
        lines = kept
