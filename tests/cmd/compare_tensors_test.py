"""`detcheck compare` of files of tensors: every kind of file and type, counted here anew from the codes."""

import collections
import json
import math
import os
import random
import struct
import subprocess
import time
import unittest
from fractions import Fraction

import harness
import tensor_files
from formats import FORMATS
from tensor_files import TYPES

SHAPES = ((), (1,), (7,), (0, 3), (2, 3), (3, 1, 4), (2, 2, 2, 3))


def is_nan(form, code):
    return form in FORMATS and FORMATS[form].is_nan(code)


def is_infinite(form, code):
    row = FORMATS.get(form)
    return row is not None and row.family == "ieee" and code & (row.sign - 1) == row.greatest + 1


def ordinal(kind, code):
    form, size = TYPES[kind][3:5]
    if form in FORMATS:
        magnitude = code & (FORMATS[form].sign - 1)
        return -magnitude if code & FORMATS[form].sign else magnitude
    return tensor_files.signed(code, size) if kind.startswith("int") else code


def bucket(distance):
    """As the program words it: 0, 1, 2, "3 to 4", "5 to 8"..."""
    if distance < 3:
        return str(distance)
    top = 1 << (distance - 1).bit_length()
    return f"{top // 2 + 1} to {top}" if top < 2 ** 64 else f"{top // 2 + 1} and more"


def counted(kind, a, b):
    """What is to be said of two lists of codes."""
    form = TYPES[kind][3]
    said = {"elements": len(a), "differ": 0, "nans_of_other_bits": 0, "nan_in_a_alone": 0, "nan_in_b_alone": 0, "infinite": 0}
    rows, largest, first, worst = collections.Counter(), 0, None, None
    for index, (x, y) in enumerate(zip(a, b)):
        if x == y:
            continue
        nans = is_nan(form, x), is_nan(form, y)
        if all(nans):
            said["nans_of_other_bits"] += 1
            continue
        said["differ"] += 1
        first = index if first is None else first
        if any(nans):
            said["nan_in_a_alone" if nans[0] else "nan_in_b_alone"] += 1
        elif is_infinite(form, x) or is_infinite(form, y):
            said["infinite"] += 1
        else:
            distance = abs(ordinal(kind, x) - ordinal(kind, y))
            rows[bucket(distance)] += 1
            if distance > largest:
                largest, worst = distance, index
    return {**said, "ulps": dict(rows), "largest_ulps": str(largest)}, first, worst


def place(shape, index, components):
    number, left = index // components, []
    for extent in reversed(shape):
        left.insert(0, number % extent)
        number //= extent
    return (f"[{', '.join(map(str, left))}]" if shape else "") + (("", (".real", ".imag")[index % 2])[components > 1])


def draw(source, kind, shape):
    """Codes, and those of another run: many the same, some near, some anything."""
    _, _, _, form, size, components = TYPES[kind]
    count, top = math.prod(shape) * components, 2 if kind == "bool" else 1 << 8 * size
    a = [source.randrange(top) for _ in range(count)]
    if form in FORMATS:  # infinities, NaNs and zeros of both signs, which codes of 64 bits hardly ever are
        row = FORMATS[form]
        special = [0, row.sign, row.greatest, row.nan, row.greatest + (row.family == "ieee"), row.nan | 1, row.sign | 1]
        a = [source.choice(special) if source.random() < 0.3 else code for code in a]
    near = [min(top - 1, max(0, code + source.choice((-2, -1, 1, 5)))) for code in a]
    other = [code if source.random() < 0.5 else source.choice(a) if source.random() < 0.3 else close for code, close in zip(a, near)]
    return a, other


class Case(harness.Case):
    def saved(self, name, content):
        with open(os.path.join(self.path, name), "wb") as file:
            file.write(content)
        return name

    def compared(self, a, b, *words):
        done = self.run_program("compare", a, b, *words, "--json", "-")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        document = harness.parse(done.stdout.decode())
        self.assertEqual(document["equal"], done.returncode == 0)
        self.assertEqual(document["equal"], all(row["equal"] for row in document["comparisons"]))
        return document["comparisons"]

    def expect(self, row, kind, shape, a, b):
        said, first, worst = counted(kind, a, b)
        form, size, components = TYPES[kind][3:]
        got = {**row, "ulps": {one["ulps"]: one["count"] for one in row["ulps"]}}
        self.assertEqual({name: got[name] for name in said}, said)
        self.assertEqual(row["equal"], not said["differ"])
        self.assertEqual((row["tensor_a"]["type"], row["tensor_a"]["shape"], row["format"]), (kind, list(shape), form))
        for name, index in (("first", first), ("worst", worst)):
            self.assertEqual(row.get(name), None if index is None else
                             {"at": place(shape, index, components), "a": f"0x{a[index]:0{2 * size}x}", "b": f"0x{b[index]:0{2 * size}x}"})


