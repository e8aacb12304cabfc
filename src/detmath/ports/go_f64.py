"""Go for ports of fp64: conversions keep products and sums apart, and every name must be read."""
import languages
from languages_f64 import Wide


class Go(Wide, languages.Go):
    path, never, nothing = "detmathf64/detmathf64.go", 'panic("")', "return"
    types = {**languages.Go.types, "l": "uint64", "f": "float64"}
    wide = {**Wide.wide, "fadd": "float64({0} + {1})", "fsub": "float64({0} - {1})", "fmul": "float64({0} * {1})",
            "fdiv": "float64({0} / {1})", "shl": "({0} << ({1} & 31))", "lshr": "({0} >> ({1} & 31))",
            "ashr": "uint32(int32({0}) >> ({1} & 31))", "fused": "math.FMA({0}, {1}, {2})", "fabs": "math.Abs({0})",
            "fsqrt": "math.Sqrt({0})", "fmin": "smaller({0}, {1})", "fmax": "larger({0}, {1})", "memory": "newMemory()",
            "load": "memory.load({0})", "load_word": "memory.loadWord({0})", "store": "memory.store({0}, {1})",
            "store_word": "memory.storeWord({0}, {1})", "table": "table({0})", "table_word": "tableWord({0})", "udiv": "({0} / {1})",
            "urem": "({0} % {1})", "sdiv": "uint32(int32({0}) / int32({1}))", "i32_wrap_i64": "uint32({0})",
            "i64_extend_i32_u": "uint64({0})", "i64_extend_i32_s": "uint64(int32({0}))",
            "f64_reinterpret_i64": "math.Float64frombits({0})", "i64_reinterpret_f64": "math.Float64bits({0})",
            "f64_convert_i64_s": "float64(signedLong({0}))", "f64_convert_i32_s": "float64(int32({0}))",
            "f64_convert_i32_u": "float64({0})", "f64_convert_i64_u": "float64({0})", "i64_trunc_f64_s": "uint64(int64({0}))",
            "i64_trunc_f64_u": "uint64({0})",
            "i32_trunc_f64_s": "uint32(int32({0}))", "i32_trunc_f64_u": "uint32({0})"}
    longs = {"shl": "({0} << ({1} & 63))", "lshr": "({0} >> ({1} & 63))", "ashr": "uint64(signedLong({0}) >> ({1} & 63))",
             **languages.comparisons("({0} < {1})", "(signedLong({0}) < signedLong({1}))")}
    start = languages.Go.start[:languages.Go.start.index("func chooseNumber")] + """func signedLong(x uint64) int64 {
	return int64(x)
}

func chooseLong(first bool, a, b uint64) uint64 {
	if first {
		return a
	}
	return b
}

func chooseNumber(first bool, a, b float64) float64 {
	if first {
		return a
	}
	return b
}

// NaN where an operand is; zeros are alike.
func smaller(a, b float64) float64 {
	return chooseNumber(a < b || a != a, a, b)
}

func larger(a, b float64) float64 {
	return chooseNumber(a > b || a != a, a, b)
}

type memory struct {
	words [STACK / 8]uint64
	top   uint32
}

func newMemory() *memory {
	return &memory{top: STACK}
}

func (m *memory) load(at uint32) uint64 {
	if at < STACK {
		return m.words[at/8]
	}
	return table(at)
}

func (m *memory) loadWord(at uint32) uint32 {
	return uint32(m.load(at) >> (8 * (at & 4)))
}

func (m *memory) store(at uint32, word uint64) {
	m.words[at/8] = word
}

func (m *memory) storeWord(at uint32, word uint32) {
	up := 8 * (at & 4)
	m.words[at/8] = m.words[at/8]&^(0xffffffff<<up) | uint64(word)<<up
}

func table(at uint32) uint64 {
	return tables[(at-STACK)/8]
}

func tableWord(at uint32) uint32 {
	return uint32(table(at) >> (8 * (at & 4)))
}

var tables = [...]uint64{
NUMBERS,
}
"""

    def function_name(self, name):
        return "".join(part.capitalize() for part in name.split("_"))

    def select(self, kind, condition, a, b):
        return self.call({"u": "choose", "l": "chooseLong", "f": "chooseNumber"}[kind], [condition, a, b])

    def variables(self, variables):
        """A name that nobody reads is an error."""
        lines = super().variables(variables)
        names = [name for name, _ in variables]
        return [*lines, f"{', '.join('_' * len(names))} = {', '.join(names)}"] if names else []

    def variable(self, name, kind):
        return f"var {name} {self.types[kind]}"

    def result(self, text):
        return f"return {text}"

    def drop(self, text):
        return [f"_ = {text}"]

    def block(self, label, loop):
        return (f"{label}: " if label else "") + ("for {" if loop else "switch { default:" if label else "{")

    def leave(self, label, loop):
        return f"{'continue' if loop else 'break'} {label}"

    def break_from(self, label):
        return f"break {label}"

    def head(self, name, result, operands, public, memory):
        own = f"\n\tmemory := {self.write('memory')}" if memory and public else ""
        given = ["memory *memory"] * (memory and not public) + [f"{one} {self.types[kind]}" for one, kind in operands]
        kind = "the correctly rounded " + name[2:].lower() if name.startswith("Cr") else "det's " + name.lower()
        about = f"// {name} is {kind} of fp64.\n" if public else ""
        return f"{about}func {name}({', '.join(given)}){f' {self.types[result]}' if result else ''} {{{own}"

    def sincos(self, name, sine, cosine):
        return (f"// {name} has the bits of {sine} and {cosine}.\nfunc {name}(x float64) (float64, float64) {{\n"
                f"\treturn {sine}(x), {cosine}(x)\n}}\n")

    def file(self, about, parts, names, stack, numbers):
        comment = "\n// ".join(about)
        start = self.start.replace("STACK", str(stack)).replace("NUMBERS", self.words(numbers))
        return f"// Package detmathf64: {comment}\npackage detmathf64\n\nimport \"math\"\n\n" + "\n".join([start, *parts])
