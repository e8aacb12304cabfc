"""sweep --shard and merge: the shards of a sweep give the report of the whole, byte for byte, fingerprint and all."""

import json
import os
import shlex
import shutil
import sys
import unittest

from harness import Case, parse, without_run

WORKERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "impl", "remote")
SWEEPS = [
    (3, ("exp", "sincos", "-f", "fp16,bf16", "--impl", "libm,det")),
    (2, ("pow", "-f", "fp16", "--impl", "libm,cr", "-n", "300000", "--seed", "7")),
    (3, ("exp", "-f", "fp32", "--range", "1:1.05", "--impl", "libm", "-r", "up", "--strict-nan")),
    (2, ("log", "-f", "fp32", "--range", "0x0:0x20000", "--flags", "--errno", "--impl", "libm")),
    (2, ("tgamma", "-f", "fp64", "-n", "140000")),
    (4, ("sin", "-f", "fp32", "--special")),
    (3, ("remquo", "-f", "fp8_e5m2", "--impl", "det,libm")),  # det has none
    (2, ("cast", "--from", "fp32", "--to", "fp8_e4m3fn", "--profile", "ocp", "-n", "140000")),
    (4, ("cumsum", "matmul", "-f", "fp16", "-n", "2", "--distribution", "normal")),
    (3, ("sum", "-n", "5", "--distribution", "cancelling", "--impl", "det")),
    (5, ("dyadic.mul", "dyadic.mse", "--shape", "20", "--q", "7", "--distribution", "pairs")),
    (2, ("scaled.relu", "-n", "3", "--impl", "det")),
]
# The last has a library whose results depend on what the property tests.
INVARIANCES = [
    (3, ("exp", "-n", "20000", "--impl", "libm", "--property", "position,threads,loading")),
    (4, ("sum", "-n", "2", "--distribution", "normal", "--impl", "det", "--property", "batch,repetition", "--sizes", "2")),
    (2, ("sqrt", "-f", "fp16", "--range", "1:64", "--property", "position,length", "--impl",
         f"lib:{os.environ['DEPENDENT_LIBRARY']}:position,array"))]
