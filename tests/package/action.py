"""Runs a job of a workflow as the hosted runner does, as far as this repository's own action needs it.

Steps with `run` are run by bash in the folder of the workspace. Steps that use an action of others are not run: the test
sees which they were, with what they were given. The action beside the workflow is read and its steps are run in turn.
"""

import os
import re
import subprocess

import yaml


class Runner:
    """`call(words, environment, folder)` runs a command and returns its status. It may run elsewhere, in a root of its own: `places`
    of a step are the two folders as that command sees them."""

    def __init__(self, repository, workspace, call=None):
        self.repository, self.workspace, self.call = repository, workspace, call or self.call_here
        self.used, self.status = [], 0

    @staticmethod
    def call_here(words, environment, folder):
        return subprocess.run(words, env={**os.environ, **environment}, cwd=folder, check=False).returncode

    def expand(self, text, known):
        """Replaces ${{ NAME }} by its value; an unknown name is an error of the workflow."""
        return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda found: known[found[1]], text)

    def condition(self, text, known):
        """A condition of && over always(), ==, != and names, as the action has them."""
        holds = "always()" in text or not self.status
        for part in filter(None, map(str.strip, text.split("&&"))):
            compared = re.fullmatch(r"([\w.-]+) (==|!=) '(.*)'", part)
            if compared:
                holds &= (known.get(compared[1], "") == compared[3]) == (compared[2] == "==")
            elif part != "always()":
                raise ValueError(f"condition {part}")
        return holds

    def action(self, inputs, places):
        """The steps of the action with these inputs; `places` are the folders as the commands see them."""
        with open(os.path.join(self.repository, ".github/actions/gate/action.yml"), encoding="utf-8") as stream:
            document = yaml.safe_load(stream)
        unknown = set(inputs) - set(document["inputs"])
        if unknown:
            raise ValueError(f"the action has no inputs {unknown}")
        known = {}
        for name, row in document["inputs"].items():
            if row.get("required") and name not in inputs:
                raise ValueError(f"the action wants {name}")
            known[f"inputs.{name}"] = inputs.get(name, row.get("default"))
        for step in document["runs"]["steps"]:
            if self.condition(step.get("if", ""), known):
                self.step(step, known, places)

    def step(self, step, known, places):
        environment = {name: self.expand(text, known) for name, text in step.get("env", {}).items()}
        if "uses" in step:
            given = {name: self.expand(text, known) for name, text in step.get("with", {}).items()}
            self.used.append((step["uses"], given))
            return
        output = os.path.join(self.workspace, ".output")
        with open(output, "w", encoding="utf-8"):
            pass
        environment |= {"GITHUB_ACTION_PATH": places["repository"] + "/.github/actions/gate", "GITHUB_ACTIONS": "true",
                        "GITHUB_OUTPUT": places["workspace"] + "/.output",
                        "GITHUB_STEP_SUMMARY": places["workspace"] + "/.summary"}
        self.status = self.call(["bash", "-e", "-o", "pipefail", "-c", step["run"]], environment, places["workspace"]) or self.status
        with open(output, encoding="utf-8") as stream:
            for name, _, value in (line.rstrip("\n").partition("=") for line in stream):
                known[f"steps.{step['id']}.outputs.{name}"] = value


def manual_workflow(source):
    """The workflow that detcheck-ci(7) has for copying."""
    with open(os.path.join(source, "man/detcheck-ci.7"), encoding="ascii") as stream:
        text = stream.read()
    return yaml.safe_load(re.search(r"^\.Bd -literal\n(name: .*?)^\.Ed$", text, re.MULTILINE | re.DOTALL)[1])
