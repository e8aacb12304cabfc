"""detcheck merge: shards give the report of the whole, byte for byte but for what cannot be known."""

import collections
import json
import os
import random
import resource
import unittest

from harness import Case, faulty, needs_faulty_libm, parse, without_run


class Merge(Case):
    def read(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8") as stream:
            return parse(stream.read())

    def sweep(self, name, *words, **options):
        self.succeed("sweep", *words, "--json", name, notes=True, **options)
        return name

    def merged(self, *names):
        return self.succeed("merge", *names)

    def compare(self, whole, merged):
        """Equal, but for "run", the oracle's counts and the fingerprints."""
        def comparable(text):
            document = json.loads(without_run(text))
            for entry in document["results"]:
                del entry["oracle"]
                for one in entry["implementations"]:
                    one.pop("fingerprint", None)
            return json.dumps(document, indent=1)
        with open(os.path.join(self.path, whole), encoding="utf-8") as stream:
            self.assertEqual(comparable(stream.read()), comparable(merged))
        for entry in parse(merged)["results"]:
            for one in entry["implementations"]:
                self.assertIsNone(one.get("fingerprint"))

    def shards(self, ranges, *words, **options):
        return [self.sweep(f"{at}.json", *words, "--range", text, **options)
                for at, text in enumerate(ranges)]

    def test_shards_are_the_whole(self):
        words = ("exp", "tgamma", "-f", "fp16", "-r", "nearest-even,up", "--impl", "libm,det,cr", "--oracle", "exact")
        whole = self.sweep("whole.json", *words)
        names = self.shards(("0x0:0x2fff", "0x3000:0x7fff", "0x8000:0xffff"), *words)
        self.compare(whole, self.merged(*names))
        self.compare(whole, self.merged(*reversed(names)))
        self.file("two.json", self.merged(*names[1:]))
        self.compare(whole, self.merged("two.json", names[0]))

    def test_buckets_of_another_version_go_where_their_ends_lie(self):
        """The histograms of reports may have other ends: here fewer, and one that ours do not have."""
        names = self.shards(("-8:0x1p-10", "0x1.004p-10:8"), "exp", "-f", "fp16", "--impl", "steps:1 + x")
        ends, wanted = (0, 2 ** -10, 0.125, 0.5, 1, 256, None), collections.Counter()
        for name in names:
            report = self.read(name)
            one = report["results"][0]["implementations"][0]
            counts = dict.fromkeys(ends, 0)
            for bucket in one["histogram"]:
                end = bucket["up_to_ulp"]
                counts[next(top for top in ends if top is None or end is not None and end <= top)] += bucket["count"]
            one["histogram"] = [{"up_to_ulp": end, "count": count} for end, count in counts.items()]
            counts[0.0625] = counts.pop(2 ** -10)  # no end of ours lies nearer above it
            wanted.update({end: count for end, count in counts.items() if count})
            self.file(name, json.dumps(report))
        self.assertGreater(len(wanted), 3)
        histogram = parse(self.merged(*names))["results"][0]["implementations"][0]["histogram"]
        self.assertEqual({bucket["up_to_ulp"]: bucket["count"] for bucket in histogram if bucket["count"]}, wanted)

    def test_pairs(self):
        words = ("pow", "-f", "fp8_e5m2", "--impl", "libm,cr")
        names = [self.sweep(f"{at}.json", *words, "--range", text, "--range", "0x0:0xff")
                 for at, text in enumerate(("0x0:0x7f", "0x80:0xff"))]
        self.compare(self.sweep("whole.json", *words), self.merged(*names))

    def test_pairs_and_triples_in_ranges_are_called_as_in_one_sweep(self):
        words = ("-f", "fp8_e5m2", "--impl", "libm")
        for operation, others in (("pow", ("0x3c:0x4f",)), ("pow", ("0x0:0xf",)), ("fma", ("0x3c:0x3f", "0x40:0x41"))):
            more = [word for text in others for word in ("--range", text)]
            names = [self.sweep(f"{at}.json", operation, *words, "--range", text, *more)
                     for at, text in enumerate(("0x00:0x07", "0x08:0x0f"))]
            first = () if others == ("0x0:0xf",) else ("--range", "0x00:0x0f")
            whole = self.sweep("whole.json", operation, *words, *first,
                               *(more if first else ("--range", "0x00:0x0f")))
            self.compare(whole, self.merged(*names))

    @needs_faulty_libm
    def test_shards_with_wrong_outputs_add_up_to_the_whole(self):
        words = ("exp", "-f", "fp16", "--impl", "libm,cr", "--oracle", "exact")
        env = faulty(at=0x3f800000, xor=0x00700000)
        whole = self.sweep("whole.json", *words, env=env)
        names = self.shards(("0x0:0x3bff", "0x3c00:0xffff"), *words, env=env)
        self.compare(whole, self.merged(*names))

    def test_reports_of_different_sweeps_stand_side_by_side(self):
        one = self.sweep("a.json", "exp", "-f", "fp16", "--impl", "libm")
        other = self.sweep("b.json", "exp", "sin", "-f", "fp16", "--impl", "det")
        entries = parse(self.merged(one, other))["results"]
        self.assertEqual([entry["operation"] for entry in entries], ["exp", "sin"])
        self.assertEqual([row["name"] for row in entries[0]["implementations"]], ["libm", "det"])
        self.assertIsNotNone(entries[0]["implementations"][1]["fingerprint"])

    def test_a_report_that_adds_nothing_is_noted(self):
        one = self.sweep("a.json", "exp", "-f", "fp16", "--impl", "libm")
        both = self.sweep("b.json", "exp", "sin", "-f", "fp16", "--impl", "libm")
        for names, idle in (((one, one), one), ((both, one, both), both), ((one, both), None)):
            done = self.run_program("merge", *names)
            self.assertEqual(done.returncode, 0)
            note = f"detcheck: note: {idle} adds nothing: the earlier reports have all its results\n"
            self.assertEqual(done.stderr.decode(), note if idle else "")
            entries = parse(done.stdout.decode())["results"]
            self.assertEqual(len(entries), 1 if names == (one, one) else 2)
            self.assertEqual(len(entries[0]["implementations"]), 1)
            # A sweep of several functions has none, and no merge loses one.
            self.assertIn("envelope", entries[0]["implementations"][0])

    def test_shards_without_fingerprints(self):
        """A member that is missing is there in what is merged."""
        names = self.shards(("0x0:0x7fff", "0x8000:0xffff"), "exp", "-f", "fp16")
        for name in names:
            with open(os.path.join(self.path, name), encoding="utf-8") as stream:
                document = parse(stream.read())
            del document["results"][0]["implementations"][0]["fingerprint"]
            self.file(name, json.dumps(document))
        entry, = parse(self.merged(*names))["results"]
        self.assertIsNone(entry["implementations"][0]["fingerprint"])

    def test_a_file_too_large_is_not_read(self):
        with open(self.file("junk.json"), "r+b") as stream:
            stream.truncate(1 << 30)
        for words in (("merge", "junk.json"), ("gate", "junk.json", "--max-ulp", 1), ("report", "junk.json")):
            self.assertIn("is larger than 512 MiB", self.refuse(*words))

    def test_ranges_of_two_builds_do_not_merge(self):
        names = self.shards(("0x0:0x7fff", "0x8000:0xffff"), "exp", "-f", "fp16", "--impl", "libm,det")
        whole = self.sweep("whole.json", "exp", "-f", "fp16", "--impl", "libm,det")
        self.compare(whole, self.succeed("merge", *names))
        for at, build in ((0, "build-id:00"), (1, "xxh3-128:" + "0" * 32), (1, None)):
            document = self.read(names[1])
            one = document["results"][0]["implementations"][at]
            one["build"] = build
            if build is None:
                del one["build"]
            self.file("other.json", json.dumps(document))
            complaint = self.refuse("merge", names[0], "other.json")
            self.assertIn(f"{one['name']} is another build: {build or 'an unknown build'}, and not build-id:", complaint)

    def test_files_of_one_name_and_other_inputs_do_not_merge(self):
        """Of inputs of a user, and of the special ones, which another version of the program may have others of."""
        words = ("exp", "-f", "fp16", "--inputs", "list")
        self.file("list", b"1\n2\n3\n")
        first = self.sweep("first.json", *words, "--impl", "libm")
        self.file("list", b"1\n2\n4\n")
        second = self.sweep("second.json", *words, "--impl", "libm")
        other = self.sweep("det.json", *words, "--impl", "det")
        hashes = [self.read(name)["results"][0]["inputs"]["identity"] for name in (first, second, other)]
        self.assertEqual(hashes[1], hashes[2])
        self.assertNotEqual(hashes[0], hashes[1])
        self.assertIn(f"but different ones: {hashes[0]} and {hashes[1]}", self.refuse("merge", first, second))
        entry, = parse(self.merged(second, other))["results"]
        self.assertEqual(len(entry["implementations"]), 2)
        special = self.sweep("special.json", "exp", "-f", "fp16", "--special", "--impl", "libm")
        document = self.read(special)
        document["results"][0]["inputs"]["identity"] = "xxh3-128:" + "0" * 32
        self.file("changed.json", json.dumps(document))
        self.assertIn("special", self.refuse("merge", special, "changed.json"))

    def test_a_sum_of_errors_beyond_the_largest_is_refused(self):
        """What no sweep writes, and a merge would have made a document of that no reader takes."""
        names = self.shards(("0x0:0xff", "0x100:0x1ff"), "exp", "-f", "fp16", "--impl", "libm")
        document = self.read(names[1])
        document["results"][0]["implementations"][0]["error_sum"] = "0x1" + 30 * "0"
        self.file(names[1], json.dumps(document))
        self.assertIn("error_sum gives a mean error above the largest", self.refuse("merge", *names))

    def seconds(self, *words):
        """Of processor time."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.succeed(*words)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def test_many_ranges_take_little_more_than_their_reports_do(self):
        self.sweep("one.json", "exp", "-f", "fp32", "--range", "0x3f800000:0x3f80000f", "--impl", "det")
        document = self.read("one.json")
        one, half = json.dumps(document["results"][0]), 1200
        def write(name, places):
            document["results"] = [json.loads(one) for _ in places]
            for result, at in zip(document["results"], places):
                ends = [f"{0x3F800000 + 32 * at + end:#x}" for end in (0, 15)]
                result["inputs"].update(ranges=[[ends]], description="16 inputs from " + ":".join(ends))
            self.file(name, json.dumps(document))
            return places
        places = random.Random(1).sample(range(2 * half), 2 * half)
        first, others = write("a.json", places[:half]), write("b.json", places[half:])
        taken = self.seconds("merge", "a.json", "b.json", "-o", "merged.json")
        # Where each range moved all that were there before, 15 times as much.
        self.assertLess(taken, 4 * (self.seconds("merge", "a.json", "-o", "copy.json") + 0.1))
        inputs = self.read("merged.json")["results"][0]["inputs"]
        codes = [[f"{0x3F800000 + 32 * at + end:#x}" for end in (0, 15)] for at in sorted(first[:1] + others)]
        self.assertEqual((inputs["count"], inputs["ranges"]), (16 * len(codes), [codes]))

    def test_the_gate_takes_it(self):
        names = self.shards(("0x0:0x7fff", "0x8000:0xffff"), "exp", "-f", "fp16")
        self.succeed("merge", *names, "-o", "merged.json")
        self.succeed("gate", "merged.json", "--max-ulp", 1)

    def test_the_gate_takes_no_shard_for_the_whole(self):
        for k in (1, 2):
            self.succeed("sweep", "exp", "-f", "fp16", "--shard", f"{k}/2", "--json", f"{k}.json")
        self.succeed("merge", "--partial", "1.json", "-o", "partial.json")
        for name in ("1.json", "partial.json"):
            for words in (("gate", name, "--max-ulp", 1), ("gate", name, "--update", "policy.json")):
                self.assertIn("exp in fp16 covers only some shards; merge all shards first", self.refuse(*words))
        self.succeed("merge", "1.json", "2.json", "-o", "whole.json")
        self.succeed("gate", "whole.json", "--max-ulp", 1)

    def test_ranges_that_are_none_are_refused(self):
        low, high = self.shards(("0x0:0x2f", "0x30:0x7f"), "exp", "-f", "fp8_e5m2", "--impl", "det")
        with open(os.path.join(self.path, high), encoding="utf-8") as stream:
            text = stream.read()
        for run in ([], ["0x30"], ["0x30", "0x7f", "0x80"], ["0x7f", "0x30"], ["0x30", 127], ["0x30", "127"], "0x30", None):
            document = json.loads(text)
            document["results"][0]["inputs"]["ranges"] = [[run]]
            self.file("bad.json", json.dumps(document))
            for names in ((low, "bad.json"), ("bad.json", low)):
                self.assertIn("inputs.ranges should have runs of codes", self.refuse("merge", *names))
        document["results"][0]["inputs"]["ranges"] = [[]]
        self.file("bad.json", json.dumps(document))
        self.assertIn("inputs.ranges should have runs of codes", self.refuse("merge", low, "bad.json"))

    def test_shards_that_overlap_or_differ_are_refused(self):
        names = self.shards(("0x0:0x7fff", "0x7fff:0xffff"), "exp", "-f", "fp16")
        self.assertIn("both have the input 0x7fff", self.refuse("merge", *names))
        self.assertIn("needs reports", self.refuse("merge"))
        self.sweep("a.json", "exp", "-f", "fp32", "-n", 100)
        self.sweep("b.json", "exp", "-f", "fp32", "-n", 100, "--seed", 2)
        self.assertIn("not sweeps of samples", self.refuse("merge", "a.json", "b.json"))
        with open(os.path.join(self.path, "a.json"), encoding="utf-8") as stream:
            document = parse(stream.read())
        document["platform"]["libc"] = "other"
        self.file("b.json", json.dumps(document))
        self.assertIn("different platforms", self.refuse("merge", "a.json", "b.json"))
        self.sweep("b.json", "sin", "-f", "fp16")
        for member, value in (("seconds", 1e308), ("inputs_per_second", 1e308)):
            for name in ("a.json", "b.json"):
                with open(os.path.join(self.path, name), encoding="utf-8") as stream:
                    endless = parse(stream.read())
                endless["run"].update({"seconds": 10, "inputs_per_second": 1, member: value})
                self.file("endless_" + name, json.dumps(endless))
            self.assertIn("too large to be added", self.refuse("merge", "endless_a.json", "endless_b.json"))
        document["complete"] = False
        self.file("b.json", json.dumps(document))
        self.assertIn("incomplete", self.refuse("merge", "b.json"))
        self.refuse("merge", "a.json", "-o", "/dev/full")


if __name__ == "__main__":
    unittest.main()
