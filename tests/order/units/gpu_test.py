"""The calls by which gpu.py asks a GPU what no published case decides, with something else in the GPU's place: rows answer as
themselves, and a unit that is otherwise (planted as an order of additions) is told so."""
import json
import pathlib
import subprocess
import sys
import unittest

from harness import PROGRAM, Case

SCRIPT = pathlib.Path(__file__).resolve().parent / 'gpu.py'
NODE = {'terms': 16, 'result': 'fp32', 'rounding': 'toward-zero', 'overflow_is_infinite': True, 'aligned_bits': 25,
        'alignment': 'toward-zero', 'alignment_floor': -133, 'nan': '0x7fffffff'}
FLUSHED, EARLY, ENDLESS, ZEROS = ('subnormal results are flushed', 'c = 0 counts with the exponent -126 in alignment',
                                  'there is no least exponent of alignment, or subnormal results are flushed',
                                  'a product with 0 counts in alignment')


class Probes(Case):
    def answers(self, unit, other):
        done = subprocess.run([sys.executable, SCRIPT, PROGRAM, unit, '--impl', other, '--probes'], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return [line.rsplit(': ', 1)[1].split(', ', 1)[-1] for line in done.stdout.splitlines()]

    def test_rows_answer_as_themselves(self):
        for unit, fp32 in (('h100', 'as the row'), ('v100', 'not provided')):
            self.assertEqual(self.answers(unit, 'mma:' + unit), [fp32] * 4 + ['as the row'] * 2)

    def test_planted_units_are_told(self):
        for change, told in (({}, {}), ({'flush_results': True}, {0: FLUSHED, 2: ENDLESS}), ({'alignment_floor': -126}, {1: EARLY}),
                             ({'alignment_floor': -1000}, {2: ENDLESS}), ({'zeros_align': True}, {1: EARLY, 3: ZEROS})):
            path = self.file('planted.order', json.dumps(
                {'schema': 'detcheck/order/1', 'name': 'planted', 'source': 'planted', 'operation': 'matmul', 'format': 'bf16',
                 'result': 'fp32', 'least': 32, 'most': 32, 'open': [], 'replayed': 0, 'different': 0,
                 'nodes': [{**NODE, **change}], 'rule': {'kind': 'sequential', 'size': 16, 'start': 'zero'}}))
            self.assertEqual(self.answers('h100', 'order:' + path), [told.get(i, 'as the row') for i in range(4)] + ['not provided'] * 2)


if __name__ == '__main__':
    unittest.main()
