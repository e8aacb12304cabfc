"""The manifest for Kubernetes and the workflow for GitHub, by their schemas."""

import importlib.util
import subprocess
import sys
import unittest

from harness import Case

PLAN = ("plan", "exp", "sin", "-f", "fp32,fp64", "--impl", "libm", "--shard-seconds", "600", "--gate", "a policy.json")


def needs(module, package):
    return unittest.skipUnless(importlib.util.find_spec(module), f"no {module}: .ci/cluster installs {package}")


class Manifests(Case):
    @needs("kubernetes_validate", "kubernetes-validate")
    def test_kubernetes(self):
        import kubernetes_validate
        import yaml
        text = self.succeed(*PLAN, "--for", "kubernetes", "--shards", 100)
        documents = list(yaml.safe_load_all(text))
        self.assertEqual([one["kind"] for one in documents], ["PersistentVolumeClaim", "Job", "Job"])
        for version in ("1.27.0", kubernetes_validate.latest_version()):
            for one in documents:
                kubernetes_validate.validate(one, version, strict=True)
        documents[1]["spec"]["completionMod"] = "Indexed"  # the schema tells
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(documents[1], kubernetes_validate.latest_version(), strict=True)

    @needs("check_jsonschema", "check-jsonschema")
    def test_github(self):
        self.file("plan.yaml", self.succeed(*PLAN, "--for", "github", "--shards", 256))
        self.file("wrong.yaml", self.succeed(*PLAN, "--for", "github", "--shards", 2).replace("runs-on", "runs-in"))
        for name, code in (("plan.yaml", 0), ("wrong.yaml", 1)):
            done = subprocess.run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", name],
                                  cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True)
            self.assertEqual(done.returncode, code, done.stdout)


if __name__ == "__main__":
    unittest.main()
