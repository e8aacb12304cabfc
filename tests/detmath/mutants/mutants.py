#!/usr/bin/env python3
"""Chooses the inputs of vectors that tell det from its mutants.

    mutants.py [--format fp32] [--pool 18] [--every 1] [--sweep SECONDS] [--rounds 8] --folder FOLDER [FUNCTION...]   writes FOLDER/FUNCTION.json
    mutants.py --more --sweep SECONDS --folder FOLDER [FUNCTION...]   sweeps what is left, but for rows of tables and limits
    mutants.py [--format fp32] --table --folder FOLDER     prints vectors/mutants-fp32.txt of these, and counts on stderr
    mutants.py [--format fp32] --left --folder FOLDER      prints left.txt: the mutants that no input there tells from det

Of each function of det in fp32 or fp64: sites.py makes the mutants; a pool of inputs is run through all of them; few inputs that
tell all of these from det are chosen greedily. What no input of the pool tells from det is run over all of fp32
(--sweep: until so many seconds have passed). Then one of three things holds of a mutant: an input tells it, it has det's bits for
all inputs so that no test can, or it stays open. The committed table is that of --pool 18 for exp and sin and of
--pool 16 --every 8 for most others; --more told what was left of exp's code and sin's. That of fp64 is of --pool 14, and of --rounds 2 for
most; in place of a sweep what is left is run over inputs near to another result. It needs numpy, gcc, clang and a processor with FMA.
"""
import argparse
import collections
import json
import pathlib
import re
import sys
import time

import numpy

import sites
from library import F32, WIDTHS, Library, functions
from pool import draw, draw_busy, draw_pairs

NEAREST = 16      # inputs nearest to det's last rounding
FEW = 64          # if at most so many inputs of the pool tell a mutant, two of them are chosen
KEPT = 4          # inputs that a sweep keeps of a mutant
BLOCK = 1 << 20   # inputs of a sweep at a time
BUSY = (F32.code(-12), F32.code(8))  # where functions have most to do
NEAR = 1 / 32     # of the distance between two numbers, from the middle: what is that near to another result
FLUSHES = {1: "subnormal results flushed inside", 2: "subnormal operands flushed inside", 3: "both flushed inside",
           4: "subnormal operands flushed", 8: "subnormal results flushed"}  # what evaluate of mutants.c takes


FLUSH_NUMBERS = {-1 - flush: flush for flush in FLUSHES}


