"""The rows of matrix units are what the hardware returned: 400 committed cases of each unit and format, or all in a folder of
published ones (DETCHECK_TENSOR_CORES). And faults made on purpose, one bit of alignment more or less and the like, are refuted."""
import os
import unittest

import unit_cases

FOLDER = os.environ.get('DETCHECK_TENSOR_CORES', '') if 'PUBLISHED' in os.environ else None
# No case has numbers so small, or so large beside a zero, that these would show.
OPEN = {'zeros-align', 'no-floor', 'flush-results'}


def left_open(fault, row):
    """Whether no case refutes the fault in this row, of the faults that detcheck-units-evidence(7) lists; else None."""
    unit, factors, result = row[:3]
    of_8_bits = factors.startswith('fp8')
    by_halves = of_8_bits and (unit == 'b200' or (unit in ('h100', 'h200') and result == 'fp16'))
    few_bits = by_halves or (result == 'fp16' and not of_8_bits)
    return {'one-bit-more': few_bits,
            'c-after-the-sum': few_bits or (of_8_bits and unit in ('h100', 'h200')),
            'other-rounding': by_halves and result == 'fp32'}.get(fault)


class Units(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if FOLDER == '':
            raise unittest.SkipTest('no folder of published cases: DETCHECK_TENSOR_CORES')
        cls.cases = list(unit_cases.published(FOLDER) if FOLDER else unit_cases.committed())

    def test_every_row_agrees_with_every_case(self):
        rows, first = unit_cases.held(self.cases)
        for row in rows:
            print(*row)
        self.assertEqual(first, '')
        self.assertEqual({row[4] for row in rows}, {0})
        self.assertEqual(sum(row[3] for row in rows), len(self.cases))
        self.assertGreaterEqual(min(row[3] for row in rows), 400)
        self.assertGreaterEqual(len(rows), 48)

    def test_faults_are_refuted(self):
        for fault in unit_cases.faults():
            rows, _ = unit_cases.held(self.cases, fault)
            wrong = sum(row[4] for row in rows)
            print(f'{fault}: refuted in {sum(row[4] > 0 for row in rows)} of {len(rows)} rows, by {wrong} cases')
            if fault not in OPEN:
                self.assertGreater(wrong, 0, fault)
            for row in rows:
                if left_open(fault, row) is not None:
                    self.assertEqual(row[4] == 0, left_open(fault, row), (fault, row))


if __name__ == '__main__':
    unittest.main()
