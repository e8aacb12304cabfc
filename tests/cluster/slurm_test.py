"""What `detcheck plan --for slurm` prints, submitted to a Slurm of two nodes on this machine. In the middle a shard is
killed, one is told that its time is up, and a node fails; the merged report is that of a run on one machine."""

import os
import signal
import unittest

import planned
import slurm
from harness import PROGRAM, Case, without_run

# Some seconds each shard, so that there is a middle.
SWEEP = ("exp", "tanh", "--impl", "libm", "--range", "0x20000000:0x5fffffff")
SHARDS = 8
POLICY = '{"schema": "detcheck/policy/1", "rules": [{"operation": "tanh", "max_ulp": %s}, {"operation": "exp", "max_ulp": 1}]}'


@unittest.skipIf(slurm.missing(), slurm.missing())
class Slurm(Case):
    def setUp(self):
        super().setUp()
        os.chmod(self.path, 0o755)
        os.mkdir(os.path.join(self.path, "cluster"))
        os.mkdir(os.path.join(self.path, "work"))
        self.work = os.path.join(self.path, "work")

    def shards(self):
        """The processes of shards, each with its task's number and its node."""
        found = {}
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as stream:
                    line = stream.read().split(b"\0")
                with open(f"/proc/{entry}/environ", "rb") as stream:
                    words = dict(word.split(b"=", 1) for word in stream.read().split(b"\0") if b"=" in word)
            except OSError:
                continue
            if line[0].endswith(b"detcheck") and b"auto" in line and words.get(b"SLURM_CLUSTER_NAME") == b"detcheck":
                found[int(entry)] = (int(words[b"SLURM_ARRAY_TASK_ID"]), words[b"SLURMD_NODENAME"].decode(),
                                     words[b"SLURM_JOB_ID"].decode())
        return found

    def kept(self):
        """Tasks that have a checkpoint and no report."""
        folder = os.path.join(self.work, "detcheck-exp")
        names = os.listdir(folder) if os.path.isdir(folder) else []
        return {int(name[6:-11]) for name in names if name.endswith(".checkpoint")
                and name[:-11] + ".json" not in names}

    def running(self, node=None, but=()):
        """A process of a shard that has a checkpoint, or None."""
        kept = self.kept()
        for process, (task, of, job) in sorted(self.shards().items()):
            if task in kept and node in (None, of) and task not in but:
                return process, task, job
        return None

    def said(self, task):
        with open(os.path.join(self.work, "detcheck-exp", f"shard-{task}.txt"), encoding="utf-8") as stream:
            return stream.read()

    def submit(self, cluster, policy):
        self.file("work/policy.json", POLICY % policy)
        text = self.succeed("plan", *SWEEP, "--for", "slurm", "--shards", SHARDS, "--shard-seconds", 30, "--gate",
                            "policy.json", "--checkpoint-every", "1")
        self.file("work/plan.sh", text)
        cluster.run("sh", "plan.sh", cwd=self.work)

    def end(self, cluster):
        cluster.wait_until("all jobs are done", lambda: not cluster.queue(), 600)

    def texts(self):
        """All that shards and the merge have said, for a failure."""
        folder = os.path.join(self.work, "detcheck-exp")
        text = ""
        for name in sorted(os.listdir(folder)):
            if name.endswith(".txt"):
                with open(os.path.join(folder, name), encoding="utf-8") as stream:
                    text += f"\n--- {name}\n{stream.read()[-1500:]}"
        return text

    def merged(self):
        path = os.path.join(self.work, "detcheck-exp", "report.json")
        self.assertTrue(os.path.exists(path), self.texts())
        with open(path, encoding="utf-8") as stream:
            return without_run(stream.read())

    def test_kills_and_failures(self):
        self.succeed("sweep", *SWEEP, "--json", "whole.json")
        with slurm.Cluster(os.path.join(self.path, "cluster")) as cluster:
            cluster.environment["PATH"] = planned.path_with(PROGRAM) + ":" + cluster.environment["PATH"]
            self.submit(cluster, 3)
            # A node fails with a shard in its middle.
            cluster.wait_until("the second node has a shard", lambda: self.running("node2"))
            _, lost, _ = self.running("node2")
            self.assertGreater(cluster.kill_node("node2"), 0)
            # A step is killed.
            cluster.wait_until("a shard has a checkpoint", lambda: self.running("node1"))
            process, killed, _ = self.running("node1")
            os.kill(process, signal.SIGKILL)
            # A shard hears that its time is up.
            told = None

            def tell():
                nonlocal told
                _, told, job = self.running("node1", (killed,)) or (None, None, None)
                if told:
                    # It may say "try again later", and do it all the same.
                    cluster.run("scancel", "--signal=USR1", "--batch", job, check=False)
                return told and "INCOMPLETE" in self.said(told)
            cluster.wait_until("another is told", tell)
            cluster.wait_until("the node is seen to be down",
                               lambda: any(state.startswith("down") for state in cluster.states()))
            cluster.start_node("node2")
            self.end(cluster)
            self.assertEqual(self.merged(), self.whole(), self.texts())
            self.assertIn("passed", self.said_by_merge())
            self.assertEqual(self.kept(), set())
            # Each of the three went on from what it had.
            for task in (killed, told, lost):
                self.assertIn("goes on", self.said(task), f"shard {task}")

            # The same folder again, and a policy that is not kept.
            self.submit(cluster, 0.1)
            self.end(cluster)
            self.assertEqual(self.merged(), self.whole())
            self.assertIn("failed", self.said_by_merge())

    def whole(self):
        with open(os.path.join(self.path, "whole.json"), encoding="utf-8") as stream:
            return without_run(stream.read())

    def said_by_merge(self):
        with open(os.path.join(self.work, "detcheck-exp", "merge.txt"), encoding="utf-8") as stream:
            return stream.read()


if __name__ == "__main__":
    unittest.main()
