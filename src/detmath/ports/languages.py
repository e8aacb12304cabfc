"""The languages of ports, a class each: how the few things are written that kernels are made of. Words of 32 bits, u, are
whatever type of the language has these bits; f is a float and b a truth value. The templates take operands by number.

Where `floats` is False, a float is a word with its bits, and what there is to do with it is done by helpers in integers:
languages for GPUs promise neither a fused sum, nor subnormal numbers, nor a rounding."""
import struct

SIGN = 0x80000000


def number_of(bits):
    return struct.unpack(">f", struct.pack(">I", bits % 2**32))[0]


def comparisons(unsigned, signed):
    """Templates of both kinds of comparisons of words: {0} < {1} with the sign for <."""
    signs = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
    return {kind + name: template.replace("<", sign) for kind, template in (("u", unsigned), ("s", signed))
            for name, sign in signs.items()}


class Language:
    """What most of them write alike."""
    floats = True
    types = {}
    indent, end = "    ", ";"
    templates = {"add": "({0} + {1})", "sub": "({0} - {1})", "mul": "({0} * {1})", "and": "({0} & {1})", "or": "({0} | {1})",
                 "xor": "({0} ^ {1})", "shl": "({0} << {1})", "lshr": "({0} >> {1})", "eq": "({0} == {1})",
                 "ne": "({0} != {1})", "both": "({0} && {1})", "either": "({0} || {1})", "differ": "({0} != {1})",
                 "fadd": "({0} + {1})", "fsub": "({0} - {1})", "fneg": "(-{0})", "select": "({0} ? {1} : {2})",
                 "olt": "({0} < {1})", "ogt": "({0} > {1})", "ole": "({0} <= {1})", "oge": "({0} >= {1})",
                 "oeq": "({0} == {1})", "une": "({0} != {1})", "index": "{0}[{1}]"}

    def write(self, name, *operands):
        return self.templates[name].format(*operands)

    def word(self, number):
        return f"{number % 2**32:#x}"

    def number(self, bits):
        """A float, which is finite and not -0, exactly."""
        return repr(number_of(bits))

    def let(self, name, kind, text):
        return f"{self.types[kind]} {name} = {text}{self.end}"

    def variable(self, name, kind):
        return f"{self.types[kind]} {name}{self.end}"

    def assign(self, name, text):
        return f"{name} = {text}{self.end}"

    def when(self, condition):
        return f"if ({condition}) {{"

    def result(self, text):
        return f"return {text}{self.end}"

    def call(self, name, operands):
        return f"{name}({', '.join(operands)})"

    def helper_name(self, name):
        return name

    def function_name(self, name):
        return name

    def table_name(self, name):
        return self.helper_name(name.removeprefix("detmath_"))

    def head(self, name, result, operands, public):
        """The line that opens a function; `public`: one that users call."""
        raise NotImplementedError

    def table(self, name, words):
        raise NotImplementedError

    def file(self, about, parts, names):
        """The whole text of parts; `about` is lines for a comment."""
        raise NotImplementedError


class JavaScript(Language):
    """Words are numbers of 32 bits with a sign."""
    name, path = "JavaScript", "detmath.js"
    before = "const detmath = (() => {\n\"use strict\";\n"
    after = "return {{ {} }};\n}})();\nif (typeof module === \"object\")\n    module.exports = detmath;\n"
    templates = {**Language.templates, "add": "({0} + {1} | 0)", "sub": "({0} - {1} | 0)", "mul": "Math.imul({0}, {1})",
                 "lshr": "({0} >>> {1} | 0)", "ashr": "({0} >> {1})", "eq": "({0} === {1})", "ne": "({0} !== {1})",
                 "differ": "({0} !== {1})", "oeq": "({0} === {1})", "une": "({0} !== {1})",
                 **comparisons("({0} >>> 0 < {1} >>> 0)", "({0} < {1})"), "not": "!{0}", "word": "({0} ? 1 : 0)",
                 "fadd": "fround({0} + {1})", "fsub": "fround({0} - {1})", "fused": "fused({0}, {1}, {2})",
                 "bits": "bitsOf({0})", "from_bits": "fromBits({0})", "from_word": "fround({0})"}
    start = """const floats = new Float32Array(1), words = new Int32Array(floats.buffer), fround = Math.fround;

function bitsOf(x) {
    floats[0] = x;
    return words[0];
}

function fromBits(bits) {
    words[0] = bits;
    return floats[0];
}

/* a * b + c rounded to fp32 once. The product is exact in fp64, and what rounding the sum there loses is known. Only
 * where the sum is a middle between two numbers of fp32 does that decide. */
function fused(a, b, c) {
    const product = a * b, sum = product + c, part = sum - product;
    const lost = (product - (sum - part)) + (c - part);
    const near = fround(sum), rest = sum - near, other = near + 2 * rest;
    if (lost !== 0 && rest !== 0 && fround(other) === other && lost > 0 === rest > 0)
        return other;
    /* Just below the middle between the largest number and what would be the next. */
    if (Math.abs(sum) === 0x1ffffff * 2 ** 103 && lost !== 0 && lost > 0 !== sum > 0)
        return sum > 0 ? 0xffffff * 2 ** 104 : -0xffffff * 2 ** 104;
    return near;
}
"""

    def word(self, number):
        number %= 2**32
        return str(number - 2**32 if number & SIGN else number)

    def let(self, name, kind, text):
        return f"const {name} = {text};"

    def variable(self, name, kind):
        return f"let {name};"

    def head(self, name, result, operands, public):
        about = f"/** {name} of x, which is rounded to fp32 first, as det has it: a number of fp32. */\n" if public else ""
        start = f"\n    {operands[0][0]} = fround({operands[0][0]});" if public else ""
        return f"{about}function {name}({', '.join(one for one, _ in operands)}) {{{start}"

    def table(self, name, words):
        return f"const {name} = [{', '.join(map(self.word, words))}];\n"

    def file(self, about, parts, names):
        return "/* " + "\n * ".join(about) + " */\n" + self.before + "\n".join([self.start, *parts, self.after.format(", ".join(names))])


