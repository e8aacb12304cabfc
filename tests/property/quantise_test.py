"""ONNX's QuantizeLinear and DequantizeLinear by detmath, over drawn operator sets, types, shapes, axes, blocks and
numbers, against fractions; and, where the packages are there, against onnx's reference implementation and onnxruntime,
but for what they do in their own way:
  onnx          divides in the wider of two types, int32 in fp64; adds 1 to quotients beyond 2^31 as it likes; has a
                FNUZ infinity saturate in every operator set, and NaN with its sign; rounds products by way of fp32;
                adds zero points to quotients of -0 where y has less than 8 bits
  onnxruntime   divides fp16 in fp32; refuses blocks where there is one; is asked for 8 and 16 bits of fp32 only
Environment: QUANTISE_LINES is the program, CASES how many calls, SEED what they are drawn from, ONNX=1 that the
packages have to be there."""

import os
import random
import subprocess
import sys
from fractions import Fraction

try:
    import mpmath  # noqa: F401
except ImportError:
    print("skipped: there is no mpmath (python3-mpmath)")
    sys.exit(77)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import casts_system  # noqa: E402
import onnx_model  # noqa: E402
from counted import FORMATS as COUNTED, INF, NAN, number as as_value  # noqa: E402
from reals import FORMATS  # noqa: E402

try:
    import ml_dtypes
    import numpy as np
    import onnx
    import onnx.reference
    import onnxruntime
    onnxruntime.set_default_logger_severity(4)
    np.seterr(all="ignore")
except ImportError as error:
    if os.environ.get("ONNX"):
        print(f"skipped: {error} (pip: onnx onnxruntime ml_dtypes)")
        sys.exit(77)
    onnx = None

CASES, SEED = int(os.environ.get("CASES", "1500")), int(os.environ.get("SEED", "1"))
EACH = 10  # calls of one operator
INTEGERS = {name: (int(name.lstrip("uint")), not name.startswith("u"))
            for name in "int2 uint2 int4 uint4 int8 uint8 int16 uint16 int32".split()}
FLOAT8 = casts_system.FLOAT8
SINCE = {"int8": 10, "uint8": 10, **dict.fromkeys(FLOAT8, 19), "int16": 21, "uint16": 21, "int4": 21, "uint4": 21,
         "fp4_e2m1fn": 23, "int2": 25, "uint2": 25, "fp6_e2m3fn": 28, "fp6_e3m2fn": 28}
OPSETS = (10, 13, 19, 21, 23, 24, 25, 28)
REALS = ("fp32", "fp16", "bf16")
# Lines that are refused, and enum detmath_trouble: each operator set has its types, granularities and attributes.
REFUSED = (
    ("quantise 18 0 0 1 0 - fp8_e5m2 fp32 fp32 0 1 0 1 0 0", 2),
    ("quantise 19 0 0 1 0 - int4 fp32 fp32 0 1 0 1 0 0", 2),
    ("quantise 13 0 0 1 0 - uint8 fp16 fp16 0 1 0 1 0 0", 2),
    ("quantise 21 0 0 1 0 - uint8 fp32 fp16 0 1 0 1 0 0", 2),
    ("quantise 23 0 0 1 0 - int8 fp32 fp8_e8m0fnu 0 1 0 1 0 0", 2),
    ("quantise 27 0 0 1 0 - fp6_e2m3fn fp32 fp32 0 1 0 1 0 0", 2),
    ("quantise 28 0 0 1 0 - int32 fp32 fp32 0 1 0 1 0 0", 2),
    ("dequantise 28 0 0 1 0 - int32 int8 fp32 0 1 0 1 0 0", 2),
    ("quantise 10 1 0 1 0 - uint8 fp32 fp32 1 1 1 0 1 0 0", 12),
    ("quantise 19 2 0 1 0 - uint8 fp32 fp32 1 1 1 0 1 0 0", 12),
    ("quantise 13 0 0 1 1 - uint8 fp32 fp32 0 1 0 1 0 0", 12),
    ("quantise 21 0 0 1 0 fp16 uint8 fp32 fp32 0 1 0 1 0 0", 12),
    ("quantise 13 1 1 1 0 - uint8 fp32 fp32 1 1 1 0 1 0 0", 3),
    ("quantise 21 2 0 0 0 - uint8 fp32 fp32 1 1 1 0 1 0 0", 17),
    ("quantise 19 0 0 1 0 - fp8_e5m2 fp32 fp32 0 1 0 1 0 1 1", 11),
    ("dequantise 10 0 0 1 0 - fp32 int32 fp32 0 1 0 1 0 1 1", 11))
