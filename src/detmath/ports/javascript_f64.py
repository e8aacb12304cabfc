"""JavaScript for ports of fp64: words of 64 bits are pairs, and the fused sum is made of others."""
import languages
from languages_f64 import Wide

TRUTHS = ("eq", "ne", *(sign + name for sign in "us" for name in ("lt", "le", "gt", "ge")))


class JavaScript(Wide, languages.JavaScript):
    path, pairs, never = "detmath_f64.js", True, "throw new Error();"
    before = languages.JavaScript.before.replace("const detmath =", "const detmath_f64 =")
    after = languages.JavaScript.after.replace("= detmath;", "= detmath_f64;")
    wide = {**Wide.wide, "fused": "fused({0}, {1}, {2})", "fabs": "Math.abs({0})", "fsqrt": "Math.sqrt({0})",
            "fmin": "Math.min({0}, {1})", "fmax": "Math.max({0}, {1})", "top": "top", "udiv": "(({0} >>> 0) / ({1} >>> 0) | 0)",
            "sdiv": "({0} / {1} | 0)", "f64_reinterpret_i64": "numberOf({0}, {1})"}
    start = """const doubles = new Float64Array(1), words = new Int32Array(doubles.buffer);
const first = new Uint8Array(Int32Array.of(1).buffer)[0], other = 1 - first; /* the places of the high word and the low one */
const memory = new DataView(new ArrayBuffer(END));
let top = STACK, low = 0; /* the end of what functions have of the memory; the low word of what the last function had for a result */
[
TABLES
].forEach((word, i) => memory.setUint32(STACK + 4 * i, word, true));

function highOf(x) {
    doubles[0] = x;
    return words[first];
}

function lowOf(x) {
    doubles[0] = x;
    return words[other];
}

function numberOf(high, low) {
    words[first] = high;
    words[other] = low;
    return doubles[0];
}

/* a * b + c rounded once. Both parts of the product are exact, and so are sums of two numbers in two parts; the parts that are small
 * are added with the last bit set where a bit is lost, and so rounding the sum of that and the large part is right. What is too large
 * or too small for it goes another way. */
function fused(a, b, c) {
    const product = a * b, size = Math.abs(product);
    if (!(size > 1e-270 && size < 1e300 && Math.abs(a) < 1e297 && Math.abs(b) < 1e297 && Math.abs(c) < 1e300))
        return fusedFar(a, b, c);
    const a2 = 0x8000001 * a, a1 = a2 - (a2 - a), a0 = a - a1;
    const b2 = 0x8000001 * b, b1 = b2 - (b2 - b), b0 = b - b1;
    const part = a0 * b0 - (((product - a1 * b1) - a0 * b1) - a1 * b0);
    const small = c + part, smallPart = small - c, smallRest = (c - (small - smallPart)) + (part - smallPart);
    const large = product + small, largePart = large - product;
    const largeRest = (product - (large - largePart)) + (small - largePart);
    let rest = largeRest + smallRest;
    const restPart = rest - largeRest, lost = (largeRest - (rest - restPart)) + (smallRest - restPart);
    if (lost !== 0) {
        doubles[0] = rest;
        if ((words[other] & 1) === 0) {
            /* One further from zero where what is lost has the sign of the sum, or one nearer. */
            if (lost > 0 === rest > 0) {
                words[other] |= 1;
            } else {
                words[other] = words[other] - 1 | 0;
                if (words[other] === -1)
                    words[first] = words[first] - 1 | 0;
            }
            rest = doubles[0];
        }
    }
    return large + rest;
}

/* The same of any numbers, in integers of any length. */
function fusedFar(a, b, c) {
    if (!Number.isFinite(a) || !Number.isFinite(b) || a === 0 || b === 0)
        return a * b + c;
    if (!Number.isFinite(c))
        return c;
    const [ia, ea] = integerOf(a), [ib, eb] = integerOf(b), [ic, ec] = integerOf(c);
    let exponent = Math.min(ea + eb, ec);
    const sum = (ia * ib << BigInt(ea + eb - exponent)) + (ic << BigInt(ec - exponent));
    let size = sum < 0n ? -sum : sum;
    const down = Math.max(size.toString(2).length - 53, -1074 - exponent);
    if (down > 0) {
        const half = 1n << BigInt(down - 1), lost = size & (2n * half - 1n);
        size >>= BigInt(down);
        exponent += down;
        if (lost > half || (lost === half && size & 1n))
            size += 1n;
    }
    const half = exponent >> 1; /* products with both powers are exact, or infinite */
    return Number(size) * powerOf(half) * powerOf(exponent - half) * (sum < 0n ? -1 : 1);
}

function powerOf(exponent) {
    return numberOf(exponent + 1023 << 20, 0);
}

/* A finite number as an integer times a power of two. */
function integerOf(x) {
    const high = highOf(x), biased = high >>> 20 & 0x7ff;
    const size = BigInt(high & 0xfffff | (biased ? 0x100000 : 0)) << 32n | BigInt(lowOf(x) >>> 0);
    return [high < 0 ? -size : size, (biased || 1) - 1075];
}

/* The high word of a product of two words. */
function productHigh(a, b) {
    const a1 = a >>> 16, a0 = a & 0xffff, b1 = b >>> 16, b0 = b & 0xffff;
    const middle = a1 * b0 + (a0 * b0 >>> 16), next = a0 * b1 + (middle & 0xffff);
    return a1 * b1 + (middle >>> 16) + (next >>> 16) | 0;
}

/* High words of shifted pairs, with the low ones in `low`; by any number, of which the last six bits count. */
function shiftLeft(high, word, by) {
    low = by & 32 ? 0 : word << by;
    return by & 32 ? word << by : high << by | word >>> 1 >>> (31 - (by & 31));
}

function shiftRight(high, word, by) {
    low = by & 32 ? high >>> by : word >>> by | high << 1 << (31 - (by & 31));
    return by & 32 ? 0 : high >>> by;
}

function shiftRightSigned(high, word, by) {
    low = by & 32 ? high >> by : word >>> by | high << 1 << (31 - (by & 31));
    return by & 32 ? high >> 31 : high >> by;
}

/* Quotients and remainders of pairs, as `low` has it. */
function longOf(high, word) {
    return BigInt(high >>> 0) << 32n | BigInt(word >>> 0);
}

function pairOf(whole) {
    low = Number(BigInt.asIntN(32, whole));
    return Number(BigInt.asIntN(32, whole >> 32n));
}

function quotient(ah, al, bh, bl) {
    return pairOf(longOf(ah, al) / longOf(bh, bl));
}

function remainder(ah, al, bh, bl) {
    return pairOf(longOf(ah, al) % longOf(bh, bl));
}
"""

    def names(self, name, kind):
        return [name + "h", name + "l"] if kind == "l" else [name]

    def constant(self, kind, bits):
        return (self.word(bits >> 32), self.word(bits)) if kind == "l" else super().constant(kind, bits)

    def memory(self, at_hand):
        return []

    def helped(self, engine, name, *operands):
        """The pair that a helper returns in two parts."""
        return self.called(engine, "l", self.call(name, operands))

    def called(self, engine, kind, text):
        if kind != "l":
            return super().called(engine, kind, text)
        high = engine.new("u", [text])
        return [*high, *engine.new("u", ["low"])]

    def result(self, *texts):
        """Of a pair the low word goes where helpers leave theirs, too."""
        *high, last = texts
        return f"low = {last}; return {high[0]};" if high else super().result(last)

    def long(self, engine, name, a, b):
        (ah, al), (bh, bl) = a.texts, b.texts
        if name in ("and", "or", "xor"):
            return self.bitwise(name, ah, bh), self.bitwise(name, al, bl)
        if name == "add" and "0" in (al, bl):
            return self.write("add", ah, bh), al if bl == "0" else bl
        if name == "add":
            low, = engine.new("u", [self.write("add", al, bl)])
            return f"({ah} + {bh} + ({low} >>> 0 < {al} >>> 0 ? 1 : 0) | 0)", low
        if name == "sub":
            return f"({ah} - {bh} - ({al} >>> 0 < {bl} >>> 0 ? 1 : 0) | 0)", self.write("sub", al, bl)
        if name == "mul":
            return f"(productHigh({al}, {bl}) + Math.imul({ah}, {bl}) + Math.imul({al}, {bh}) | 0)", f"Math.imul({al}, {bl})"
        if name in ("eq", "ne"):
            return (self.write("both" if name == "eq" else "either", self.write(name, ah, bh), self.write(name, al, bl)),)
        if name in TRUTHS:
            less = name[:2] + "t"
            return (f"({self.write(less, ah, bh)} || {ah} === {bh} && {self.write('u' + name[1:], al, bl)})",)
        if name in ("udiv", "urem"):
            return self.helped(engine, {"udiv": "quotient", "urem": "remainder"}[name], ah, al, bh, bl)
        if b.known is None:
            return self.helped(engine, {"shl": "shiftLeft", "lshr": "shiftRight", "ashr": "shiftRightSigned"}[name], ah, al, bl)
        return self.shift(name, ah, al, b.known % 64)

    def bitwise(self, name, a, b):
        """Of words, without the step where the second is 0 or all ones."""
        if b == "0":
            return b if name == "and" else a
        return a if (name, b) == ("and", "-1") else self.write(name, a, b)

    @staticmethod
    def shift(name, high, low, by):
        """By a constant."""
        few, carried = by % 32, 32 - by % 32
        if name == "shl":
            if by >= 32:
                return f"({low} << {few})" if few else low, "0"
            return (f"({high} << {few} | {low} >>> {carried})" if few else high), f"({low} << {few})"
        move, fill = (">>", f"({high} >> 31)") if name == "ashr" else (">>>", "0")
        if by >= 32:
            return fill, f"({high} {move} {few} | 0)" if few else high
        return f"({high} {move} {few} | 0)", f"({low} >>> {few} | {high} << {carried})" if few else low

    def convert(self, engine, name, *x):
        if name == "i32_wrap_i64":
            return (x[1],)
        if name == "i64_extend_i32_u":
            return "0", x[0]
        if name == "i64_extend_i32_s":
            return f"({x[0]} >> 31)", x[0]
        if name == "i64_reinterpret_f64":
            return f"highOf({x[0]})", f"lowOf({x[0]})"
        if name == "f64_reinterpret_i64":
            return (self.write(name, *x),)
        if name == "f64_convert_i64_s":
            return (f"({x[0]} * 4294967296 + ({x[1]} >>> 0))",)
        if name == "f64_convert_i64_u":
            return (f"(({x[0]} >>> 0) * 4294967296 + ({x[1]} >>> 0))",)
        if name == "f64_convert_i32_u":
            return (f"({x[0]} >>> 0)",)
        if name in ("i64_trunc_f64_s", "i64_trunc_f64_u"):
            whole, = engine.new("f", [f"Math.trunc({x[0]})"])
            high, = engine.new("f", [f"Math.floor({whole} / 4294967296)"])
            return f"({high} | 0)", f"({whole} - {high} * 4294967296 | 0)"
        return (f"({x[0]} | 0)" if name.startswith("i32_trunc") else x[0],)

    def load(self, kind, half, at, memory):
        if kind == "f":
            return (f"memory.getFloat64({at}, true)",)
        word = f"memory.getInt32({at}, true)"
        if kind == "u":
            return (word,)
        return ("0" if half else f"memory.getInt32({self.write('add', at, '4')}, true)"), word

    def store(self, kind, half, at, *texts):
        if kind == "f":
            return [f"memory.setFloat64({at}, {texts[0]}, true);"]
        lines = [f"memory.setInt32({at}, {texts[-1]}, true);"]
        if kind == "l" and not half:
            lines.append(f"memory.setInt32({self.write('add', at, '4')}, {texts[0]}, true);")
        return lines

    def variables(self, variables):
        return ["let " + ", ".join(f"{name} = 0" for name, _ in variables) + ";"] if variables else []

    def head(self, name, result, operands, public, memory):
        given = [one for one, _ in operands]
        about = f"/** {self.about(name)} */\n" if public else ""
        rounded = "".join(f"\n    {one} = +{one};" for one in given) if public else ""
        return f"{about}function {name}({', '.join(given)}) {{{rounded}"

    def sincos(self, name, sine, cosine):
        return f"/** The sine and the cosine, with the bits of these. */\nfunction {name}(x) {{\n    return [{sine}(x), {cosine}(x)];\n}}\n"

    def long_word(self, number):
        return f"{number % 2**32:#x}, {number >> 32:#x}"

    def file(self, about, parts, names, stack, numbers):
        start = self.start.replace("TABLES", self.words(numbers)).replace("END", str(stack + 8 * len(numbers)))
        start = start.replace("STACK", str(stack))
        return "/* " + "\n * ".join(about) + " */\n" + self.before + "\n".join([start, *parts, self.after.format(", ".join(names))])


class JavaScriptModule(JavaScript):
    path = "detmath_f64.mjs"
    before, after = languages.JavaScriptModule.before, languages.JavaScriptModule.after