class Kinds(Case):
    def test_every_kind_of_file_and_type_is_counted_as_here(self):
        """19 types, 7 shapes, and for each two of the ways in which a file may hold it."""
        source = random.Random(54)
        ways = {"npy": lambda t: tensor_files.npy(t), "fortran": lambda t: tensor_files.npy(t, fortran=True),
                "big": lambda t: tensor_files.npy(t, big=TYPES[t[1]][4] > 1), "version 3": lambda t: tensor_files.npy(t, version=3),
                "npz": lambda t: tensor_files.npz([t]), "compressed": lambda t: tensor_files.npz([t], compressed=True),
                "npz fortran": lambda t: tensor_files.npz([t], fortran=True),
                "fortran compressed": lambda t: tensor_files.npz([t], compressed=True, fortran=True),
                "safetensors": lambda t: tensor_files.safetensors([t]) if TYPES[t[1]][1] else None,
                "onnx.pb": tensor_files.onnx, "fields.pb": lambda t: tensor_files.onnx(t, raw=False), "raw": None}
        met = collections.Counter()
        for kind, shape in harness.some([(kind, shape) for kind in TYPES for shape in SHAPES], 45):
            form, size, components = TYPES[kind][3:]
            a, b = draw(source, kind, shape)
            words = ["-f", form] if form in FORMATS and TYPES[kind][0].startswith("V") else []
            names, unsaid = [], False  # whether a file does not say its format
            for side, codes in (("a", a), ("b", b)):
                way = source.choice(sorted(ways))
                if way == "raw" and (kind == "bool" or components > 1 or not math.prod(shape) or not shape or "-f" in words):
                    way = "npy"
                tensor = ("t", kind, shape, codes)
                content = tensor_files.pack(codes, size) if way == "raw" else ways[way](tensor)
                if way == "raw":
                    words = ["-f", form, "--shape", "x".join(map(str, shape))]
                met[way] += content is not None
                unsaid = unsaid or content is None or way not in ("onnx.pb", "fields.pb", "safetensors")
                names.append(self.saved(f"{side}.{way}", tensor_files.npy(tensor) if content is None else content))
            if not unsaid:
                words = []
            with self.subTest(kind=kind, shape=shape, names=names):
                if not math.prod(shape) * components:
                    self.assertEqual([row["elements"] for row in self.compared(*names, *words)], [0])
                    continue
                row, = self.compared(*names, *words)
                self.expect(row, kind, shape, a, b)
        self.assertEqual(set(met), set(ways))

    def test_order_of_elements_in_the_file_changes_nothing(self):
        source, shape = random.Random(8), (5, 3, 4, 2)
        for kind in ("fp16", "complex64"):
            a, b = draw(source, kind, shape)
            rows = []
            for first in (False, True):
                for second in (False, True):
                    names = (self.saved("a.npy", tensor_files.npy(("", kind, shape, a), fortran=first)),
                             self.saved("b.npy", tensor_files.npy(("", kind, shape, b), fortran=second)))
                    row, = self.compared(*names)
                    self.expect(row, kind, shape, a, b)
                    rows.append(row)
            self.assertTrue(all(row == rows[0] for row in rows))

    def test_numbers_of_two_formats_are_compared_in_the_narrower(self):
        source, shape = random.Random(3), (40,)
        for wide, narrow in (("fp32", "bf16"), ("fp64", "fp32"), ("fp16", "fp8_e5m2"), ("fp32", "fp16")):
            a = draw(source, wide, shape)[0]
            rounded = [self.rounded(FORMATS[wide], FORMATS[narrow], code) for code in a]
            b = [code ^ (index % 5 == 0) for index, code in enumerate(rounded)]
            for swapped in (False, True):
                files = [tensor_files.safetensors([("x", wide, shape, a)]), tensor_files.safetensors([("x", narrow, shape, b)])]
                names = [self.saved(f"{i}.safetensors", each) for i, each in enumerate(files[::-1] if swapped else files)]
                row, = self.compared(*names)
                said = counted(narrow, *((b, rounded) if swapped else (rounded, b)))[0]
                self.assertEqual({name: row[name] for name in said if name != "ulps"}, {name: said[name] for name in said if name != "ulps"})
                self.assertEqual((row["format"], row["equal"]), (narrow, False))
            self.assertIn(f"{wide} is rounded to {narrow}", self.run_program("compare", *names).stdout.decode())

    def rounded(self, wide, narrow, code):
        if wide.is_nan(code):
            return narrow.nan
        negative, value = wide.decode(code)
        if value == "infinity":
            return narrow.overflowed(negative, True)
        return narrow.encode(value, negative=negative)

    def test_two_numbers_of_four_bits_share_a_byte(self):
        """The first in the low bits, in ONNX and in safetensors; an odd count leaves half a byte."""
        codes = [1, 9, 15, 0, 7]
        packed = bytes((codes[0] | codes[1] << 4, codes[2] | codes[3] << 4, codes[4]))
        header = json.dumps({"x": {"dtype": "F4", "shape": [5], "data_offsets": [0, 3]}}).encode()
        names = [self.saved("a.safetensors", struct.pack("<Q", len(header)) + header + packed)]
        names += [self.saved(f"{kind}.pb", tensor_files.field(1, 5) + tensor_files.field(2, kind) + tensor_files.field(8, b"x") + tensor_files.field(9, packed))
                  for kind in (21, 22, 23)]
        row, = self.compared(names[0], names[3])
        self.assertEqual((row["equal"], row["elements"], row["format"]), (True, 5, "fp4_e2m1fn"))
        for name, form, values in ((names[1], "uint4", [1, 9, 15, 0, 7]), (names[2], "int4", [1, -7, -1, 0, 7]),
                                   (names[0], "fp4_e2m1fn", [0.5, -0.5, -6, 0, 6])):
            other = self.saved("other.bin", bytes(code ^ (index == 1) for index, code in enumerate(codes)))
            if form == "fp4_e2m1fn":
                row, = self.compared(name, other, "-f", form, "--shape", 5)
                self.assertEqual((row["differ"], row["first"]), (1, {"at": "[1]", "a": "0x9", "b": "0x8"}))
            inputs = self.document("eval", "sum", "--inputs", name, "-f", "fp32")["results"][0]["input"][0]
            self.assertEqual(inputs, [FORMATS["fp32"].bits(FORMATS["fp32"].encode(Fraction(value))) for value in values])

    def test_four_numbers_of_two_bits_share_a_byte(self):
        """As ONNX's package writes -1, -2, 1, 0 and 1 of INT2; an odd count leaves bits of the last byte."""
        for kind, form, values in ((26, "int2", [-1, -2, 1, 0, 1]), (25, "uint2", [3, 2, 1, 0, 1])):
            name = self.saved(f"{kind}.pb", tensor_files.field(1, 5) + tensor_files.field(2, kind) + tensor_files.field(8, b"x") +
                              tensor_files.field(9, b"\x1b\x01"))
            inputs = self.document("eval", "sum", "--inputs", name, "-f", "fp32")["results"][0]["input"][0]
            self.assertEqual(inputs, [FORMATS["fp32"].bits(FORMATS["fp32"].encode(Fraction(value))) for value in values])
            other = self.saved("other.bin", bytes((3, 2, 0, 0, 1)))
            row, = self.compared(name, other, "-f", form, "--shape", 5)
            self.assertEqual((row["differ"], row["first"], row["format"]), (1, {"at": "[2]", "a": "0x1", "b": "0x0"}, form))

    def test_integers_of_less_than_a_byte_are_read_raw(self):
        """A byte for each, in which no other bits may be set."""
        for form, width in (("int2", 2), ("uint2", 2), ("int4", 4), ("uint4", 4)):
            codes = bytes(range(1 << width))
            row, = self.compared(self.saved("a.bin", codes), self.saved("b.bin", codes[::-1]), "-f", form, "--shape", len(codes))
            self.assertEqual((row["differ"], row["elements"], row["format"]), (len(codes), len(codes), form))
            beyond = self.saved("c.bin", bytes(len(codes) - 1) + bytes((1 << width,)))
            self.assertIn(f"which is none of {form}", self.refuse("compare", self.saved("a.bin", codes), beyond, "-f", form, "--shape", len(codes)))

    def test_long_packed_tensors_by_their_parts(self):
        """More elements than are read at once, each of which has its place."""
        count = 300001
        codes = [(i * i // 7) % 4 for i in range(count)]
        packed = bytes(sum(code << 2 * k for k, code in enumerate(codes[i:i + 4])) for i in range(0, count, 4))
        name = self.saved("long.pb", tensor_files.field(1, count) + tensor_files.field(2, 25) + tensor_files.field(8, b"x") +
                          tensor_files.field(9, packed))
        row, = self.compared(name, self.saved("long.bin", bytes(codes)), "-f", "uint2", "--shape", count)
        self.assertEqual((row["equal"], row["elements"]), (True, count))

    def test_tensors_pair_by_name(self):
        tensors = [(f"layer.{i}", "fp32", (2, 2), [i, i + 1, i + 2, i + 3]) for i in range(40)]
        other = [(*tensor[:3], [code + (tensor[0] == "layer.7") for code in tensor[3]]) for tensor in reversed(tensors[:-1])]
        a = self.saved("a.safetensors", tensor_files.safetensors(tensors))
        b = self.saved("b.npz", tensor_files.npz(other + [("new", "int8", (1,), [1])], compressed=True))
        rows = self.compared(a, b)
        self.assertEqual(len(rows), 41)
        self.assertEqual([(row["tensor_a"] or row["tensor_b"])["name"] for row in rows if not row["equal"]], ["layer.7", "layer.39", "new"])
        text = self.run_program("compare", a, b).stdout.decode()
        self.assertIn("they differ: 3 of 41 tensors; 4 of 156 elements that were compared", text)
        self.assertIn("layer.39  in A alone", text)
        self.assertIn("new  in B alone", text)
        self.assertNotIn("layer.8", text)
        one = self.saved("one.npy", tensor_files.npy(("", "fp32", (1,), [5])))
        self.assertEqual(self.succeed("compare", one, self.saved("two.npz", tensor_files.npz([("x", "fp32", (1,), [5])]))).splitlines()[2],
                         "equal: all of 1 tensor, 1 elements")

    def test_what_cannot_be_compared_is_said(self):
        four = ("x", "fp32", (4,), [1, 2, 3, 4])
        a = self.saved("a.npz", tensor_files.npz([four, ("y", "fp32", (2, 2), [0] * 4), ("z", "int8", (1,), [1])]))
        b = self.saved("b.npz", tensor_files.npz([four, ("y", "fp32", (4,), [0] * 4), ("z", "fp16", (1,), [1])]))
        rows = self.compared(a, b)
        self.assertEqual([row.get("not_compared") for row in rows], [None, "the shapes differ", "the types differ"])
        text = self.run_program("compare", a, b).stdout.decode()
        self.assertIn("y  fp32 2x2; in B fp32 4: not compared, the shapes differ", text)
        self.assertIn("z  int8 1; in B fp16 1: not compared, the types differ", text)
        self.assertIn("nothing could be compared", self.refuse("compare", self.saved("c.npy", tensor_files.npy(("", "int8", (1,), [1]))),
                                                               self.saved("d.npy", tensor_files.npy(("", "fp16", (1,), [1]))), prints=True))
        nans = [self.saved(f"{i}.npy", tensor_files.npy(("", "fp16", (2,), [0x7e00 + i, 1]))) for i in range(2)]
        text = self.succeed("compare", *nans)
        self.assertIn("1  NaN in both, of other bits: no difference", text)
        for name in (self.saved("no.safetensors", tensor_files.safetensors([])), self.saved("no.npz", tensor_files.npz([]))):
            done = self.run_program("compare", name, name)
            self.assertEqual((done.returncode, b"no tensors were compared" in done.stdout, b"equal" in done.stdout), (2, True, False))
        for words, says in ((("-f", "bf16"), "--format has no effect"), (("--shape", 4), "--shape has no effect"), (("--shape", 4, "-f", "bf16"), "--shape has no effect")):
            self.assertIn(says + ": both files name their own formats and shapes", self.refuse("compare", a, a, *words))
        report = self.saved("report.json", b"{}")
        self.assertIn("--format has no effect without --impl and --shape", self.refuse("compare", report, report, "-f", "fp32"))
        for words in ((), ("-f", "fp32")):
            self.assertIn("raw elements need --format and --shape", self.refuse("compare", self.saved("raw.bin", bytes(8)), "raw.bin", *words))


class Wrong(Case):
    def test_files_that_are_wrong_are_refused_by_one_line(self):
        good = tensor_files.safetensors([("x", "fp32", (2,), [1, 2])])
        right = self.saved("right.npy", tensor_files.npy(("", "fp32", (2,), [1, 2])))

        def header(text, data=bytes(8)):
            return struct.pack("<Q", len(text)) + text.encode() + data
        place_of = '{"x":{"dtype":"%s","shape":%s,"data_offsets":%s}}'
        wrong = {
            "cut.safetensors": (good[:-1], "lies at 0 to 8 of 7 bytes"), "long.safetensors": (good + b"!", "1 bytes behind its last tensor"),
            "head.safetensors": (struct.pack("<Q", 999) + good[8:], "the file says that its header has 999 bytes"),
            "hole.safetensors": (header(place_of % ("F32", "[1]", "[4,8]")), "begins at byte 4 of the data, where 0 would be right"),
            "over.safetensors": (header('{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"y":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}'),
                                 "where 8 would be right"),
            "huge.safetensors": (header(place_of % ("F32", "[4294967296,4294967296,4294967296]", "[0,8]")), "has more elements than any file"),
            "size.safetensors": (header(place_of % ("F32", "[3]", "[0,8]")), "fp32 3, takes 12 bytes, and the file has 8 for it"),
            "type.safetensors": (header(place_of % ("F31", "[2]", "[0,8]")), "of dtype 'F31', which is not read"),
            "back.safetensors": (header(place_of % ("F32", "[2]", "[8,0]")), "lies at 8 to 0"),
            "many.safetensors": (header(place_of % ("F32", "[" + ",".join("1" * 65) + "]", "[0,8]")), "a shape of up to 64 whole numbers"),
            "frac.safetensors": (header(place_of % ("F32", "[2.5]", "[0,8]")), "needs a dtype"),
            "none.safetensors": (header('{"x":1}'), "needs a dtype"), "json.safetensors": (header("{nonsense}"), "line 1, column 2"),
            "type.npy": (tensor_files.npy(("", "fp32", (2,), [1, 2])).replace(b"<f4", b"<O4"), ".npy of '<O4' is not read"),
            "cut.npy": (tensor_files.npy(("", "fp32", (2,), [1, 2]))[:-1], "takes 8 bytes, and the file has 7 for it"),
            "name.npz": (tensor_files.npz([("x", "int8", (1,), [1])]).replace(b"x.npy", b"x.txt"), "its entry 'x.txt' is not a .npy"),
            "cut.npz": (tensor_files.npz([("x", "int8", (1,), [1])])[:-9], "the zip is damaged, or cut off"),
            "sum.npz": (bytes(byte ^ (index == 128 + 5 + 30) for index, byte in enumerate(tensor_files.npz([("x", "fp32", (2,), [1, 2])]))), "the checksum of the zip is wrong"),
            "pk.npz": (b"PK\3\4" + bytes(18), "the zip is damaged, or cut off"),
            "loose.pb": (tensor_files.field(1, 1) + tensor_files.field(2, 6) + tensor_files.field(5, 7), "data that is not packed is not read"),
            "floats.pb": (tensor_files.field(1, 1) + tensor_files.field(2, 6) + tensor_files.field(4, bytes(4)), "floats of 4 bytes, which are not int32"),
            "cut.pb": (tensor_files.onnx(("x", "fp32", (2,), [1, 2]))[:-1], "the file is cut off"),
            "less.pb": (tensor_files.onnx(("x", "fp32", (3,), [1, 2])), "takes 12 bytes, and the file has 8 for it"),
            "type.pb": (tensor_files.field(2, 8), "data_type 8 is not read"), "empty.pb": (b"", "data_type 0 is not read"),
            "other.pb": (tensor_files.field(2, 1) + tensor_files.field(14, 1), "data that lies in another file is not read"),
            "wire.pb": (b"\x0f", "no field of protobuf"), "varint.pb": (b"\x08" + b"\xff" * 10, "no varint of protobuf"),
            "count.pb": (tensor_files.field(1, 2 ** 63 + 5) + tensor_files.field(2, 1), "a negative extent"),
            "range.pb": (tensor_files.field(1, 1) + tensor_files.field(2, 3) + tensor_files.field(5, tensor_files.varint(128)), "number 128, which is none of int8"),
            "twice.npz": (tensor_files.npz([("x", "int8", (1,), [1]), ("y", "int8", (1,), [1])]).replace(b"y.npy", b"x.npy"), "two tensors of the name 'x'"),
        }
        for name, (content, says) in wrong.items():
            with self.subTest(name):
                self.assertIn(says, self.refuse("compare", self.saved(name, content), name))
        self.assertIn("for raw elements give their format", self.refuse("compare", right, self.saved("raw.bin", bytes(8))))
        self.assertIn("is not a plain file", self.refuse("compare", right, "/dev/null"))
        self.assertIn("takes 12 bytes", self.refuse("compare", right, "raw.bin", "-f", "fp32", "--shape", 3))

    def mutate(self, count, seed):
        """Bytes changed, cut, doubled and moved: an answer, or one line and 2."""
        source = random.Random(seed)
        tensors = [("x", "fp32", (2, 3), list(range(6))), ("y", "int8", (4,), [1, 2, 3, 4])]
        seeds = {"m.npy": tensor_files.npy(tensors[0]), "m.npz": tensor_files.npz(tensors), "z.npz": tensor_files.npz(tensors, compressed=True),
                 "m.safetensors": tensor_files.safetensors(tensors), "m.pb": tensor_files.onnx(tensors[0]), "f.pb": tensor_files.onnx(tensors[1], raw=False)}
        self.saved("right.npy", seeds["m.npy"])
        codes = collections.Counter()
        for _ in range(count):
            name = source.choice(sorted(seeds))
            content = bytearray(seeds[name])
            for _ in range(source.choice((1, 1, 2, 3))):
                at, what = source.randrange(len(content) or 1), source.choice((0, 1, 2, 3, 3, 3, 3, 3))
                if what == 0:
                    del content[at:]
                elif what == 1:
                    content[at:at] = content[at:at + source.randrange(40)]
                elif what == 2:
                    del content[at:at + source.randrange(1, 9)]
                elif content:
                    content[at % len(content)] = source.choice((0, 1, 127, 128, 255, source.getrandbits(8)))
            done = self.run_program("compare", "right.npy", self.saved(name, bytes(content)))
            codes[done.returncode] += 1
            self.assertIn(done.returncode, (0, 1, 2), (name, bytes(content), done.stderr))
            self.assertEqual(done.stderr.count(b"\n"), int(done.returncode == 2), (name, bytes(content), done.stderr))
        self.assertGreater(codes[2], count // 2)
        self.assertGreater(codes[1] + codes[0], count // 50)

    def test_mutated_files(self):
        self.mutate(120, 1)

    def slow_10000_mutated_files(self):
        for seed in range(2, 12):
            self.mutate(1000, seed)


class Elsewhere(Case):
    """What other commands read from the same files."""

    def test_inputs_and_outputs_are_tensors(self):
        codes = [0x3c00, 0x3e00, 0x0400, 0x7bff, 0x0001]
        tensors = [("x", "fp16", (5,), codes), ("other", "fp16", (1,), [0])]
        names = [self.saved("x.npy", tensor_files.npy(tensors[0])), self.saved("x.pb", tensor_files.onnx(tensors[0], raw=False)),
                 self.saved("m.safetensors", tensor_files.safetensors(tensors)) + "#x", self.saved("z.npz", tensor_files.npz(tensors, compressed=True)) + "#x"]
        for name in names:
            result, = self.results("sqrt", "-f", "fp16", "--inputs", name, "--impl", "det")
            self.assertEqual((result["inputs"]["count"], result["implementations"][0]["fingerprint"]),
                             (5, self.results("sqrt", "-f", "fp16", "--inputs", names[0], "--impl", "det")[0]["implementations"][0]["fingerprint"]))
        pairs = self.saved("pairs.npy", tensor_files.npy(("", "fp32", (3, 2), [0x3f800000, 0x40000000, 0, 0x3f800000, 1, 1])))
        result, = self.results("pow", "-f", "fp32", "--inputs", pairs, "--impl", "det")
        self.assertEqual(result["inputs"]["count"], 3)
        row = FORMATS["fp16"]
        outputs = [row.encode(Fraction(math.sqrt(row.value(code)))) for code in sorted(codes)]  # as a sweep sorts its inputs
        wrong = outputs[:2] + [outputs[2] ^ 1] + outputs[3:]
        for values, differ in ((outputs, 0), (wrong, 1)):
            tensor = ("out", "fp16", (5,), values)
            for name in (self.saved("out.npy", tensor_files.npy(tensor)), self.saved("out.safetensors", tensor_files.safetensors([tensor])) + "#out"):
                result, = self.results("sqrt", "-f", "fp16", "--inputs", "x.npy", "--impl", f"file:{name}")
                self.assertEqual(result["implementations"][0]["incorrectly_rounded"], differ)
                self.assertRegex(result["implementations"][0]["build"], "[0-9a-f]{32}$")
        marked = self.saved("a#b.npz", tensor_files.npz([("x#y", "fp16", (5,), codes), ("z", "fp16", (1,), [1])])) + "#x#y"
        self.assertEqual(self.results("sqrt", "-f", "fp16", "--inputs", marked, "--impl", "det")[0]["inputs"]["count"], 5)
        two = self.saved("two.npy", tensor_files.npy(("", "int16", (10,), [0] * 10)))
        self.assertIn("holds int16, where outputs of sincos are in fp16", self.refuse("sweep", "sincos", "-f", "fp16", "--inputs", "x.npy", "--impl", "file:" + two))
        for name, says in (("m.safetensors", "has 2 tensors; name one, m.safetensors#x: it has x, other"),
                           ("m.safetensors#y", "has no tensor 'y'; it has x, other"), ("none.npy#y", "cannot read none.npy#y")):
            self.assertIn(says, self.refuse("sweep", "sqrt", "-f", "fp16", "--inputs", name))
        for name, says in ((self.saved("c.npz", tensor_files.npz([tensor], compressed=True)), "save the tensor as .npy or .safetensors"),
                           (self.saved("big.npy", tensor_files.npy(tensor, big=True)), "save the tensor as .npy or .safetensors"),
                           (self.saved("f.npy", tensor_files.npy(("", "fp32", (5,), codes))), "holds fp32, where outputs of sqrt are in fp16")):
            self.assertIn(says, self.refuse("sweep", "sqrt", "-f", "fp16", "--inputs", "x.npy", "--impl", f"file:{name}"))


    def test_a_pipe_of_inputs_is_opened_once(self):
        """Whoever writes it would see it closed, and stop, if it were looked into before."""
        pipe = os.path.join(self.path, "pipe")
        os.mkfifo(pipe)
        for _ in range(10):
            process = self.start("eval", "sum", "--inputs", pipe, "-f", "fp32")
            try:
                with open(pipe, "w", encoding="ascii") as stream:
                    time.sleep(0.02)
                    for number in range(3000):
                        stream.write(f"{number}\n")
                        stream.flush()
            finally:
                out = process.communicate(timeout=60)[0]
            self.assertEqual(process.returncode, 0)
            self.assertIn(b"4498500", out)


class Large(Case):
    def slow_gigabytes_take_little_memory(self):
        """1 GiB in all; at most 64 MiB of memory."""
        import resource
        with open(os.path.join(self.path, "big"), "wb") as file:
            for i in range(128):
                file.write(bytes((i,)) * (1 << 22))
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        done = subprocess.run([harness.PROGRAM, "compare", "big", "big", "-f", "bf16", "--shape", str(1 << 28)], cwd=self.path,
                              stdout=subprocess.PIPE, check=True)
        self.assertIn(b"equal: all of 1 tensor, 268,435,456 elements", done.stdout)
        self.assertLess(max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss), 64 << 10)


if __name__ == "__main__":
    unittest.main()
