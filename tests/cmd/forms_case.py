"""What tests of forms share: planted kernels, the text of explain, and results as numbers."""

import json
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import with_numpy  # noqa: E402,F401  the planted kernels are numpy's
from harness import Case  # noqa: E402

import numpy as np  # noqa: E402


class FormsCase(Case):
    def planted(self, *words):
        return f"exec:{sys.executable} {os.environ['PLANTED_KERNELS']} {' '.join(words)}"

    def explained(self, *words):
        ran = self.run_program("explain", *words)
        self.assertEqual(ran.returncode, 1, ran.stderr.decode())
        return ran.stdout.decode()

    def results(self, *words, of=np.float32):
        """The first result's elements, as numbers of fp32 or fp64."""
        words = [*words[:1], "-f", f"fp{8 * of().nbytes}", *words[1:]]
        found = json.loads(self.succeed("eval", *words, "--json", "-"))["results"][0]["elements"]
        return np.array([int(one["implementations"][0]["got"], 16) for one in found], f"u{of().nbytes}").view(of)
