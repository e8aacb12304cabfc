"""det and its mutants as a shared library that Python calls."""
import ctypes
import pathlib
import re
import subprocess

import numpy

HERE = pathlib.Path(__file__).resolve().parent
DETMATH = HERE.parents[2] / "src/detmath"
OPTIONS = ["-shared", "-fPIC", "-march=native", "-mprefer-vector-width=512", "-ffp-contract=off", "-std=gnu11", "-w",
           "-fno-semantic-interposition", "-Wl,-Bsymbolic"]


def functions():
    """{name: (operands, results)} of the rows of functions.inc."""
    rows = re.findall(r"^DETMATH_(UNARY|BINARY|PAIR)\((\w+),", (DETMATH / "functions.inc").read_text(), re.MULTILINE)
    return {name: {"UNARY": (1, 1), "BINARY": (2, 1), "PAIR": (1, 2)}[kind] for kind, name in rows}


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


class Library:
    """One function, any of whose mutants a call can choose; or one mutant of it alone, which is quicker."""

    def __init__(self, folder, name, all_sites, mutant=None):
        self.folder, self.name, self.sites = folder, name, all_sites
        self.fixed = mutant
        self.library = self.build(["-O2"] if mutant is None else ["-O3", f"-DMUTANT={mutant.number}"])
        if mutant:
            self.change(mutant.number, True)

    def build(self, options):
        operands, results = functions()[self.name]
        path = self.folder / f"{self.name}{abs(hash(tuple(options)))}.so"
        subprocess.run(["gcc", *OPTIONS, *options, f"-DONLY={self.name}", f"-DOPERANDS={operands}", f"-DRESULTS={results}",
                        f"-DSOURCE=\"{self.folder}/source.c\"", str(HERE / "mutants.c"), "-o", str(path)], check=True)
        library = ctypes.CDLL(str(path))
        path.unlink()
        return library

    def put(self, number, code):
        """Sets the element of the table that this mutant changes."""
        table, element, _ = self.sites.rows[number]
        at = ctypes.byref(ctypes.c_float.in_dll(self.library, table), 4 * element)
        self.library.choose(-1, at, ctypes.c_uint32(code))

    def change(self, number, changed):
        """Chooses the mutant, or det again."""
        if number in self.sites.rows:
            self.put(number, self.sites.rows[number][2][changed])
        self.library.choose(number if changed else -1, None, ctypes.c_uint32(0))

    def __call__(self, inputs, number=-1, flush=0):
        x, y = inputs[0], inputs[-1]
        z = numpy.empty(len(x), numpy.uint64 if functions()[self.name][1] == 2 else numpy.uint32)
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
