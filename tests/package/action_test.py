"""The gate as an action of a hosted CI, in someone else's repository: the manual's workflow, run step by step.

Environment: DETCHECK; CC; SOURCE. The slow methods build the program in a clean root of Debian.
"""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

from clean_root import CleanRoot, why_not

try:
    import yaml
    from action import Runner, manual_workflow
except ImportError:
    yaml = None

SOURCE, PROGRAM, CC = (os.environ[name] for name in ("SOURCE", "DETCHECK", "CC"))
VENDOR = """#include <math.h>
float vendor_expf(float x) { return expf(x); }
float vendor_sinf(float x) { return sinf(x) * ERROR; }
"""


def gate_step(workflow):
    """What the manual's workflow gives the action."""
    steps = workflow["jobs"]["gate"]["steps"]
    step, = [step for step in steps if "/.github/actions/gate@" in step.get("uses", "")]
    return step["with"]


@unittest.skipUnless(yaml, "python3-yaml is not installed")
class Action(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="detcheck-test-")
        self.addCleanup(folder.cleanup)
        self.workspace = folder.name
        with open(os.path.join(self.workspace, "vendor.c"), "w", encoding="ascii") as stream:
            stream.write(VENDOR)

    def build_vendor(self, error):
        subprocess.run([CC, "-O2", "-shared", "-fPIC", f"-DERROR={error}", "vendor.c", "-o", "libvendor.so", "-lm"],
                       cwd=self.workspace, check=True)

    def act(self, **inputs):
        runner = Runner(SOURCE, self.workspace)
        given = {**gate_step(manual_workflow(SOURCE)), "program": PROGRAM, **inputs}
        runner.action(given, {"repository": SOURCE, "workspace": self.workspace})
        return runner

    def read(self, *path):
        with open(os.path.join(self.workspace, *path), encoding="utf-8") as stream:
            return stream.read()

    def test_a_right_library_passes_and_the_page_is_kept(self):
        self.build_vendor("1.0f")
        runner = self.act()
        self.assertEqual(runner.status, 0)
        uploaded, kept = runner.used
        self.assertTrue(uploaded[0].startswith("github/codeql-action/upload-sarif@"))
        self.assertEqual(kept[1]["path"], "detcheck-reports")
        report = json.loads(self.read("detcheck-reports", "report-1.json"))
        names = [result["operation"] for result in report["results"]]
        self.assertEqual(names, ["exp", "sin"])
        self.assertEqual([one["implementations"][0]["tested"] for one in report["results"]], [65536, 65536])
        self.assertIn("<html", self.read("detcheck-reports", "report.html"))
        self.assertIn("### detcheck gate: passed\n", self.read(".summary"))

    def test_a_worse_library_fails_and_is_reported_all_the_same(self):
        self.build_vendor("1.01f")
        runner = self.act()
        self.assertEqual(runner.status, 1)
        self.assertEqual([name.split("@")[0] for name, _ in runner.used],
                         ["github/codeql-action/upload-sarif", "actions/upload-artifact"])
        sarif = json.loads(self.read("detcheck-reports", "gate.sarif"))
        names = {one["locations"][0]["logicalLocations"][0]["fullyQualifiedName"].split("/")[0] for one in sarif["runs"][0]["results"]}
        self.assertEqual(names, {"sin"})
        self.assertIn("sin fp16", self.read(".summary"))

    def test_without_sarif_nothing_is_uploaded_to_code_scanning(self):
        self.build_vendor("1.0f")
        runner = self.act(sarif="false")
        self.assertEqual([name.split("@")[0] for name, _ in runner.used], ["actions/upload-artifact"])

    def test_a_baseline_and_a_policy_are_given_on(self):
        self.build_vendor("1.0f")
        self.assertEqual(self.act().status, 0)
        os.rename(os.path.join(self.workspace, "detcheck-reports", "report-1.json"), os.path.join(self.workspace, "old.json"))
        self.build_vendor("1.0001f")
        self.assertEqual(self.act(operations="exp sin -f fp16", limits="").status, 2)
        self.assertEqual(self.act(operations="exp sin -f fp16", limits="", baseline="old.json").status, 1)
        for rule, status in (({"max_ulp": 5000}, 0), ({"promise": {"ulp": 5000}}, 0), ({"promise": {"ulp": 0.1}}, 1)):
            with self.subTest(rule=rule):
                policy = {"schema": "detcheck/policy/1", "rules": [{"operation": "*", **rule}]}
                with open(os.path.join(self.workspace, "policy.json"), "w", encoding="ascii") as stream:
                    json.dump(policy, stream)
                self.assertEqual(self.act(operations="exp sin -f fp16", limits="", policy="policy.json").status, status)

    def test_inputs_that_say_nothing_end_with_2(self):
        self.build_vendor("1.0f")
        for inputs in ({"operations": "\n \n"}, {"operations": "exp -f 'fp16"}, {"operations": "exp -f fp7"},
                       {"limits": "--max-ulp 'x"}, {"implementation": "lib:./none.so"}):
            with self.subTest(inputs=inputs):
                runner = self.act(**inputs)
                self.assertEqual(runner.status, 2)
                self.assertEqual([name for name, _ in runner.used if "sarif" in name], [])

    @unittest.skipIf(why_not(), why_not())
    def slow_the_manuals_workflow_passes_on_a_fresh_machine(self):
        with CleanRoot() as root:
            root.copy_sources(SOURCE, "/detcheck")
            workspace = root.folder("/work")
            shutil.copy(os.path.join(self.workspace, "vendor.c"), workspace)
            workflow = manual_workflow(SOURCE)
            for step in workflow["jobs"]["gate"]["steps"]:
                if "run" in step:
                    root.run(["bash", "-e", "-c", step["run"].replace("gcc -O2", "gcc -DERROR=1.0f -O2")], folder="/work")
            runner = Runner(SOURCE, workspace, call=root.call)
            for _ in range(2):  # the second time the program is taken from the cache
                runner.action(gate_step(workflow), {"repository": "/detcheck", "workspace": "/work"})
                self.assertEqual(runner.status, 0)
            keys = [given["key"] for name, given in runner.used if name.startswith("actions/cache@")]
            self.assertEqual(len(keys), 2)
            self.assertEqual(keys[0], keys[1])
            self.assertRegex(keys[0], r"^detcheck-debian-\d+-\w+-[0-9a-f]{32}$")
            report = json.loads(root.read("/work/detcheck-reports/report-1.json"))
            self.assertEqual(report["results"][0]["implementations"][0]["tested"], 65536)


if __name__ == "__main__":
    unittest.main()