class JavaScriptModule(JavaScript):
    """The same to be imported, of which node and browsers want to know beforehand."""
    name, path = "JavaScript module", "detmath.mjs"
    before, after = "", "export {{ {} }};\n"


class Java(Language):
    name, path = "Java", "Detmath.java"
    types = {"u": "final int", "f": "final float", "b": "final boolean"}
    templates = {**Language.templates, "lshr": "({0} >>> {1})", "ashr": "({0} >> {1})",
                 **comparisons("(Integer.compareUnsigned({0}, {1}) < 0)", "({0} < {1})"), "not": "(!{0})",
                 "word": "({0} ? 1 : 0)", "fused": "Math.fma({0}, {1}, {2})", "bits": "Float.floatToRawIntBits({0})",
                 "from_bits": "Float.intBitsToFloat({0})", "from_word": "(float){0}"}

    def number(self, bits):
        return repr(number_of(bits)) + "f"

    def head(self, name, result, operands, public):
        types = {kind: text.split()[1] for kind, text in self.types.items()}
        given = ", ".join(f"{types[kind]} {one}" for one, kind in operands)
        about = f"/** {name} of x, as det has it. */\n" if public else ""
        return f"{about}{'public' if public else 'private'} static {types[result]} {name}({given}) {{"

    def table(self, name, words):
        return f"private static final int[] {name} = {{{', '.join(map(self.word, words))}}};\n"

    def file(self, about, parts, names):
        return "/* " + "\n * ".join(about) + " */\npublic final class Detmath {\nprivate Detmath() {\n}\n\n" + "\n".join(parts) + "}\n"


class Go(Language):
    name, path, indent, end = "Go", "detmath/detmath.go", "\t", ""
    types = {"u": "uint32", "f": "float32", "b": "bool"}
    templates = {**Language.templates, "ashr": "uint32(int32({0}) >> {1})",
                 **comparisons("({0} < {1})", "(signed({0}) < signed({1}))"), "not": "(!{0})", "word": "wordOf({0})",
                 "select": "choose({0}, {1}, {2})", "select_f": "chooseNumber({0}, {1}, {2})", "fadd": "float32({0} + {1})",
                 "fsub": "float32({0} - {1})", "fused": "fused({0}, {1}, {2})", "bits": "math.Float32bits({0})",
                 "from_bits": "math.Float32frombits({0})", "from_word": "float32(int32({0}))"}
    start = """func signed(x uint32) int32 {
	return int32(x)
}

func wordOf(truth bool) uint32 {
	if truth {
		return 1
	}
	return 0
}

func choose(first bool, a, b uint32) uint32 {
	if first {
		return a
	}
	return b
}

func chooseNumber(first bool, a, b float32) float32 {
	if first {
		return a
	}
	return b
}

// a * b + c rounded to fp32 once. The product is exact in fp64, and what rounding the sum there loses is known. Only
// where the sum is a middle between two numbers of fp32 does that decide.
func fused(a, b, c float32) float32 {
	product, addend := float64(float64(a)*float64(b)), float64(c)
	sum := product + addend
	part := sum - product
	lost := (product - (sum - part)) + (addend - part)
	near := float32(sum)
	rest := sum - float64(near)
	other := float64(near) + float64(2*rest)
	if lost != 0 && rest != 0 && float64(float32(other)) == other && (lost > 0) == (rest > 0) {
		return float32(other)
	}
	// Just below the middle between the largest number and what would be the next.
	if math.Abs(sum) == 0x1.ffffffp127 && lost != 0 && (lost > 0) != (sum > 0) {
		return float32(math.Copysign(math.MaxFloat32, sum))
	}
	return near
}
"""

    def let(self, name, kind, text):
        return f"var {name} {self.types[kind]} = {text}"

    def variable(self, name, kind):
        return f"var {name} {self.types[kind]}"

    def when(self, condition):
        return f"if {condition} {{"

    def function_name(self, name):
        return name.capitalize()

    def head(self, name, result, operands, public):
        about = f"// {name} is det's {name.lower()} of x.\n" if public else ""
        return f"{about}func {name}({', '.join(f'{one} {self.types[kind]}' for one, kind in operands)}) {self.types[result]} {{"

    def table(self, name, words):
        return f"var {name} = [...]uint32{{{', '.join(map(self.word, words))}}}\n"

    def file(self, about, parts, names):
        comment = "\n// ".join(about)
        return f"// Package detmath: {comment}\npackage detmath\n\nimport \"math\"\n\n" + "\n".join([self.start, *parts])


