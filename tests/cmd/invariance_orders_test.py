"""detcheck invariance says what a batch, other columns, another axis and other threads did to the order of a sum. Environment: ORDERED_LIBRARY."""

import os
import unittest

from harness import Case

LIBRARY = os.environ["ORDERED_LIBRARY"]


class Orders(Case):
    def told(self, *words):
        text = self.run_program("invariance", *words).stdout.decode()
        return [line.strip() for line in text.splitlines()]

    def product(self, function, shape, name, *words):
        return self.told("matmul", *words, "--shape", shape, "--property", name, "-n", 3, "--distribution", "normal",
                         "--impl", f"lib:{LIBRARY}:{function}")

    def test_a_batch_that_changes_the_order(self):
        """From 8 rows on there are 4 lanes: batches of up to 7 are tried before."""
        lines = self.product("matmul_by_rows", "9x40x9", "batch")
        self.assertIn(f"orders of 40 terms by lib:{LIBRARY}:matmul_by_rows, of which the second changes batch", lines)
        at = next(i for i, line in enumerate(lines) if line.startswith("orders of"))
        self.assertRegex(lines[at + 1], r"^alone +from the left, from \+0; fp32, nearest-even")
        self.assertRegex(lines[at + 2], r"^in a batch of 8 +4 lanes, l, l \+ 4 …, from \+0, lanes added from the left; fp32")
        self.assertRegex(lines[at + 3], r"^A and B part +40 terms: A adds x\[0\]\*y\[0\] and x\[1\]\*y\[1\]; B adds x\[0\]\*y\[0\] and x\[4\]\*y\[4\]$")

    def test_columns_that_change_the_order(self):
        lines = self.product("matmul_by_columns", "3x40x9", "blocking")
        at = next(i for i, line in enumerate(lines) if line.startswith("orders of"))
        self.assertRegex(lines[at + 1], r"^with 9 columns +from the left")
        self.assertRegex(lines[at + 2], r"^with 1 column +4 lanes")

    def test_a_number_of_threads_that_changes_the_order(self):
        """As many parts as threads: without the variable there is one."""
        lines = self.told("sum", "--shape", 40, "--property", "thread-count", "-n", 3, "--distribution", "normal",
                          "--impl", f"lib:{LIBRARY}:sum_by_thread_count")
        at = next(i for i, line in enumerate(lines) if line.startswith("orders of 40 terms"))
        self.assertIn("of which the second changes thread-count", lines[at])
        self.assertRegex(lines[at + 1], r"^as it is +from the left; fp32, nearest-even$")
        self.assertRegex(lines[at + 2], r"^with OMP_NUM_THREADS=3 +blocks of 13 .*, blocks added from the left; fp32, nearest-even$")
        self.assertRegex(lines[at + 3], r"^A and B part +40 terms: A adds the sum of x\[0\] to x\[12\] and x\[13\]; B adds x\[13\] and x\[14\]$")

    def test_nothing_is_said_of_an_operation_whose_operands_are_not_lines_alone(self):
        """That would be the order of one of several sums inside, which is not named."""
        lines = self.told("layer_norm", "--shape", "4x40", "--property", "thread-count", "-n", 3, "--distribution", "normal",
                          "--impl", f"lib:{LIBRARY}:layer_norm_by_thread_count")
        self.assertTrue([line for line in lines if line.startswith("thread-count") and "3 of 3 calls change bits" in line], lines)
        self.assertFalse([line for line in lines if line.startswith("orders of")])

    def test_threads_that_call_at_once_and_change_the_order(self):
        """In a region of several threads of OpenMP, as many libraries do, it has no lanes."""
        lines = self.told("sum", "--shape", 40, "--property", "threads", "-n", 3, "--distribution", "normal", "--no-isolation",
                          "--impl", f"lib:{LIBRARY}:sum_in_parallel")
        at = next(i for i, line in enumerate(lines) if line.startswith("orders of 40 terms"))
        self.assertIn("of which the second changes threads", lines[at])
        self.assertRegex(lines[at + 1], r"^alone +4 lanes, l, l \+ 4 …, folded 2, 1; fp32, nearest-even$")
        self.assertRegex(lines[at + 2], r"^in 4 threads at once +from the left; fp32, nearest-even$")
        self.assertRegex(lines[at + 3], r"^A and B part +40 terms: A adds x\[0\] and x\[4\]; B adds x\[0\] and x\[1\]$")

    def test_nothing_is_said_where_no_bits_change(self):
        for function in ("matmul_split_2", "matmul_by_rows"):
            lines = self.product(function, "3x40x9", "blocking", "-v")
            self.assertFalse([line for line in lines if line.startswith("orders of")])
            self.assertIn("0 of 1 property changes bits", "\n".join(lines))
            self.assertIn("0 of 3 calls change bits", "\n".join(lines))


if __name__ == "__main__":
    unittest.main()
