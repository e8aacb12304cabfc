"""detcheck invariance: attention and the other kernels of transformers. Attention whose bits depend on one thing is found to depend on
that, and on nothing else; det depends on none, at any number of keys and at any length of lines.

Environment: DETCHECK; ATTENDING_LIBRARY is attending_library.c; ADAPTERS, PLANTED_KERNELS, which want numpy in the thorough form.
"""

import os
import random
import sys
import unittest

from harness import Case, parse, some

LIBRARY = os.environ["ATTENDING_LIBRARY"]
KEYS = "batch decode split pages groups padding".split()
PROPERTIES = ["alignment", "repetition", "threads", "blocking", "thread-count", *KEYS]
CALL = ("attention", "--distribution", "normal", "--shape", "2x2x6x150x8", "-n", "1")
# Each fault, the property that is blamed, and what is said of the first call that differs.
FAULTS = [("right", None, None), ("batch", "batch", "sample 0 alone, and not of 2"), ("heads", "batch", "head 0 of sample 0 alone, and not of 2"),
          ("last_block", "decode", "query 0 of 6 alone, with its keys up to 149"),
          ("decode_exp2", "decode", "query 0 of 6 alone, with its keys up to 149"),
          ("decode_split", "decode", "query 0 of 6 alone, with its keys up to 149"),
          ("split_elsewhere", "split", "keys in parts of 64 that are merged, and not 150 at once"),
          ("pages", "pages", "keys in pages of 16, and not one after the other"),
          ("one_page", "pages", "keys in pages of 100, and not one after the other"),
          ("alignment", "alignment", "operands 4 and results 0 bytes past a multiple of 64"),
          ("last_columns", "blocking", "column 1 of 8 of the values first, and the others after it"),
          ("thread_count", "thread-count", "in a process with OMP_NUM_THREADS=3")]
PLANTED = [("decode-exp2", "decode", "query 0 of 6 alone, with its keys up to 149"),
           ("shared-heads", "groups", "keys repeated for each of 2 heads, and not shared by 2"),
           ("padded-parts", "padding", "151 keys, of which a mask leaves out those from 150 on")]
# Operations with lines, and a shape whose last extent is their length.
LINES = {"rms_norm": (), "layer_norm": ("--affine", "bias"), "l2_norm": (), "rope": (), "silu_mul": (), "gelu_mul": (), "geglu": (),
         "swiglu": (), "softmax": (), "log_softmax": (), "logsumexp": (), "cross_entropy": (), "cumsum": (), "sum": (), "sort": (),
         "argmax": (), "sgd": ()}
OF_PAIRS = {"rope", "geglu", "swiglu"}  # their lines have an even length
LINE_PROPERTIES = "repetition,threads,processor,batch,blocking"
LENGTHS, LONGEST = 512, 65536


def all_lengths(seed):
    """To 512, and drawn ones to 65,536."""
    draw = random.Random(seed)
    return [*range(1, LENGTHS + 1), *(int(2 ** draw.uniform(9, 16)) for _ in range(24)), LONGEST]