# Arrays without elements, whatever their other extents are.
EMPTY = ("quantise 13 1 1 1 0 - uint8 fp32 fp32 2 4611686018427387904 0 0 0 0",
         "dequantise 21 2 0 2 0 - fp32 uint8 fp32 2 4611686018427387904 0 0 0 0",
         "quantise 10 0 0 1 0 - uint8 fp32 fp32 1 0 0 1 0 0")


def signed(name, code):
    bits, is_signed = INTEGERS[name]
    code &= (1 << bits) - 1
    return code - ((code >> (bits - 1)) << bits if is_signed else 0)


class Operator:
    """What a model of one node says: all but the numbers."""

    def __init__(self, draws):
        self.quantises = draws.random() < 0.6
        self.opset = draws.choice(OPSETS)
        self.narrow = draws.choice([name for name, since in SINCE.items() if since <= self.opset]
                                   + ([] if self.quantises else ["int32"]))
        wide = REALS if self.opset >= 19 else REALS[:1]
        self.wide = draws.choice((*wide, "int32") if self.quantises and draws.random() < 0.2 else wide)
        self.scale = "fp32" if self.wide == "int32" else self.wide
        if self.opset >= 23 and draws.random() < 0.5:
            self.scale = draws.choice(REALS + (("fp8_e8m0fnu",) if self.opset >= 24 else ()))
        self.precision = draws.choice(REALS) if self.quantises and self.opset >= 23 and draws.random() < 0.3 else None
        self.unsaturated = self.quantises and self.narrow in FLOAT8 and draws.random() < 0.4
        self.extents = [draws.randint(1, 5) for _ in range(draws.randint(1, 4))]
        self.axis = draws.randint(-len(self.extents), len(self.extents) - 1)
        self.granularity = draws.randint(0, 0 if self.opset < 13 else 1 if self.opset < 21 else 2)
        self.block = draws.randint(1, self.extents[self.axis] + 1)
        self.has_zero = draws.random() < 0.7
        self.scale_extents = [[], [self.extents[self.axis]], list(self.extents)][self.granularity]
        if self.granularity == 2:
            self.scale_extents[self.axis] = -(-self.extents[self.axis] // self.block)

    def source(self):
        return self.wide if self.quantises else self.narrow

    def target(self):
        return self.narrow if self.quantises else self.wide

    def scale_of(self, element):
        """The number of the scale of an element, by its indices."""
        if self.granularity == 0:
            return 0
        at, axis = [], self.axis % len(self.extents)
        for extent in reversed(self.extents):
            at.insert(0, element % extent)
            element //= extent
        if self.granularity == 1:
            return at[axis]
        at[axis] //= self.block
        index = 0
        for extent, one in zip(self.scale_extents, at):
            index = index * extent + one
        return index

    def draw(self, draws):
        def real(name, spread):
            form = FORMATS[name]
            kind = draws.random()
            if kind < 0.06:
                return draws.getrandbits(form.width)
            value = Fraction(draws.choice((draws.getrandbits(24), 2 * draws.getrandbits(4) + 1)) + 1,
                             1 << draws.randint(0, 24)) * Fraction(2) ** draws.randint(-spread, spread)
            return form.encode(min(value, form.value(form.greatest)) * (
                -1 if form.family != "scale" and draws.random() < 0.4 else 1))
        name = self.source()
        count, scales = 1, 1
        for extent in self.extents:
            count *= extent
        for extent in self.scale_extents:
            scales *= extent
        width = INTEGERS[name][0] if name in INTEGERS else FORMATS[name].width
        by_bits = name in INTEGERS or not self.quantises
        x = [draws.getrandbits(width) if by_bits else real(name, 8) for _ in range(count)]
        s = [real(self.scale, 3) for _ in range(scales)]
        zero = self.narrow in INTEGERS and self.narrow != "int32"
        z = [draws.getrandbits(INTEGERS[self.narrow][0]) if zero else 0 for _ in range(scales)] if self.has_zero else []
        return x, s, z

    def line(self, x, s, z):
        words = ["quantise" if self.quantises else "dequantise", self.opset, self.granularity, self.axis, self.block,
                 int(self.unsaturated), self.precision or "-", self.target(), self.source(), self.scale]
        for part in (self.extents, x, s, z):
            words += [len(part), *part]
        return " ".join(map(str, words))

    def division(self):
        own = "fp32" if self.wide == "int32" else self.wide
        return self.precision or (own if self.scale == "fp8_e8m0fnu" else self.scale)

    def element(self, x, s, z):
        """The code by fractions, and the quotient of a quantisation."""
        scale = COUNTED[self.scale].read(s)
        zero = signed(self.narrow, z) if z is not None and self.narrow in INTEGERS else 0
        if not self.quantises:
            y = signed(self.narrow, x) if self.narrow in INTEGERS else x
            return onnx_model.dequantise(y, scale, zero, self.narrow, self.wide, "nearest-even"), None
        x = as_value(signed(self.wide, x)) if self.wide in INTEGERS else COUNTED[self.wide].read(x)
        form = self.division()
        code = onnx_model.quantise(x, scale, zero, self.narrow, form, self.opset, self.unsaturated, "nearest-even")
        bits = max(8, INTEGERS[self.narrow][0]) if self.narrow in INTEGERS else None
        return code & ((1 << bits) - 1) if bits else code, onnx_model.ratio(x, scale, form)

    def wanted(self, x, s, z):
        scales = [self.scale_of(i) for i in range(len(x))]
        return [self.element(one, s[at], z[at] if z else None) for one, at in zip(x, scales)]


def type_of(name):
    if name in ("fp32", "fp16"):
        return np.dtype(f"f{FORMATS[name].width // 8}")
    if name in INTEGERS and INTEGERS[name][0] >= 8:
        return np.dtype(name)
    return np.dtype(getattr(ml_dtypes, name if name in INTEGERS else {"bf16": "bfloat16"}.get(
        name, name.replace("fp", "float", 1))))


def array(name, codes, extents):
    bits = max(8, INTEGERS[name][0] if name in INTEGERS else FORMATS[name].width)
    return np.array(codes, f"u{bits // 8}").view(type_of(name)).reshape(extents)


def same(name, a, b):
    return a == b or (name in FORMATS and FORMATS[name].is_nan(a) and FORMATS[name].is_nan(b))


class Package:
    """A package's answers to one operator, where it follows the text."""
    counts = {}

    def __init__(self, operator):
        self.operator, self.sessions = operator, {}
        kind = onnx.helper.np_dtype_to_tensor_dtype
        attributes = {}
        if operator.granularity:
            attributes["axis"] = operator.axis
        if operator.granularity == 2:
            attributes["block_size"] = operator.block
        if operator.unsaturated:
            attributes["saturate"] = 0
        if operator.precision:
            attributes["precision"] = kind(type_of(operator.precision))
        if operator.quantises and not operator.has_zero:
            if operator.opset < 21 and operator.narrow != "uint8":
                return
            if operator.opset >= 21:
                attributes["output_dtype"] = kind(type_of(operator.narrow))
        if not operator.quantises and operator.opset >= 23:
            attributes["output_dtype"] = kind(type_of(operator.wide))
        names = ["x", "s"] + ["z"] * operator.has_zero
        types = [operator.source(), operator.scale, operator.narrow]
        inputs = [onnx.helper.make_tensor_value_info(name, kind(type_of(one)), shape) for name, one, shape in
                  zip(names, types, (operator.extents, operator.scale_extents, operator.scale_extents))]
        output = onnx.helper.make_tensor_value_info("y", kind(type_of(operator.target())), operator.extents)
        node = onnx.helper.make_node("QuantizeLinear" if operator.quantises else "DequantizeLinear", names, ["y"],
                                     **attributes)
        graph = onnx.helper.make_graph([node], "g", inputs, [output])
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", operator.opset)],
                                       ir_version=10)
        if self.reference_follows():
            self.sessions["onnx"] = onnx.reference.ReferenceEvaluator(model)
        if self.runtime_follows():
            try:
                self.sessions["onnxruntime"] = onnxruntime.InferenceSession(
                    model.SerializeToString(), providers=["CPUExecutionProvider"])
            except Exception:  # what it lacks of an operator set
                pass

    def reference_follows(self):
        one = self.operator
        if one.opset > onnx.defs.onnx_opset_version() or (not one.quantises and one.opset < 19):
            return False  # it does not have these
        if one.quantises:
            return one.wide != "int32" and (one.precision or one.scale == one.wide)
        return one.wide == "fp32" or one.narrow not in ("int16", "uint16", "int32")

    def runtime_follows(self):
        one = self.operator
        types = ("int8", "uint8", "int16", "uint16")
        if one.granularity == 2 and set(one.scale_extents) == {1}:
            return False
        return (one.wide == one.scale == "fp32" and not one.precision and one.opset <= 21 and one.narrow in types)

    def check(self, codes, wanted):
        one = self.operator
        x, s, z = codes
        feed = {"x": array(one.source(), x, one.extents), "s": array(one.scale, s, one.scale_extents)}
        if one.has_zero:
            feed["z"] = array(one.narrow, z, one.scale_extents)
        for name, session in self.sessions.items():
            found, = session.run(None, feed)
            bits = max(8, INTEGERS[one.target()][0] if one.target() in INTEGERS else FORMATS[one.target()].width)
            found = np.ascontiguousarray(found).view(f"u{bits // 8}").reshape(-1).tolist()
            if one.target() in INTEGERS and INTEGERS[one.target()][0] < 8:
                found = [signed(one.target(), code) & 255 for code in found]
            for got, (want, q) in zip(found, wanted):
                if q is not None and not self.comparable(q):
                    continue
                if not same(one.target(), got, want):
                    sys.exit(f"{name}: {one.line(x, s, z)}\nfound {found}\nwant  {[each[0] for each in wanted]}")
            Package.counts[name] = Package.counts.get(name, 0) + 1

    def comparable(self, q):
        one = self.operator
        if one.narrow in INTEGERS:
            return q.kind not in (NAN, INF) and q.size < 1 << 30
        if q.kind == INF and one.narrow.endswith("fnuz"):
            return one.opset >= 24
        if one.narrow in FLOAT8:
            return True
        return q.kind != NAN and (not q.is_zero() or not one.has_zero)


