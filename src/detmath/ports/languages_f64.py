"""What languages of ports of fp64 have beside what languages.py says of them, and Java and Rust of these languages. They have words
of 64 bits, l; numbers of fp64; blocks with labels; and memory, whose words of 64 bits are a stack below the address `stack`, and
tables from there on.

Where `pairs` is True, a word of 64 bits is two of 32, the high one first."""
import re
import struct

import languages


class Wide:
    """What most of them write alike."""
    pairs, nothing, block_end, longs = False, "return;", "", {}
    wide = {"fadd": "({0} + {1})", "fsub": "({0} - {1})", "fmul": "({0} * {1})", "fdiv": "({0} / {1})", "top": "memory.top"}
    zeros = {"u": "0", "l": "0", "f": "0.0"}

    def write(self, name, *operands):
        return {**self.templates, **self.wide}[name].format(*operands)

    def names(self, name, _kind):
        return [name]

    def number(self, bits):
        return repr(struct.unpack(">d", struct.pack(">Q", bits))[0])

    def constant(self, kind, bits):
        if kind == "u":
            return (self.word(bits),)
        if kind == "l":
            return (self.long_word(bits % 2**64),)
        ordinary = bits & 0x7ff0000000000000 != 0x7ff0000000000000 and bits != 1 << 63
        return (self.number(bits) if ordinary else self.write("f64_reinterpret_i64", *self.constant("l", bits)),)

    def long_word(self, number):
        return f"{number:#x}"

    def long(self, _engine, name, a, b):
        return ({**self.templates, **self.wide, **self.longs}[name].format(*a.texts, *b.texts),)

    def select(self, _kind, condition, a, b):
        return self.write("select", condition, a, b)

    def convert(self, _engine, name, *x):
        return (self.write(name, *x),)

    def memory(self, at_hand):
        """What a function with memory is given by one that has it, or has none."""
        return ["memory" if at_hand else self.write("memory")]

    def load(self, kind, half, at, memory):
        if kind == "u" or half:
            text = self.write("load_word", at) if memory else self.write("table_word", at)
            return (self.write("i64_extend_i32_u", text) if half else text,)
        text = self.write("load", at) if memory else self.write("table", at)
        return (self.write("f64_reinterpret_i64", text) if kind == "f" else text,)

    def store(self, kind, half, at, text):
        if half:
            text = self.write("i32_wrap_i64", text)
        if kind == "f":
            text = self.write("i64_reinterpret_f64", text)
        return [self.write("store_word" if half or kind == "u" else "store", at, text) + self.end]

    def variables(self, variables):
        """Lines that declare these names of these kinds."""
        return [self.variable(name, kind) for name, kind in variables]

    def variable(self, name, kind):
        return f"{self.types[kind].replace('final ', '')} {name} = {self.zeros[kind]}{self.end}"

    def drop(self, _text):
        """Lines for a value that nobody asks for."""
        return []

    def called(self, engine, kind, text):
        """Names for the result of a call."""
        return engine.new(kind, [text])

    def result(self, text):
        return f"return {text};"

    def block(self, label, loop):
        return (f"{label}: " if label else "") + ("for (;;) {" if loop else "{")

    def leave(self, label, loop):
        return f"{'continue' if loop else 'break'} {label};"

    def break_from(self, label):
        return f"break {label};"

    def file(self, about, parts, names, stack, numbers):
        """As in languages.py; the numbers are those of the tables."""
        raise NotImplementedError

    def words(self, numbers):
        """The numbers of a table in lines."""
        texts = list(map(self.long_word, numbers))
        return ",\n".join(", ".join(texts[first:first + 5]) for first in range(0, len(texts), 5))

    def about(self, name):
        kind = "correctly rounded" if name.startswith("cr_") else "as det has it"
        return f"{name.removeprefix('cr_')}, {kind}, in fp64."