class InvarianceOfKernels(Case):
    def found(self, *words, env=None):
        """{property: outcome} of the one implementation."""
        done = self.run_program("invariance", "--json", "-", *words, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = parse(done.stdout.decode())
        self.hold_to_schema(document)
        return [{one["property"]: one for one in result["implementations"][0]["invariance"]} for result in document["results"]]

    def check_blamed(self, implementation, fault, property_, where, untested):
        one, = self.found(*CALL, "--property", ",".join(PROPERTIES), "--impl", implementation)
        self.assertEqual([name for name in PROPERTIES if one[name].get("changed")], [property_] * bool(property_), fault)
        self.assertEqual({name for name in PROPERTIES if not one[name]["tested"]}, untested, fault)
        if property_:
            self.assertEqual(one[property_]["first"]["where"], where)
            shown = one[property_]["first"]["command"].split(" ", 1)[1]
            self.assertIn("--property " + property_, shown)

    def test_each_dependence_of_attention_is_named_and_no_other(self):
        for fault, property_, where in some(FAULTS, 4):
            self.check_blamed(f"lib:{LIBRARY}:{fault}", fault, property_, where, {"threads", "groups", "padding"})

    def test_queries_that_are_alike_have_one_result(self):
        words = (*CALL, "--property", "equal-elements", "--impl")
        one, = self.found(*words, f"lib:{LIBRARY}:last_block")
        self.assertEqual((one["equal-elements"]["changed"], one["equal-elements"]["first"]["where"]),
                         (1, "all of 6 queries like query 0, which all have its results"))
        one, = self.found(*words, "det")
        self.assertEqual((one["equal-elements"]["inputs"], one["equal-elements"]["changed"]), (1, 0))
        self.assertIn("a query at another place sees other keys, or has another bias",
                      self.refuse("invariance", *CALL, "--causal", "--property", "equal-elements", "--impl", "det", prints=True))

    def slow_heads_that_share_keys_and_masked_keys(self):
        """Which functions of C are not told of; the planted kernels are numpy's."""
        sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
        import with_numpy  # noqa: F401
        for fault, property_, where in PLANTED:
            names = ("decode", "groups" if fault != "padded-parts" else "padding")
            one, = self.found(*CALL, "--property", ",".join(names), "--impl",
                              f"exec:{sys.executable} {os.environ['PLANTED_KERNELS']} {fault}")
            self.assertEqual([name for name in names if one[name].get("changed")], [property_], fault)
            self.assertEqual(one[property_]["first"]["where"], where)

    def check_det(self, length, *words, counted=None):
        """Counts the calls and the lengths of which a property was tested: {operation: {property: [calls, {lengths}]}}."""
        for result, one in enumerate(self.found(*words, "--impl", "det")):
            for name, outcome in one.items():
                self.assertFalse(outcome.get("changed"), (words, name, outcome))
                if counted is not None and outcome["tested"] and result == 0:
                    row = counted.setdefault(words[0], {}).setdefault(name, [0, set()])
                    row[0] += outcome["inputs"]
                    row[1].add(length)

    def check_counted(self, counted, lengths, least):
        """Each property was tested at each length that has it; says of how many."""
        for operation, rows in counted.items():
            print(f"det's {operation}, none changed:")
            there = {length for length in lengths if operation not in OF_PAIRS or length % 2 == 0}
            for name, (calls, tested) in rows.items():
                self.assertEqual({length for length in there if length >= least.get(name, 1)} - tested, set(), (operation, name))
                print(f"  {name}: {calls} calls of {len(tested)} lengths from {min(tested)} to {max(tested)}")

    def check_keys(self, keys, turn, counted):
        """One call, of a way of masking, of heads that share keys and of widths that come in turn."""
        how = [(), ("--causal",), ("--window", str(keys // 2 + 1)), ("--bias", "mask"), ("--causal", "--bias", "alibi"),
               ("--soft-cap", "15", "--causal", "--window", str(keys // 3 + 1)), ("--groups", "2")][turn % 7]
        for extra in ((), how) if keys <= LENGTHS else (how,):
            lacks = {"padding": {"--causal", "--window"} & {*extra}, "split": keys <= 64, "decode": turn % 9 == 0,
                     "equal-elements": turn % 9 == 0 or {"--causal", "--window", "--bias"} & {*extra}}
            names = [name for name in ["processor", "blocking", "equal-elements", *KEYS] if not lacks.get(name)]
            self.check_det(keys, "attention", "--distribution", ("normal", "large", "special")[turn % 3], "--shape",
                           f"2x4x{1 + turn % 9}x{keys}x{(5, 8, 33)[turn % 3]}" if keys <= LENGTHS else f"1x4x{2 + turn % 8}x{keys}x8",
                           "-n", "1", *extra, "--property", ",".join(names), counted=counted)

    def test_det_at_some_numbers_of_keys(self):
        counted = {}
        for turn, keys in enumerate((1, 64, 65, 129)):
            self.check_keys(keys, turn + 1, counted)
        self.assertTrue(all(counted["attention"][name][0] >= 2 for name in KEYS), counted)

    def slow_det_at_all_numbers_of_keys(self):
        """Each length has the properties in two calls, or those that its way of masking has in one."""
        counted, lengths = {}, all_lengths(53)
        for turn, keys in enumerate(lengths):
            self.check_keys(keys, turn, counted)
        of_all = [keys for turn, keys in enumerate(lengths) if keys <= LENGTHS and turn % 9]
        self.check_counted(counted, of_all, {"split": 65})

    def check_groups(self, length, turn, counted):
        """A sample, or a group of one, whose elements are `length` in two channels."""
        self.check_det(length, "group_norm", "--distribution", "normal", "--shape", f"2x4x{(length + 1) // 2}", "--groups", "2", "-n", "1",
                       *(("--affine", "bias") if turn % 2 else ()), "--property", "batch,processor,threads", counted=counted)

    def check_lines(self, length, turn, operations, counted):
        """Batches of many sizes at four lengths; else of three, since each costs as many lines."""
        sizes = () if length % 32 == 1 and length < 128 else ("--sizes", "2,7,64" if length <= LENGTHS else "2,3")
        for name in operations:
            if name in OF_PAIRS and length % 2:
                continue
            rows = "" if length > 4096 else f"{1 + turn % 3}x"
            self.check_det(length, name, *LINES[name], "--distribution", "far" if name == "rope" else "normal", "--shape",
                           f"{rows}{length}", "-n", "1", *sizes, "--property", LINE_PROPERTIES, counted=counted)

    def test_det_at_some_lengths_of_lines(self):
        counted = {}
        for turn, name in enumerate(LINES):
            self.check_lines((64, 66, 1026)[turn % 3] - (turn % 2 and name not in OF_PAIRS), turn, [name], counted)
        self.check_groups(1025, 1, counted)
        self.assertEqual({name for name, rows in counted.items() if "batch" in rows}, {*LINES, "group_norm"})

    def slow_det_at_all_lengths_of_lines(self):
        counted, lengths = {}, all_lengths(54)
        for turn, length in enumerate(lengths):
            self.check_lines(length, turn, LINES, counted)
            self.check_groups(length, turn, counted)
        self.assertEqual({*counted}, {*LINES, "group_norm"})
        self.check_counted(counted, lengths, {})


if __name__ == "__main__":
    unittest.main()
