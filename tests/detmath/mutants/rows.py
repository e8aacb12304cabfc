#!/usr/bin/env python3
"""Looks for inputs that tell det in fp32 from kernels with one element of a table off in its last bit, among all inputs that read it.

    rows.py --folder FOLDER [--seconds 60] [FUNCTION...]   prints lines of vectors/mutants-fp32.txt; on stderr, counts
    rows.py --folder FOLDER --left [FUNCTION...]           prints the lines of left.txt about tables: of the committed inputs

The element is set to NaN, which shows the blocks of inputs that read it: some inputs of each block are tried. All inputs of these
blocks are then run with the element as det has it, and with its last bit up and down. It needs what mutants.py needs.
"""
import argparse
import collections
import pathlib
import sys
import time

import numpy

import sites
from library import F32, Library, functions
from mutants import BUSY, runs

TABLE = pathlib.Path(__file__).resolve().parents[3] / "vectors/mutants-fp32.txt"
BLOCK = 1 << 16
TRIED = 64        # inputs of a block that are tried with NaN in the table
MOST = 2          # inputs that are kept of one element


def committed(name):
    """The inputs of the table for a function of one operand."""
    lines = (line.split() for line in TABLE.read_text().splitlines() if line.startswith(f"{name} "))
    return numpy.array([int(words[1], 16) for words in lines], numpy.uint32).view(numpy.float32)


class Rows:
    """The elements that a function reads, and their mutants that are left."""

    def __init__(self, name, all_sites, folder):
        self.name, self.sites = name, all_sites
        reached = all_sites.reached(f"detmath_{name}f")
        self.library = Library(folder, name, all_sites, sites.Mutant(-1, "", 0, "", ""))
        self.numbers = [number for number, (table, _, _) in all_sites.rows.items() if table in reached]
        inputs = committed(name)
        det = self.library([inputs])
        self.left = [number for number in self.numbers if (self.outputs(number, inputs) == det).all()]

    def outputs(self, number, inputs, code=None):
        self.library.put(number, self.sites.rows[number][2][1] if code is None else code)
        found = self.library([inputs])
        self.library.put(number, self.sites.rows[number][2][0])
        return found

    def element(self, number):
        return self.sites.rows[number][:2]

    def readers(self):
        """{block: the mutants that are left whose element is read there}, blocks where functions have most to do first."""
        blocks = collections.defaultdict(list)
        elements = {self.element(number): number for number in self.left}
        starts = range(0, 1 << 32, BLOCK)
        steps = numpy.arange(TRIED, dtype=numpy.uint64) * (BLOCK // TRIED) + 7
        codes = (numpy.arange(0, 1 << 32, BLOCK, dtype=numpy.uint64)[:, None] + steps).astype(numpy.uint32).ravel()
        inputs, places = codes.view(numpy.float32), numpy.arange(len(starts))
        det = self.library([inputs])
        for element, number in elements.items():
            other = self.outputs(number, inputs, F32.pack(numpy.nan)) != det
            for place in places[other.reshape(-1, TRIED).any(axis=1)]:
                blocks[int(place)] += [one for one in self.left if self.element(one) == element]
        return sorted(blocks.items(), key=lambda item: not BUSY[0] <= (item[0] * BLOCK & 0x7fffffff) < BUSY[1])

    def sweep(self, seconds):
        """{mutant: inputs}, and whether the seconds were enough for all blocks."""
        began, found = time.process_time(), collections.defaultdict(list)
        for block, numbers in self.readers():
            left = [number for number in numbers if not found[number]]
            if not left:
                continue
            if time.process_time() - began > seconds:
                return found, False
            codes = numpy.arange(block * BLOCK, (block + 1) * BLOCK, dtype=numpy.uint64).astype(numpy.uint32)
            inputs = codes.view(numpy.float32)
            det = self.library([inputs])
            for number in left:
                found[number] = [int(code) for code in codes[self.outputs(number, inputs) != det][:MOST]]
        return found, True


    def cover(self, codes):
        """Few of these inputs, which tell what all of them tell; and how many mutants that are. The one that tells most comes first."""
        inputs = numpy.array(codes, numpy.uint32).view(numpy.float32)
        det = self.library([inputs])
        wanted = {number: self.outputs(number, inputs) != det for number in self.left}
        wanted = {number: tells for number, tells in wanted.items() if tells.any()}
        told, chosen = len(wanted), []
        while wanted:
            at = int(sum(tells.astype(int) for tells in wanted.values()).argmax())
            chosen.append(codes[at])
            wanted = {number: tells for number, tells in wanted.items() if not tells[at]}
        return chosen, told


def print_found(name, rows, codes, note):
    chosen, told = rows.cover(codes)
    for code in chosen:
        print(f"{name} 0x{code:08x}", flush=True)
    print(f"{name}: {len(rows.numbers)} mutants of tables, {len(rows.left)} left, {told} of these told by {len(chosen)} inputs{note}",
          file=sys.stderr, flush=True)


def print_left(all_rows):
    """The lines of left.txt that are about rows of tables: each table and change, the elements, and the functions."""
    places = collections.defaultdict(lambda: (set(), set()))
    for name, rows in all_rows:
        for number in rows.left:
            table, element = rows.element(number)
            functions_, elements = places[table.removeprefix("detmath_"), rows.sites.mutants[number].change]
            functions_.add(name)
            elements.add(element)
    for (table, change), (names, elements) in places.items():
        print(f"{table} rows {runs(elements)} {change}; {' '.join(sorted(names)) if len(names) < 9 else f'{len(names)} functions'}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--left", action="store_true")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("functions", nargs="*")
    arguments = parser.parse_args()
    arguments.folder.mkdir(exist_ok=True)
    all_sites = sites.make(arguments.folder, F32)
    names = arguments.functions or [name for name, (operands, _) in functions().items() if operands == 1]
    made = ((name, Rows(name, all_sites, arguments.folder)) for name in names)
    if arguments.left:
        return print_left(made)
    for name, rows in made:
        found, whole = rows.sweep(arguments.seconds)
        print_found(name, rows, sorted(code for codes in found.values() for code in codes), "" if whole else ", not all blocks")


if __name__ == "__main__":
    sys.exit(main())