class Java(Wide, languages.Java):
    path, never = "DetmathF64.java", "throw new AssertionError();"
    types = {**languages.Java.types, "l": "final long", "f": "final double"}
    wide = {**Wide.wide, "word": "({0} ? 1 : 0)", "fused": "Math.fma({0}, {1}, {2})", "fabs": "Math.abs({0})",
            "fsqrt": "Math.sqrt({0})", "fmin": "Math.min({0}, {1})", "fmax": "Math.max({0}, {1})", "memory": "new Memory()",
            "load": "memory.load({0})", "load_word": "memory.loadWord({0})", "store": "memory.store({0}, {1})",
            "store_word": "memory.storeWord({0}, {1})", "table": "table({0})", "table_word": "tableWord({0})",
            "udiv": "Integer.divideUnsigned({0}, {1})", "sdiv": "({0} / {1})", "i32_wrap_i64": "(int){0}",
            "i64_extend_i32_u": "Integer.toUnsignedLong({0})", "i64_extend_i32_s": "(long){0}",
            "f64_reinterpret_i64": "Double.longBitsToDouble({0})", "i64_reinterpret_f64": "Double.doubleToRawLongBits({0})",
            "f64_convert_i64_s": "(double){0}", "f64_convert_i32_s": "(double){0}",
            "f64_convert_i32_u": "(double)Integer.toUnsignedLong({0})", "f64_convert_i64_u": "fromUnsigned({0})",
            "i64_trunc_f64_s": "(long){0}", "i64_trunc_f64_u": "toUnsigned({0})", "i32_trunc_f64_s": "(int){0}", "i32_trunc_f64_u": "(int)(long){0}"}
    longs = {"udiv": "Long.divideUnsigned({0}, {1})", "urem": "Long.remainderUnsigned({0}, {1})",
             **languages.comparisons("(Long.compareUnsigned({0}, {1}) < 0)", "({0} < {1})")}
    start = """private static final class Memory {
    private final long[] words = new long[STACK / 8];
    private int top = STACK;

    private long load(int at) {
        return at < STACK ? words[at >>> 3] : table(at);
    }

    private int loadWord(int at) {
        return (int)(load(at) >>> 8 * (at & 4));
    }

    private void store(int at, long word) {
        words[at >>> 3] = word;
    }

    private void storeWord(int at, int word) {
        words[at >>> 3] = at % 8 == 0 ? words[at >>> 3] >>> 32 << 32 | Integer.toUnsignedLong(word)
                                      : words[at >>> 3] << 32 >>> 32 | (long)word << 32;
    }
}

private static final long[] TABLES = {
NUMBERS
};

private static long table(int at) {
    return TABLES[at - STACK >>> 3];
}

private static int tableWord(int at) {
    return (int)(table(at) >>> 8 * (at & 4));
}

/* Rounded once: what is too large for a sign is halved, with the last bit set where a bit is lost. */
private static double fromUnsigned(long x) {
    return x < 0 ? 2.0 * (double)(x >>> 1 | x & 1) : (double)x;
}

private static long toUnsigned(double x) {
    return x < 0x1p63 ? (long)x : (long)(x - 0x1p63) ^ Long.MIN_VALUE;
}
"""

    def long_word(self, number):
        return f"{number:#x}L"

    def head(self, name, result, operands, public, memory):
        types = {kind: text.split()[1] for kind, text in self.types.items()}
        given = ["Memory memory"] * (memory and not public) + [f"{types[kind]} {one}" for one, kind in operands]
        own = f"\n    final Memory memory = {self.write('memory')};" if memory and public else ""
        about = f"/** {self.about(name)} */\n" if public else ""
        called = f"{types[result] if result else 'void'} {name}({', '.join(given)})"
        return f"{about}{'public' if public else 'private'} static {called} {{{own}"

    def sincos(self, name, sine, cosine):
        return (f"/** The sine and the cosine, with the bits of these. */\npublic static double[] {name}(double x) {{\n"
                f"    return new double[] {{{sine}(x), {cosine}(x)}};\n}}\n")

    def file(self, about, parts, names, stack, numbers):
        start = self.start.replace("STACK", str(stack)).replace("NUMBERS", self.words(numbers))
        return ("/* " + "\n * ".join(about) + " */\npublic final class DetmathF64 {\nprivate DetmathF64() {\n}\n\n" +
                "\n".join([start, *parts]) + "}\n")