class Rust(Language):
    name, path = "Rust", "detmath.rs"
    types = {"u": "u32", "f": "f32", "b": "bool"}
    templates = {**Language.templates, "add": "{0}.wrapping_add({1})", "sub": "{0}.wrapping_sub({1})",
                 "mul": "{0}.wrapping_mul({1})", "shl": "{0}.wrapping_shl({1})", "lshr": "{0}.wrapping_shr({1})",
                 "ashr": "(({0} as i32).wrapping_shr({1}) as u32)", "not": "(!{0})", "word": "({0} as u32)",
                 **comparisons("({0} < {1})", "(({0} as i32) < ({1} as i32))"), "select": "(if {0} {{ {1} }} else {{ {2} }})",
                 "fused": "{0}.mul_add({1}, {2})", "bits": "{0}.to_bits()", "from_bits": "f32::from_bits({0})",
                 "from_word": "({0} as i32 as f32)", "index": "{0}[{1} as usize]"}

    def word(self, number):
        return f"{number % 2**32:#x}u32"

    def number(self, bits):
        return f"({number_of(bits)!r}f32)"

    def let(self, name, kind, text):
        return f"let {name}: {self.types[kind]} = {text};"

    def variable(self, name, kind):
        return f"let {name}: {self.types[kind]};"

    def when(self, condition):
        return f"if {condition} {{"

    def head(self, name, result, operands, public):
        about = f"/// {name} of x, as det has it.\npub " if public else ""
        return f"{about}fn {name}({', '.join(f'{one}: {self.types[kind]}' for one, kind in operands)}) -> {self.types[result]} {{"

    def table_name(self, name):
        return name.upper()

    def table(self, name, words):
        return f"const {name}: [u32; {len(words)}] = [{', '.join(map(self.word, words))}];\n"

    def file(self, about, parts, names):
        return "//! " + "\n//! ".join(about) + "\n#![allow(clippy::all, dead_code, unused_parens, unused_variables)]\n\n" + "\n".join(parts)


class Shader(Language):
    """Words alone: every function is one of the bits of a number."""
    floats = False

    def word(self, number):
        return f"{number % 2**32:#x}u"

    def helper_name(self, name):
        return "detmath_" + name

    def function_name(self, name):
        return f"detmath_{name}_bits"


class Wgsl(Shader):
    name, path = "WGSL", "detmath.wgsl"
    types = {"u": "u32", "b": "bool"}
    templates = {**Language.templates, "ashr": "u32(i32({0}) >> {1})", "not": "(!{0})",
                 **comparisons("({0} < {1})", "(i32({0}) < i32({1}))"), "word": "select(0u, 1u, {0})",
                 "select": "select({2}, {1}, {0})"}

    def let(self, name, kind, text):
        return f"let {name}: {self.types[kind]} = {text};"

    def variable(self, name, kind):
        return f"var {name}: {self.types[kind]};"

    def head(self, name, result, operands, public):
        return f"fn {name}({', '.join(f'{one}: {self.types[kind]}' for one, kind in operands)}) -> {self.types[result]} {{"

    def table(self, name, words):
        return f"var<private> {name}: array<u32, {len(words)}> = array<u32, {len(words)}>({', '.join(map(self.word, words))});\n"

    def file(self, about, parts, names):
        more = [f"fn {name[:-5]}(x: f32) -> f32 {{\n    return bitcast<f32>({name}(bitcast<u32>(x)));\n}}\n" for name in names]
        return "// " + "\n// ".join(about) + "\n\n" + "\n".join([*parts, *more])


class Glsl(Shader):
    name, path = "GLSL", "detmath.glsl"
    types = {"u": "uint", "b": "bool"}
    templates = {**Language.templates, "ashr": "uint(int({0}) >> {1})", "not": "(!{0})", "word": "uint({0})",
                 **comparisons("({0} < {1})", "(int({0}) < int({1}))")}

    def head(self, name, result, operands, public):
        return f"{self.types[result]} {name}({', '.join(f'{self.types[kind]} {one}' for one, kind in operands)}) {{"

    def table(self, name, words):
        return f"const uint {name}[{len(words)}] = uint[{len(words)}]({', '.join(map(self.word, words))});\n"

    def file(self, about, parts, names):
        more = [f"float {name[:-5]}(float x) {{\n    return uintBitsToFloat({name}(floatBitsToUint(x)));\n}}\n" for name in names]
        return "// " + "\n// ".join(about) + "\n\n" + "\n".join([*parts, *more])


LANGUAGES = [JavaScript(), JavaScriptModule(), Java(), Go(), Rust(), Wgsl(), Glsl()]