class Study:
    """One function and its mutants."""

    def __init__(self, name, all_sites, folder):
        self.name, self.folder, self.sites = name, folder, all_sites
        self.width = all_sites.width
        self.operands, self.results = functions(self.width)[name]
        reached = all_sites.reached(f"detmath_{name}{self.width.suffix}")
        self.mutants = [mutant for mutant in all_sites.mutants if mutant.function in reached]
        self.generator = numpy.random.Generator(numpy.random.PCG64(sum(name.encode())))
        self.library = Library(folder, name, self.sites)
        self.operand_codes = []      # the pool
        self.nearest = []            # places there of the inputs nearest to another result
        self.alive = []              # mutants that nothing told from det yet
        self.equal = []              # those that give det's bits for all inputs
        self.killed = 0

    def fill_pool(self, size, every):
        limits = self.sites.limits(self.sites.reached(f"detmath_{self.name}{self.width.suffix}"))
        self.operand_codes = self.draw(size, limits)
        if self.width is F32:
            self.add_nearest(size, every)

    def draw(self, size, limits):
        if self.operands == 2:
            return draw_pairs(size, limits, self.generator, self.width)
        return [draw(size, limits, self.generator, self.width)]

    def add_nearest(self, size, every):
        """Adds as many inputs whose results were nearest to another when det rounded them last: of one operand the same share
        of 2^20 neighbours, of all inputs from 2^-12 to 2^8 or of one in `every`; of pairs 256 times as many are drawn."""
        record = self.library.recording()
        kept, distances = [], []
        starts = [sign | start for sign in (0, 1 << 31) for start in range(*BUSY, every * BLOCK)]
        for start in starts:
            codes = [numpy.arange(start, start + BLOCK, dtype=numpy.uint32)] if self.operands == 1 else self.draw(size // 2, [])
            found = record([one.view(self.width.numbers) for one in codes])
            near = numpy.argpartition(found, size // len(starts))[:size // len(starts)]
            near = near[found[near] < 1]
            kept.append([one[near] for one in codes])
            distances.append(found[near])
        added = [numpy.concatenate([one[k] for one in kept]) for k in range(self.operands)]
        order = numpy.argsort(numpy.concatenate(distances), kind="stable")
        self.nearest = [len(self.operand_codes[0]) + int(at) for at in order[:NEAREST]]
        self.operand_codes = [numpy.concatenate(both) for both in zip(self.operand_codes, added)]

    def inputs(self):
        return [codes.view(self.width.numbers) for codes in self.operand_codes]

    def run_pool(self):
        """Which inputs of the pool tell which mutant."""
        inputs = self.inputs()
        det = self.library(inputs)
        killers = {}
        for mutant in self.mutants:
            killers[mutant.number] = self.packed(self.library(inputs, mutant.number) != det)
        for flush, text in FLUSHES.items():
            mutant = sites.Mutant(-1 - flush, self.name, 0, text, "flush")
            self.mutants.append(mutant)
            killers[mutant.number] = self.packed(self.library(inputs, flush=flush) != det)
        return killers

    @staticmethod
    def packed(differs):
        return numpy.packbits(differs)

    def cover(self, killers):
        """Greedily: the input that tells most of those that are not told yet."""
        size = len(self.operand_codes[0])
        counts = {number: int(numpy.unpackbits(bits, count=size).sum()) for number, bits in killers.items()}
        wanted = {number: 2 if 1 < count <= FEW else 1 for number, count in counts.items() if count}
        votes = numpy.zeros(size, numpy.int32)
        for number in wanted:
            votes += numpy.unpackbits(killers[number], count=size)
        chosen = []
        while wanted:
            at = int(votes.argmax())
            votes[at] = -1 << 30
            chosen.append(at)
            for number in [n for n in wanted if killers[n][at >> 3] >> (7 - (at & 7)) & 1]:
                wanted[number] -= 1
                if not wanted[number]:
                    votes -= numpy.unpackbits(killers[number], count=size)
                    del wanted[number]
        self.killed += sum(count > 0 for count in counts.values())
        self.alive = [mutant for mutant in self.mutants if not counts.get(mutant.number)]
        return chosen

    def hunt(self, rounds):
        """Looks for inputs of fp64, in rounds: draws inputs where functions have most to do, and runs those near to another result
        through the mutants that are left. Keeps two inputs of each mutant that is found, and the nearest inputs of all."""
        record = self.library.recording()
        chosen, nearest = [], []
        for _ in range(rounds):
            codes = draw_busy(2 * BLOCK, self.operands, self.generator, self.width)
            distances = record([one.view(self.width.numbers) for one in codes])
            places = numpy.flatnonzero(distances < NEAR)
            near = [one[places] for one in codes]
            inputs = [one.view(self.width.numbers) for one in near]
            order = numpy.argsort(distances[places], kind="stable")[:NEAREST]
            nearest += [(distances[places[at]], [int(one[at]) for one in near]) for at in order]
            det, picked, left = self.library(inputs), {}, []
            for mutant in self.alive:
                flush = FLUSH_NUMBERS.get(mutant.number, 0)
                hits = numpy.flatnonzero(self.library(inputs, -1 if flush else mutant.number, flush) != det)
                for at in ([at for at in hits if at in picked] or hits)[:2]:
                    picked[at] = [int(one[at]) for one in near]
                if not len(hits):
                    left.append(mutant)
            self.killed += len(self.alive) - len(left)
            self.alive = left
            chosen += picked.values()
        return chosen, [codes for _, codes in sorted(nearest)[:NEAREST]]

    def unread(self):
        """Which of those that are left are rows of tables whose element may be NaN, as far as the pool shows."""
        rows = [m.number for m in self.alive if m.number in self.sites.rows]
        inputs = self.inputs() if rows else []
        det = self.library(inputs) if rows else []
        unread = set()
        for number in rows:
            self.library.put(number, self.width.pack(numpy.nan))
            if (self.library(inputs) == det).all():
                unread.add(number)
            self.library.change(number, False)
        return unread

    def codes_at(self, places):
        return [[int(codes[at]) for codes in self.operand_codes] for at in places]


def sweep_order(blocks):
    """Where functions have most to do first, and neighbours far from each other."""
    reversed_bits = sorted(range(blocks), key=lambda block: int(f"{block:012b}"[::-1], 2))
    return sorted(reversed_bits, key=lambda block: not BUSY[0] <= (block * BLOCK & 0x7fffffff) < BUSY[1])


class Sweep:
    """Runs what is left over all of fp32, or over pairs that are drawn, for so many seconds of the processor."""

    def __init__(self, study, seconds):
        self.study, self.seconds = study, seconds
        self.found = collections.defaultdict(list)
        self.blocks, self.done = (1 << 32) // BLOCK, 0
        self.det = Library(study.folder, study.name, study.sites, sites.Mutant(-1, "", 0, "", ""))
        unread = study.unread()
        self.runs = {}     # what computes the outputs of one mutant, or of the rows that seem to be read nowhere
        for mutant in study.alive:
            if mutant.number < -4:
                continue
            if mutant.number < 0:
                self.runs[mutant.number] = lambda inputs, flush=FLUSH_NUMBERS[mutant.number]: study.library(inputs, flush=flush)
            elif mutant.number not in unread:
                self.runs[mutant.number] = Library(study.folder, study.name, study.sites, mutant)
        self.unread = unread
        if unread:
            self.runs["unread"] = Library(study.folder, study.name, study.sites, sites.Mutant(-1, "", 0, "", ""))
            for number in unread:
                self.runs["unread"].put(number, study.width.pack(numpy.nan))

    def codes(self, block):
        if self.study.operands == 2:
            return [one[:BLOCK] for one in self.study.draw(BLOCK, [])]
        return [numpy.arange(block * BLOCK, (block + 1) * BLOCK, dtype=numpy.uint64).astype(numpy.uint32)]

    def run(self):
        began = time.process_time()
        for block in sweep_order(self.blocks):
            left = [key for key in self.runs if not self.found[key]]
            if not left or time.process_time() - began > self.seconds:
                break
            self.done += 1
            codes = self.codes(block)
            inputs = [one.view(numpy.float32) for one in codes]
            want = self.det(inputs)
            for key in left:
                for at in numpy.flatnonzero(self.runs[key](inputs) != want)[:KEPT]:
                    self.found[key].append([int(one[at]) for one in codes])
        return self.conclude()

    def conclude(self):
        study, whole = self.study, self.study.operands == 1 and self.done == self.blocks
        killed = [m for m in study.alive if self.found[m.number]]
        left = [m for m in study.alive if not self.found[m.number]]
        study.killed += len(killed)
        proved = [m for m in left if whole and (m.number not in self.unread or not self.found["unread"])]
        study.equal, study.alive = proved, [m for m in left if m not in proved]
        return [codes for m in killed for codes in self.found[m.number][:2]], self.done / self.blocks


def row(mutant):
    return [mutant.function.removeprefix("detmath_"), mutant.line, mutant.text, mutant.change]


def continue_one(name, all_sites, arguments):
    """Sweeps what a document has left, but for rows of tables and limits, of which most change nothing."""
    path = arguments.folder / f"{name}.json"
    document = json.loads(path.read_text())
    study = Study(name, all_sites, arguments.folder)
    study.alive = [m for m in study.mutants if row(m) in document["open"] and m.number not in all_sites.rows and
                   not sites.WORD.fullmatch(m.text)]
    document["swept_inputs"] += Sweep(study, arguments.sweep).run()[0]
    document["killed"] += study.killed
    left = [row(m) for m in study.alive + study.equal]
    document["equal"] += [row(m) for m in study.equal]
    swept = [row(m) for m in study.mutants if m.number not in all_sites.rows and not sites.WORD.fullmatch(m.text)]
    document["open"] = [one for one in document["open"] if one not in swept or one in left and one not in document["equal"]]
    path.write_text(json.dumps(document, indent=1))
    print(f"{name}: {study.killed} more told, {len(document['open'])} open", flush=True)


def study_one(name, all_sites, arguments):
    began = time.time()
    study = Study(name, all_sites, arguments.folder)
    study.fill_pool(1 << arguments.pool, arguments.every)
    places = study.cover(study.run_pool())
    inputs = study.codes_at(dict.fromkeys(places))
    near = study.codes_at(study.nearest)
    swept, part = Sweep(study, arguments.sweep).run() if arguments.sweep else ([], 0)
    if study.width is not F32:
        swept, near = study.hunt(arguments.rounds)
    document = {"function": name, "pool": len(study.operand_codes[0]), "mutants": len(study.mutants), "killed": study.killed,
                "equal": [row(m) for m in study.equal], "open": [row(m) for m in study.alive], "swept": part, "inputs": inputs, "swept_inputs": swept, "near": near}
    (arguments.folder / f"{name}.json").write_text(json.dumps(document, indent=1))
    print(f"{name}: {len(study.mutants)} mutants, {study.killed} told by {len(inputs)} inputs and {len(swept)} of a sweep "
          f"of {part:.4f}, {len(study.equal)} equal, {len(study.alive)} open; {time.time() - began:.0f} s", flush=True)


def print_table(folder, width):
    """vectors/mutants-fp32.txt or mutants-fp64.txt of the documents, and on stderr what is in it."""
    print(f"# Inputs of {width.name} that tell det from kernels with one step changed: tests/detmath/mutants/mutants.py finds them.")
    total = collections.Counter()
    for name in functions(width):
        path = folder / f"{name}.json"
        if not path.exists():
            print(f"{path} is missing: mutants.py writes it", file=sys.stderr)
            continue
        one = json.loads(path.read_text())
        rows = {tuple(codes): None for kind in ("inputs", "swept_inputs", "near") for codes in one[kind]}
        for codes in rows:
            print(name, *(f"0x{code:0{width.bits // 4}x}" for code in codes))
        total.update({"inputs": len(rows), "mutants": one["mutants"], "killed": one["killed"], "equal": len(one["equal"]),
                      "open": len(one["open"])})
    print(", ".join(f"{count} {what}" for what, count in total.items()), file=sys.stderr)


def runs(numbers):
    """1-3, 5"""
    text = []
    for number in sorted(set(numbers)):
        if text and text[-1][1] == number - 1:
            text[-1][1] = number
        else:
            text.append([number, number])
    return ", ".join(f"{a}-{b}" if b > a else str(a) for a, b in text)


def print_left(folder, width):
    """The mutants that no input of the table tells from det, a line for each place and the functions that go by it."""
    places = collections.defaultdict(lambda: (set(), set()))
    missing = [name for name in functions(width) if not (folder / f"{name}.json").exists()]
    for name in functions(width):
        if name in missing:
            continue
        for function, line, text, change in json.loads((folder / f"{name}.json").read_text())["open"]:
            row = re.match(r"\[(\d+)\]", text)
            place = (function, "row", change) if row else (f"{function}:{line}" if line else "", text, "")
            places[place][0].add(name)
            places[place][1].add(int(row[1]) if row else change)
    print(f"# Mutants of det in {width.name} that no input of vectors/mutants-{width.name}.txt tells from det: {'a sweep is needed for these' if width is F32 else 'more samples may find these'}.")
    print("# Some have det's bits for all inputs; which is not known. Place, what stands there, changes; functions.")
    if missing:
        print("# Functions without inputs in the table:", " ".join(missing))
    for (place, text, change), (names, items) in places.items():
        what = f"{text}s {runs(items)} {change}" if change else f"{text} {', '.join(sorted(items))}"
        print(f"{place} {what}; {' '.join(sorted(names)) if len(names) < 9 else f'{len(names)} functions'}".strip())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--more", action="store_true")
    parser.add_argument("--left", action="store_true")
    parser.add_argument("--format", choices=WIDTHS, default="fp32")
    parser.add_argument("--pool", type=int, default=18)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--sweep", type=float, default=0)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("functions", nargs="*")
    arguments = parser.parse_args()
    width = WIDTHS[arguments.format]
    if arguments.left:
        return print_left(arguments.folder, width)
    if arguments.table:
        return print_table(arguments.folder, width)
    if arguments.sweep and width is not F32:
        parser.error("--sweep is for fp32: fp64 has too many inputs")
    arguments.folder.mkdir(exist_ok=True)
    all_sites = sites.make(arguments.folder, width)
    for name in arguments.functions or functions(width):
        (continue_one if arguments.more else study_one)(name, all_sites, arguments)


if __name__ == "__main__":
    sys.exit(main())