class Rust(Wide, languages.Rust):
    path, never = "detmath_f64.rs", "unreachable!();"
    types = {**languages.Rust.types, "l": "u64", "f": "f64"}
    wide = {**Wide.wide, "fused": "{0}.mul_add({1}, {2})", "fneg": "(-{0})", "fabs": "{0}.abs()", "fsqrt": "{0}.sqrt()",
            "fmin": "smaller({0}, {1})", "fmax": "larger({0}, {1})", "memory": "&mut Memory::new()",
            "load": "memory.load({0})", "load_word": "memory.load_word({0})", "store": "memory.store({0}, {1})",
            "store_word": "memory.store_word({0}, {1})", "table": "table({0})", "table_word": "table_word({0})", "udiv": "({0} / {1})",
            "urem": "({0} % {1})", "sdiv": "(({0} as i32).wrapping_div({1} as i32) as u32)", "i32_wrap_i64": "({0} as u32)",
            "i64_extend_i32_u": "({0} as u64)", "i64_extend_i32_s": "({0} as i32 as i64 as u64)",
            "f64_reinterpret_i64": "f64::from_bits({0})", "i64_reinterpret_f64": "{0}.to_bits()",
            "f64_convert_i64_s": "({0} as i64 as f64)", "f64_convert_i32_s": "({0} as i32 as f64)",
            "f64_convert_i32_u": "({0} as f64)", "f64_convert_i64_u": "({0} as f64)", "i64_trunc_f64_s": "({0} as i64 as u64)", "i64_trunc_f64_u": "({0} as u64)",
            "i32_trunc_f64_s": "({0} as i32 as u32)", "i32_trunc_f64_u": "({0} as u32)"}
    longs = {"shl": "{0}.wrapping_shl({1} as u32)", "lshr": "{0}.wrapping_shr({1} as u32)",
             "ashr": "(({0} as i64).wrapping_shr({1} as u32) as u64)",
             **languages.comparisons("({0} < {1})", "(({0} as i64) < ({1} as i64))")}
    start = """struct Memory {
    words: [u64; STACK / 8],
    top: u32,
}

impl Memory {
    fn new() -> Memory {
        Memory { words: [0; STACK / 8], top: STACK }
    }

    fn load(&self, at: u32) -> u64 {
        if at < STACK { self.words[at as usize / 8] } else { table(at) }
    }

    fn load_word(&self, at: u32) -> u32 {
        (self.load(at) >> (8 * (at & 4))) as u32
    }

    fn store(&mut self, at: u32, word: u64) {
        self.words[at as usize / 8] = word;
    }

    fn store_word(&mut self, at: u32, word: u32) {
        let (whole, up) = (&mut self.words[at as usize / 8], 8 * (at & 4));
        *whole = *whole & !(0xffffffff << up) | u64::from(word) << up;
    }
}

static TABLES: [u64; COUNT] = [
NUMBERS
];

#[inline]
fn table(at: u32) -> u64 {
    TABLES[(at - STACK) as usize / 8]
}

#[inline]
fn table_word(at: u32) -> u32 {
    (table(at) >> (8 * (at & 4))) as u32
}

/// NaN where an operand is; zeros are alike.
#[inline]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}

#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}
"""

    def number(self, bits):
        return f"({super().number(bits)}f64)"

    def long_word(self, number):
        return f"{number:#x}u64"

    def variable(self, name, kind):
        return f"let mut {name}: {self.types[kind]} = {self.zeros[kind]};"

    def block(self, label, loop):
        return (f"'{label}: " if label else "") + ("loop {" if loop else "{")

    def leave(self, label, loop):
        return f"{'continue' if loop else 'break'} '{label};"

    def break_from(self, label):
        return f"break '{label};"

    def head(self, name, result, operands, public, memory):
        own = f"\n    let memory = {self.write('memory')};" if memory and public else ""
        given = ["memory: &mut Memory"] * (memory and not public) + [f"mut {one}: {self.types[kind]}" for one, kind in operands]
        about = f"/// {self.about(name)}\npub " if public else ""
        return f"{about}fn {name}({', '.join(given)}){f' -> {self.types[result]}' if result else ''} {{{own}"

    def sincos(self, name, sine, cosine):
        return (f"/// The sine and the cosine, with the bits of these.\npub fn {name}(x: f64) -> (f64, f64) {{\n"
                f"    ({sine}(x), {cosine}(x))\n}}\n")

    def file(self, about, parts, names, stack, numbers):
        start = self.start.replace("STACK", str(stack)).replace("COUNT", str(len(numbers))).replace("NUMBERS", self.words(numbers))
        rows = []
        for name, given in (("UNARY", "f64"), ("BINARY", "f64, f64")):
            head = rf"^pub fn (\w+)\({', '.join(f'mut x{i}: f64' for i in range(given.count('f64')))}\) -> f64"
            found = ", ".join(f'("{one}", {one})' for one in re.findall(head, "\n".join(parts), re.MULTILINE))
            rows.append(f"/// Each by its name.\npub static {name}: &[(&str, fn({given}) -> f64)] = &[{found}];\n")
        return ("//! " + "\n//! ".join(about) + "\n#![allow(clippy::all, dead_code, unused_assignments, unused_mut, unused_parens, "
                "unused_variables)]\n\n" + "\n".join([start, *parts, *rows]))