def main():
    program = subprocess.Popen([os.environ["QUANTISE_LINES"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    draws = random.Random(SEED)
    elements = 0
    for line, trouble in (*REFUSED, *((line, 0) for line in EMPTY)):
        program.stdin.write(line + "\n")
        program.stdin.flush()
        answer = program.stdout.readline()
        if answer != f"{trouble}\n":
            sys.exit(f"{line}: {answer}, not {trouble}")
    for _ in range(-(-CASES // EACH)):
        operator = Operator(draws)
        package = Package(operator) if onnx else None
        for _ in range(EACH):
            codes = operator.draw(draws)
            program.stdin.write(operator.line(*codes) + "\n")
            program.stdin.flush()
            answer = [int(word) for word in program.stdout.readline().split()]
            wanted = operator.wanted(*codes)
            if answer[:1] != [0] or answer[1:] != [want for want, _ in wanted]:
                sys.exit(f"{operator.line(*codes)}\nfound {answer}\nwant  {[want for want, _ in wanted]}")
            elements += len(wanted)
            if package:
                package.check(codes, wanted)
    program.stdin.close()
    print(f"{CASES} calls of {elements} elements by fractions; of these by",
          Package.counts or "no package: there is no onnx, onnxruntime or ml_dtypes")
    return program.wait()


if __name__ == "__main__":
    sys.exit(main())
