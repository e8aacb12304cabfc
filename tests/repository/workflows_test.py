"""The hosted workflows call what there is: presets that CMake knows, scripts that can be run, lists that exist."""

import json
import os
import re
import subprocess
import unittest

from sources import ROOT, files, read

try:
    import yaml
except ImportError:
    yaml = None

WORKFLOWS = [path for path in files() if path.startswith(".github/workflows/")]
CMAKE = os.environ["CMAKE"]


def presets():
    """{"workflow": {"test", ...}, "test": {...}, ...}: the names that CMakePresets.json has of each kind."""
    document = json.loads(read("CMakePresets.json"))
    return {kind: {preset["name"] for preset in document[kind + "Presets"]}
            for kind in ("configure", "build", "test", "workflow")}


def called(command):
    """(kind, name) of each preset that a shell command names."""
    for part in re.split(r"&&|;|\n", command):
        for name in re.findall(r"--preset[ =](\w+)", part):
            words = part.split()
            if words[0] == "ctest":
                yield "test", name
            elif "--workflow" in words:
                yield "workflow", name
            else:
                yield ("build" if "--build" in words else "configure"), name


class Presets(unittest.TestCase):
    def test_cmake_understands_them(self):
        said = subprocess.run([CMAKE, "--list-presets=all"], cwd=ROOT, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=True).stdout
        for names in presets().values():
            for name in names:
                self.assertIn(f'"{name}"', said)

    def test_scripts_and_documents_name_presets_that_there_are(self):
        known = presets()
        for path in files():
            if path.startswith((".ci/", "man/")) or path.endswith(".md"):
                for command in re.findall(r"(?:cmake|ctest)\b[^\n`]*--preset[^\n`]*", read(path)):
                    for kind, name in called(command):
                        with self.subTest(path=path, command=command):
                            self.assertIn(name, known[kind])


def listed(path):
    """The Debian packages of a list, each choice of a line."""
    lines = (line.split("#")[0] for line in read(path).splitlines())
    return {name.strip() for line in lines if line.strip() for name in line.split("|")}


class Packages(unittest.TestCase):
    """Whoever only builds installs .ci/packages alone."""

    def test_each_package_that_cmake_asks_for_is_in_the_list_of_whoever_meets_it(self):
        for cmake_lists, packages in (("CMakeLists.txt", ".ci/packages"), ("tests/CMakeLists.txt", ".ci/packages-test")):
            asked = set(re.findall(r"^detcheck_need\(.* (\S+)\)$", read(cmake_lists), re.MULTILINE))
            self.assertTrue(asked, cmake_lists)
            self.assertLessEqual(asked, listed(packages))

    def test_no_package_is_in_two_lists_of_those_that_are_installed_together(self):
        self.assertEqual(listed(".ci/packages") & listed(".ci/packages-test"), set())

    def test_whoever_only_builds_installs_no_package_for_tests(self):
        readme = read("README.md")
        self.assertIn("\n.ci/setup && cmake --workflow --preset release", readme)
        self.assertIn("\n.ci/setup .ci/packages-test && cmake --workflow --preset test\n", readme)
        self.assertIn(re.search(r"^\.ci/setup.*", read(".ci/run"), re.MULTILINE)[0], readme)


@unittest.skipUnless(yaml, "python3-yaml is not installed")
class Workflows(unittest.TestCase):
    def steps(self):
        """(path, step) of every step of every job."""
        for path in WORKFLOWS:
            for job in yaml.safe_load(read(path))["jobs"].values():
                for step in job["steps"]:
                    with self.subTest(path=path, step=step):
                        yield path, step

    def commands(self):
        for path, step in self.steps():
            if "run" in step:
                yield path, step["run"]

    def test_each_has_a_name_an_occasion_and_jobs_with_an_end(self):
        self.assertTrue(WORKFLOWS)
        for path in WORKFLOWS:
            with self.subTest(path=path):
                document = yaml.safe_load(read(path))
                self.assertEqual(document["name"], os.path.basename(path).removesuffix(".yml"))
                self.assertTrue(document[True])  # YAML 1.1 reads `on` as true
                self.assertEqual(document["permissions"], {"contents": "read"})
                for job in document["jobs"].values():
                    self.assertGreater(job["timeout-minutes"], 0)
                    self.assertIn("actions/checkout@", job["steps"][0]["uses"])

    def test_every_preset_that_they_name_is_there(self):
        known = presets()
        for _, command in self.commands():
            for kind, name in called(command):
                self.assertIn(name, known[kind])

    def test_every_script_and_list_that_they_name_is_there(self):
        for _, command in self.commands():
            for word in command.split():
                if word.startswith(".ci/"):
                    path = os.path.join(ROOT, word)
                    self.assertTrue(os.path.isfile(path), word)
                    self.assertTrue("packages" in word or os.access(path, os.X_OK), word)

    def test_together_they_run_every_preset_of_tests(self):
        scripts = "\n".join(read(word) for _, command in self.commands() for word in command.split()
                            if word.startswith(".ci/") and "packages" not in word)
        text = "\n".join(command for _, command in self.commands()) + "\n" + scripts
        run = {name for kind, name in called(text) if kind in ("workflow", "test")}
        self.assertLessEqual(presets()["test"], run)


if __name__ == "__main__":
    unittest.main()
