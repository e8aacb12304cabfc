"""det and its mutants as a shared library that Python calls, in fp32 or fp64."""
import ctypes
import dataclasses
import pathlib
import re
import subprocess

import numpy

HERE = pathlib.Path(__file__).resolve().parent
DETMATH = HERE.parents[2] / "src/detmath"
OPTIONS = ["-shared", "-fPIC", "-march=native", "-mprefer-vector-width=512", "-ffp-contract=off", "-std=gnu11", "-w",
           "-fno-semantic-interposition", "-Wl,-Bsymbolic"]


@dataclasses.dataclass(frozen=True)
class Width:
    """What is different of a format."""
    name: str        # in the name of the table of inputs
    bits: int
    precision: int   # with the hidden bit
    suffix: str      # of det's functions
    literal: str     # behind numbers of C
    real: str        # the type in C
    rows: str        # detmath's list of functions
    row: str         # what follows the kind in its lines
    header: str
    options: tuple   # of the preprocessor

    @property
    def codes(self):
        return getattr(numpy, f"uint{self.bits}")

    @property
    def numbers(self):
        return getattr(numpy, f"float{self.bits}")

    @property
    def bias(self):
        return (1 << (self.bits - self.precision - 1)) - 1

    def code(self, exponent):
        """That of 2^exponent."""
        return (self.bias + exponent) << (self.precision - 1)

    def pack(self, number):
        return int(numpy.array(number, self.numbers).view(self.codes))

    def unpack(self, code):
        return float(numpy.array(code, self.codes).view(self.numbers))


F32 = Width("fp32", 32, 24, "f", "f", "float", "functions.inc", "", "families.h", ("-DDETMATH_NO_DOUBLE",))
F64 = Width("fp64", 64, 53, "", "", "double", "functions_f64.inc", "_F64", "families_f64.h", ())
WIDTHS = {width.name: width for width in (F32, F64)}


def functions(width=F32):
    """{name: (operands, results)} of the rows of a list of detmath's."""
    rows = re.findall(rf"^DETMATH_(UNARY|BINARY|PAIR){width.row}\((\w+),", (DETMATH / width.rows).read_text(), re.MULTILINE)
    return {name: {"UNARY": (1, 1), "BINARY": (2, 1), "PAIR": (1, 2)}[kind] for kind, name in rows}


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


class Library:
    """One function, any of whose mutants a call can choose; or one mutant of it alone, which is quicker."""

    def __init__(self, folder, name, all_sites, mutant=None):
        self.folder, self.name, self.sites, self.width = folder, name, all_sites, all_sites.width
        self.operands, self.results = functions(self.width)[name]
        self.fixed = mutant
        self.library = self.build(["-O2"] if mutant is None else ["-O3", f"-DMUTANT={mutant.number}"])
        if mutant:
            self.change(mutant.number, True)

    def build(self, options):
        path = self.folder / f"{self.name}{abs(hash(tuple(options)))}.so"
        subprocess.run(["gcc", *OPTIONS, *options, f"-DONLY={self.name}", f"-DOPERANDS={self.operands}", f"-DRESULTS={self.results}",
                        f"-DBITS={self.width.bits}",
                        f"-DSOURCE=\"{self.folder}/source.c\"", str(HERE / "mutants.c"), "-o", str(path)], check=True)
        library = ctypes.CDLL(str(path))
        path.unlink()
        return library

    def put(self, number, code):
        """Sets the element of the table that this mutant changes."""
        table, element, _ = self.sites.rows[number]
        at = ctypes.byref(ctypes.c_char.in_dll(self.library, table), self.width.bits // 8 * element)
        self.library.choose(-1, at, ctypes.c_uint64(code))

    def change(self, number, changed):
        """Chooses the mutant, or det again."""
        if number in self.sites.rows:
            self.put(number, self.sites.rows[number][2][changed])
        self.library.choose(number if changed else -1, None, ctypes.c_uint64(0))

    def __call__(self, inputs, number=-1, flush=0):
        x, y = inputs[0], inputs[-1]
        z = numpy.empty(len(x), numpy.uint64 if self.results == 2 or self.width.bits == 64 else numpy.uint32)
        if not self.fixed:
            self.change(number, True)
        self.library.evaluate(pointer(z), pointer(x), pointer(y), ctypes.c_size_t(len(x)), flush)
        if not self.fixed:
            self.change(number, False)
        return z

    def recording(self):
        """A function of inputs: how far each result was from another when det rounded it last (mutants.c)."""
        library = self.build(["-O2", "-DRECORD"])

        def distances(inputs):
            d = numpy.empty(len(inputs[0]))
            library.distances(pointer(d), pointer(inputs[0]), pointer(inputs[-1]), ctypes.c_size_t(len(d)))
            return d
        return distances