# What a scheduler or a launcher sets, and the shard that it means.
ENVIRONMENTS = [
    ({"SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_MIN": "4", "SLURM_ARRAY_TASK_MAX": "6"},
     "2/3", "SLURM_ARRAY_TASK_ID"),
    ({"SLURM_ARRAY_TASK_ID": "8", "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "8",
      "SLURM_ARRAY_TASK_STEP": "4", "SLURM_PROCID": "0", "SLURM_NTASKS": "1"}, "3/3", "SLURM_ARRAY_TASK_ID"),
    # What Slurm 22.05 gives the script of an array's task: no number of processes.
    ({"SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "3",
      "SLURM_ARRAY_TASK_STEP": "1", "SLURM_PROCID": "0"}, "2/3", "SLURM_ARRAY_TASK_ID"),
    ({"SLURM_PROCID": "0", "SLURM_NTASKS": "3"}, "1/3", "SLURM_PROCID"),
    ({"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "3", "SLURM_PROCID": "0", "SLURM_NTASKS": "2"}, "3/3",
     "OMPI_COMM_WORLD_RANK"),
    ({"PMI_RANK": "1", "PMI_SIZE": "3"}, "2/3", "PMI_RANK"),
    ({"SLURM_PROCID": "1", "SLURM_NTASKS": "3", "PMI_RANK": "1", "PMI_SIZE": "3"}, "2/3", "SLURM_PROCID"),
    ({"TEST_SHARD_INDEX": "0", "TEST_TOTAL_SHARDS": "3"}, "1/3", "TEST_SHARD_INDEX"),
    ({"GTEST_SHARD_INDEX": "2", "GTEST_TOTAL_SHARDS": "3"}, "3/3", "GTEST_SHARD_INDEX")]
REFUSED = [
    ({}, "no variable of Slurm"),
    ({"SLURM_PROCID": "1", "SLURM_NTASKS": "3", "PMI_RANK": "2", "PMI_SIZE": "3"}, "SLURM_PROCID says 2/3 and PMI_RANK 3/3"),
    ({"SLURM_ARRAY_TASK_ID": "5"}, "SLURM_ARRAY_TASK_COUNT is not"),
    ({"SLURM_PROCID": "0"}, "SLURM_NTASKS is not"),
    ({"SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "9"},
     "without gaps"),
    ({"PMI_RANK": "3", "PMI_SIZE": "3"}, "PMI_RANK is 3 of 3"),
    ({"PMI_RANK": "one", "PMI_SIZE": "3"}, "not a whole number"),
    ({"JOB_COMPLETION_INDEX": "1"}, "--shard auto/N")]
QUICK = ("exp", "-f", "bf16", "--impl", "det")


class Shards(Case):
    def report(self, name, *words, command="sweep", **options):
        self.succeed(command, *words, "--json", name, notes=True, **options)
        return name

    def shards(self, count, *words, **options):
        return [self.report(f"{k}.json", *words, "--shard", f"{k}/{count}", **options) for k in range(1, count + 1)]

    def read(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8") as stream:
            return stream.read()

    def assert_is(self, whole, merged):
        self.assertEqual(without_run(self.read(whole)), without_run(merged))

    def test_shards_are_the_whole(self):
        for count, words in SWEEPS:
            with self.subTest(words=words):
                whole = self.report("whole.json", *words)
                names = self.shards(count, *words)
                self.assert_is(whole, self.succeed("merge", *names))
                self.assert_is(whole, self.succeed("merge", *reversed(names)))
                for result in parse(self.read(whole))["results"]:
                    self.assertTrue(all(one["fingerprint"] for one in result["implementations"] if one["provided"]))

    def test_shards_of_invariance_are_the_whole(self):
        for count, words in INVARIANCES:
            with self.subTest(words=words):
                whole = self.report("whole.json", *words, command="invariance")
                names = self.shards(count, *words, command="invariance")
                self.assert_is(whole, self.succeed("merge", *names))
                self.assert_is(whole, self.succeed("merge", *reversed(names)))
                self.assertIn(f"1 of {count} shards is missing: 1", self.refuse("merge", *names[1:]))
        changed = parse(self.read(whole))["results"][0]["implementations"][0]["invariance"][0]
        self.assertGreater(changed["changed"], 0)
        # Of arrays a unit is a call, and a shard that has none says so.
        words = ("sum", "--shape", "3", "-n", "2", "--distribution", "normal", "--impl", "det", "--property", "batch")
        whole = self.report("whole.json", *words, command="invariance")
        self.assert_is(whole, self.succeed("merge", *self.shards(3, *words, command="invariance")))

    def test_shards_of_a_search_share_the_effort(self):
        """Each looks elsewhere; all of them have the worst that any found, in whatever order they come."""
        words = ("acosh", "--evaluations", "60001", "--seed", "5")
        names = self.shards(3, *words, command="search")
        found = [parse(self.read(name))["results"][0] for name in names]
        self.assertEqual([one["inputs"]["search"]["evaluations"] for one in found], [20001, 20000, 20000])
        self.assertEqual(len({json.dumps(one["inputs"]["search"]["parts"][0]["best"]) for one in found}), 3)
        again = self.report("again.json", *words, "--shard", "2/3", "--threads", "3", command="search")
        self.assertEqual(without_run(self.read(names[1])), without_run(self.read(again)))
        merged = self.succeed("merge", *names)
        self.file("part.json", self.succeed("merge", "--partial", names[2], names[0]))
        self.assertEqual(without_run(merged), without_run(self.succeed("merge", names[1], "part.json")))
        whole = parse(merged)["results"][0]
        self.assertEqual(whole["inputs"]["search"]["evaluations"], 60001)
        self.assertNotIn("shard", whole["inputs"])
        worst = [one["implementations"][0]["max_ulp"]["error"] for one in (whole, *found)]
        self.assertEqual(worst[0], max(worst[1:]))
        self.assertIn("1 of 3 shards is missing: 1", self.refuse("merge", *names[1:]))
        self.assertIn("shard 2/3", self.refuse("merge", names[0], names[1], names[1]))
        other = self.report("other.json", "acosh", "--evaluations", "60001", "--seed", "6", "--shard", "2/3", command="search")
        self.assertIn("not a shard of the same search", self.refuse("merge", names[0], other))
        self.assertIn("one for each shard", self.refuse("search", "acosh", "--evaluations", "2", "--shard", "1/3"))

    def test_shards_of_searches_with_other_starts_or_times_are_foreign(self):
        def start(name, text, *more):
            self.file("start", text)
            return self.report(name, "acosh", "--start", "start", *more, command="search")

        effort = ("--evaluations", "3000")
        first = start("1", b"1.5\n", "--shard", "1/2", *effort)
        self.assertIn("not a shard of the same search", self.refuse("merge", first, start("2", b"2.5\n", "--shard", "2/2", *effort)))
        self.succeed("merge", first, start("2", b"1.5\n", "--shard", "2/2", *effort))
        none = self.report("3", "acosh", *effort, "--shard", "2/2", command="search")
        self.assertIn("not a shard of the same search", self.refuse("merge", first, none))
        times = [self.report(f"{k}", "acosh", "--seconds", f"0.{k + 4}", "--threads", 1, "--shard", f"{k}/2", command="search") for k in (1, 2)]
        self.assertIn("not a shard of the same search", self.refuse("merge", *times))

    def test_damaged_shards_of_a_search_are_refused(self):
        names = self.shards(2, "acosh", "--evaluations", "3000", command="search")
        for said, change in ((' "of", from 2 to 1000000', {"of": 2**52}), ("not a shard of the same search", {"numbers": None})):
            for name in names:
                damaged = parse(self.read(name))
                damaged["results"][0]["inputs"]["shard"].update(change)
                self.file("x" + name, json.dumps(damaged).encode())
            self.assertIn(said, self.refuse("merge", *("x" + name for name in names)))
        for numbers in ([7, 9], [1, 2, 3], [0, 1]):  # of 2, in a report that nothing is added to
            damaged = parse(self.read(names[0]))
            damaged["results"][0]["inputs"]["shard"]["numbers"] = numbers
            self.file("alone.json", json.dumps(damaged).encode())
            self.assertIn("there is no shard ", self.refuse("merge", "alone.json"))

    def test_a_part_of_them_is_told(self):
        whole, names = self.report("whole.json", *SWEEPS[1][1]), self.shards(3, *SWEEPS[1][1])
        complaint = self.refuse("merge", names[0], names[2])
        self.assertIn("1 of 3 shards is missing: 2", complaint)
        self.file("two.json", self.succeed("merge", "--partial", names[2], names[0]))
        inputs = parse(self.read("two.json"))["results"][0]["inputs"]
        self.assertEqual(inputs["shard"]["numbers"], [1, 3])
        self.assertTrue(inputs["description"].startswith("2 of 3 shards of 300,000 "), inputs["description"])
        self.assertEqual(inputs["count"], 3 * 65536)  # of five units, the last of which is smaller, 1, 3 and 4
        self.assert_is(whole, self.succeed("merge", "two.json", names[1]))
        self.assert_is(whole, self.succeed("merge", names[1], "two.json"))

    def test_what_is_no_other_part_of_the_sweep_is_refused(self):
        names = self.shards(2, *QUICK)
        others = {"shard 1/2": self.report("twice.json", *QUICK, "--shard", "1/2"),
                  "is not a shard of the same sweep": self.report("three.json", *QUICK, "--shard", "2/3"),
                  "not a shard of the same sweep as": self.report("whole.json", *QUICK),
                  "is not a shard of": self.report("range.json", *QUICK, "--range", "0:1", "--shard", "2/2"),
                  "same implementations": self.report("libm.json", *QUICK[:-1], "libm", "--shard", "2/2")}
        for said, other in others.items():
            with self.subTest(other):
                self.assertIn(said, self.refuse("merge", names[0], other, names[1]))
        version = parse(self.read(names[1]))
        version["tool"]["version"] = "0.0.1"
        self.file("version.json", json.dumps(version).encode())
        self.assertIn("version", self.refuse("merge", names[0], "version.json"))

    def test_shards_of_another_build_are_refused(self):
        whole, names = self.report("whole.json", *QUICK), self.shards(2, *QUICK)
        for build in ("build-id:00", None):
            other = parse(self.read(names[1]))
            of = other["results"][0]["implementations"][0]
            self.assertRegex(of["build"], "^(build-id|xxh3-128):[0-9a-f]+$")
            of["build"] = build
            if not build:
                del of["build"]
            self.file("other.json", json.dumps(other).encode())
            complaint = self.refuse("merge", names[0], "other.json")
            self.assertIn("other.json: exp in bf16", complaint)
            self.assertIn(f"det is another build: {build or 'an unknown build'}", complaint)
        merged = self.succeed("merge", *names)
        self.assert_is(whole, merged)

    def test_builds_are_those_of_what_computes(self):
        """A file of outputs and a script of a worker, before and after a change."""
        for name in ("faulty_worker.py", "worker.py"):
            shutil.copy(os.path.join(WORKERS, name), self.path)
        self.file("outputs", bytes(2 * 80000))
        cases = [("outputs", ("pow", "-f", "fp16", "-n", "80000", "--impl", "file:outputs")),
                 ("faulty_worker.py", ("sqrt", "-f", "fp32", "--range", "0x3f800000:0x3f810000", "--impl",
                                       f"exec:{shlex.quote(sys.executable)} -E -s -S faulty_worker.py"))]
        for path, words in cases:
            with self.subTest(path):
                first, second = self.shards(2, *words)
                self.succeed("merge", first, second)
                with open(os.path.join(self.path, path), "r+b") as stream:
                    stream.write(b"# " if path == "outputs" else b'"""Another')
                second = self.report("changed.json", *words, "--shard", "2/2")
                self.assertIn(f"{words[-1]} is another build: xxh3-128:", self.refuse("merge", first, second))

    def test_a_build_that_changes_during_a_run_is_an_error(self):
        """A worker writes to a file of its own command, or to the library beside it, when it is asked for outputs."""
        for name in ("faulty_worker.py", "worker.py"):
            shutil.copy(os.path.join(WORKERS, name), self.path)
        shutil.copy(os.environ["DEPENDENT_LIBRARY"], os.path.join(self.path, "beside.so"))
        library = "lib:./beside.so:position,array"
        worker = f"exec:{shlex.quote(sys.executable)} -E -s -S faulty_worker.py"
        self.file("notes", f"{worker[5:]}\n".replace("/", "exec /", 1).encode())  # what is appended to it is never run
        script = "exec:/bin/sh notes"
        inputs = ("sqrt", "-f", "fp32", "--range", "0x3f800000:0x3f801fff", "--json", "made.json", "--impl")
        for record, named, words in (
                ("notes", script, ("sweep", *inputs, script)),
                ("beside.so", library, ("sweep", *inputs, library, "--impl", worker)),
                ("notes", script, ("invariance", *inputs, script, "--property", "repetition")),
                ("notes", script, ("search", "sqrt", "-f", "fp64", "--evaluations", 3000, "--json", "made.json",
                                   "--impl", script))):
            with self.subTest(words=words):
                complaint = self.refuse(*words, env={"RECORD": record})
                self.assertRegex(complaint, "was replaced while it ran: its build was xxh3-128:[0-9a-f]{32} and is xxh3-128:")
                self.assertIn(named, complaint)
                self.assertFalse(os.path.exists(os.path.join(self.path, "made.json")))
                self.succeed(*words, env={"RECORD": "elsewhere"}, notes=True)
                one = parse(self.read("made.json"))["results"][0]["implementations"][0]
                self.assertRegex(one["build"], "^xxh3-128:[0-9a-f]{32}$")
                os.remove(os.path.join(self.path, "made.json"))

    @unittest.skipUnless(os.path.exists("/proc/self/maps"), "skipped, because no /proc says what a process has loaded")
    def test_libraries_that_a_library_needs_are_parts_of_its_build(self):
        """Of three libraries that need each other, each in its turn is another than before."""
        libraries = [f"libchained_library_{number}.so" for number in (1, 2, 3)]
        for library in libraries:
            shutil.copy(os.path.join(os.path.dirname(os.environ["CHAINED_LIBRARY"]), library), self.path)
        name = f"lib:./{libraries[0]}:chained"
        words = ("sqrt", "-f", "fp32", "--range", "0x3f800000:0x3f82ffff", "--impl", name)
        first, second = self.shards(2, *words)
        self.succeed("merge", first, second)
        hash = "xxh3-128:[0-9a-f]{32}"
        self.assertRegex(parse(self.read(first))["results"][0]["implementations"][0]["build"],
                         f"^{hash}, {libraries[1]} {hash}, {libraries[2]} {hash}$")
        self.report("before.json", *words)
        for number, library in enumerate(libraries):
            with self.subTest(library):
                first = self.report("first.json", *words, "--shard", "1/2")
                with open(os.path.join(self.path, library), "ab") as stream:
                    stream.write(b"another build")
                part = f"{library} {hash}" if number else hash
                second = self.report("second.json", *words, "--shard", "2/2")
                self.assertRegex(self.refuse("merge", first, second), f"{name} is another build: {part}, and not {part}")
                after = self.report("after.json", *words)
                self.assertRegex(self.succeed("compare", "before.json", after),
                                 f"the build of A is {part}\n  the build of B is {part}\n")
                self.assertRegex(self.succeed("gate", after, "-b", "before.json"), f"{name} was {part}, now {part}")
                self.report("before.json", *words)
        # One of them is written to while the run goes on.
        shutil.copy(os.path.join(WORKERS, "faulty_worker.py"), self.path)
        shutil.copy(os.path.join(WORKERS, "worker.py"), self.path)
        worker = f"exec:{shlex.quote(sys.executable)} -E -s -S faulty_worker.py"
        self.assertRegex(self.refuse("sweep", *words, "--impl", worker, env={"RECORD": libraries[2]}),
                         f"was replaced while it ran: its build was {libraries[2]} {hash} and is {libraries[2]} {hash}")

    def test_a_list_that_changes_during_a_run_is_an_error(self):
        """The worker appends to it when it is asked for outputs."""
        worker = f"exec:{shlex.quote(sys.executable)} -E -s -S {os.path.join(WORKERS, 'faulty_worker.py')}"
        words = ("sqrt", "-f", "fp32", "--inputs", "list", "--impl", worker)
        for command in (("sweep", *words, "--json", "made.json"), ("invariance", *words, "--property", "repetition", "--json", "made.json"),
                        ("explain", *words, "--impl", "det", "--json", "made.json"), ("compare", *words, "--impl", "det")):
            with self.subTest(command=command):
                self.file("list", b"# of inputs\n1\n2\n3\n")
                self.assertRegex(self.refuse(*command, env={"RECORD": "list"}), "^detcheck: list changed while the run lasted: ")
                self.assertFalse(os.path.exists(os.path.join(self.path, "made.json")))
                self.file("list", b"1\n2\n3\n")
                done = self.run_program(*command, env={"RECORD": "elsewhere"})
                self.assertIn(done.returncode, (0, 1), done.stderr.decode())
                if "made.json" in command:
                    os.remove(os.path.join(self.path, "made.json"))

    def test_what_a_worker_writes_is_no_part_of_its_build(self):
        """A log that the command names: shards go together, whatever the log has at the start of each."""
        for name in ("faulty_worker.py", "worker.py"):
            shutil.copy(os.path.join(WORKERS, name), self.path)
        words = ("sqrt", "-f", "fp32", "--range", "0x3f800000:0x3f810fff", "--impl",
                 f"exec:{shlex.quote(sys.executable)} -E -s -S faulty_worker.py log")
        names = []
        for number in (1, 2):
            self.succeed("sweep", *words, "--shard", f"{number}/2", "--json", f"{number}.json", env={"RECORD": "log"})
            names.append(f"{number}.json")
        self.succeed("merge", *names)

    def test_processors_of_other_makes_may_share_what_does_not_depend_on_them(self):
        whole, names = self.report("whole.json", *QUICK), self.shards(2, *QUICK)
        for member, value, good in (("cpu", "another", True), ("libm_variant", "another", False), ("fma", None, False)):
            other = parse(self.read(names[1]))
            before = other["platform"][member]
            other["platform"][member] = (not before) if value is None else value
            self.file("other.json", json.dumps(other).encode())
            if good:
                self.assert_is(whole, self.succeed("merge", names[0], "other.json"))
            else:
                self.assertIn("different platforms", self.refuse("merge", names[0], "other.json"))

    def test_broken_digests_are_refused(self):
        names = self.shards(2, *QUICK)
        for groups in ("", "0" * 31, "g" * 32, "0" * 64):
            broken = parse(self.read(names[0]))
            broken["results"][0]["implementations"][0]["digests"][0]["groups"] = groups
            self.file("broken.json", json.dumps(broken).encode())
            said = "the digests of shard 1/2 are not 1 times" if groups in ("", "0" * 64) else \
                "broken.json: results[0].implementations[0].digests[0].groups should be 32 hexadecimal digits"
            self.assertIn(said, self.refuse("merge", "broken.json", names[1]))

    def test_shards_that_lie_are_refused(self):
        def change_digests(change):
            def change_all(result):
                for one in result["implementations"]:
                    change(one)
            return change_all

        def empty(result):
            result["inputs"]["count"] = 0
            for one in result["implementations"]:
                one.update(dict.fromkeys(("tested", "correctly_rounded", "incorrectly_rounded", "faithful", "judged_in_ulps",
                                          "over_1_ulp", "nan_mismatches", "nan_bits_differ"), 0), max_ulp=None, by_binade=[])
                for bucket in one["histogram"]:
                    bucket["count"] = 0

        lies = [('"digests" lacks shard 1/2', change_digests(lambda one: one.update(digests=[]))),
                ("digests", change_digests(lambda one: one.pop("digests"))),
                ('"digests" has shard 1/2 twice', change_digests(lambda one: one["digests"].append(one["digests"][0]))),
                ("the shards have 65536 inputs together, and the whole 131072", empty),
                ("shard", lambda result: result["inputs"]["shard"].update(numbers=["1"])),
                ("is not a shard of the same sweep as", lambda result: result["inputs"]["shard"].pop("whole_identity"))]
        names = self.shards(2, *QUICK[:2], "fp32", "--range", "0x3f800000:0x3f81ffff", "--impl", "det")
        for said, lie in lies:
            with self.subTest(said):
                lying = parse(self.read(names[0]))
                lie(lying["results"][0])
                self.file("lying.json", json.dumps(lying).encode())
                self.assertIn(said, self.refuse("merge", "lying.json", names[1]))
                self.assertIn(said, self.refuse("merge", names[1], "lying.json"))

    def test_shards_of_implementations_that_came_one_by_one(self):
        """Of the same shard, by a report each; and the same shard twice."""
        whole = self.report("whole.json", *QUICK, "--impl", "cr")
        for k in (1, 2):
            for name in ("det", "cr"):
                self.report(f"{name}{k}.json", *QUICK[:-1], name, "--shard", f"{k}/2")
            self.succeed("merge", "--partial", f"det{k}.json", f"cr{k}.json", "-o", f"{k}.json")
        without_pairs = parse(self.read(whole))
        without_pairs["results"][0]["differences"] = []
        without_pairs.pop("run")
        merged = parse(self.succeed("merge", "1.json", "2.json"))
        merged.pop("run")
        self.assertEqual(without_pairs, merged)
        again = parse(self.succeed("merge", "--partial", "det2.json", "cr2.json", "1.json"))
        again.pop("run")
        self.assertEqual(without_pairs, again)
        self.assertIn("both are shard 1/2", self.refuse("merge", "det1.json", "det1.json"))
        self.assertIn("same implementations", self.refuse("merge", "--partial", "det1.json", "det2.json", "1.json"))

    def test_shards_are_not_compared(self):
        name = self.report("1.json", *QUICK, "--shard", "1/2")
        for command in ("compare", "explain"):
            self.assertIn("if it is an unmerged shard", self.refuse(command, name, name))

    def test_shards_of_other_inputs_of_the_same_name_are_refused(self):
        for k in (1, 2):
            self.file("inputs.txt", "".join(f"0x{k}{i:07x}\n" for i in range(70000)).encode())
            self.report(f"{k}.json", *QUICK[:2], "fp32", "--impl", "det", "--inputs", "inputs.txt", "--shard", f"{k}/2")
        self.assertIn("is not a shard of the same sweep as", self.refuse("merge", "1.json", "2.json"))

    def test_shards_without_inputs_go_with_what_is_not_provided(self):
        words = ("sqrt", "rint", "-f", "fp16", "--impl", "det")
        whole, names = self.report("whole.json", *words), self.shards(3, *words)
        self.assert_is(whole, self.succeed("merge", *names))
        self.assert_is(whole, self.succeed("merge", *reversed(names)))
        for shard in ("1/3", "3/3"):
            self.assertIn("nothing was tested: det has no rint", self.refuse("sweep", *words[1:], "--shard", shard))

    def test_schedulers_are_understood(self):
        for environment, shard, name in ENVIRONMENTS:
            with self.subTest(name=name):
                done = self.run_program("sweep", *QUICK, "--shard", "auto", "--json", "a.json", env=environment)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"shard {shard}, as {name} says", done.stderr.decode())
                inputs = parse(self.read("a.json"))["results"][0]["inputs"]
                self.assertEqual(f'{inputs["shard"]["numbers"][0]}/{inputs["shard"]["of"]}', shard)
        done = self.run_program("sweep", *QUICK, "--shard", "auto/4", "--json", "a.json", env={"JOB_COMPLETION_INDEX": "3"})
        self.assertIn("shard 4/4, as JOB_COMPLETION_INDEX says", done.stderr.decode())

    def test_schedulers_that_say_nothing_or_two_things_are_refused(self):
        for environment, said in REFUSED:
            with self.subTest(said):
                self.assertIn(said, self.refuse("sweep", *QUICK, "--shard", "auto", env=environment))
        self.assertIn("says that there are 3", self.refuse("sweep", *QUICK, "--shard", "auto/4",
                                                           env={"PMI_RANK": "1", "PMI_SIZE": "3"}))

    def test_what_is_no_part_is_refused(self):
        for text in ("0/3", "4/3", "3", "1/0", "/", "1/3x", "-1/3", "1/2000000", "auto/0", "all"):
            self.assertIn("--shard needs K/N", self.refuse("sweep", *QUICK, "--shard", text))
        self.assertIn("--fingerprints needs a whole sweep", self.refuse("sweep", *QUICK, "--shard", "1/2",
                                                                        "--fingerprints", "f"))

    def test_more_shards_than_there_is_to_share(self):
        words = ("pow", "-f", "fp8_e5m2", "--impl", "libm")
        whole, names = self.report("whole.json", *words), self.shards(40, *words)
        self.assert_is(whole, self.succeed("merge", *names))


if __name__ == "__main__":
    unittest.main()
