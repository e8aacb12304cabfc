"""Runs what `detcheck plan` prints for schedulers that are not here, one shard after the other."""

import os
import re
import stat
import subprocess
import sys

import yaml

# Takes a script on standard input and runs it: an array's task by task. Says a number, as sbatch does.
SBATCH = """\
#!{python}
import os, re, subprocess, sys
script = sys.stdin.read()
settings = dict(re.findall(r"^#SBATCH --([a-z-]+)(?:=(.*))?$", script, re.M))
first, last = map(int, settings.get("array", "0-0").split("-"))
for task in range(first, last + 1):
    extra = {{}}
    if "array" in settings:
        extra = dict(SLURM_ARRAY_TASK_ID=str(task), SLURM_ARRAY_TASK_MIN=str(first), SLURM_ARRAY_TASK_MAX=str(last),
                     SLURM_ARRAY_TASK_COUNT=str(last - first + 1))
    with open(settings["output"].replace("%a", str(task)), "a") as out:
        code = subprocess.run(["sh", "-c", script], env=dict(os.environ, **extra), stdout=out, stderr=out).returncode
    if code:
        sys.exit(f"{{settings['output']}} ends with {{code}}")
print(7)
"""


def path_with(program):
    """A PATH on which `program` is the first detcheck."""
    return os.path.dirname(os.path.abspath(program)) + ":" + os.environ["PATH"]


def shell(script, directory, environment):
    done = subprocess.run(["sh", "-c", script], cwd=directory, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=300, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{script}\nends with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def run_slurm(text, directory, environment):
    """With an sbatch that runs each task at once."""
    commands = os.path.join(directory, "commands")
    os.makedirs(commands, exist_ok=True)
    with open(os.path.join(commands, "sbatch"), "w", encoding="utf-8") as stream:
        stream.write(SBATCH.format(python=sys.executable))
    os.chmod(os.path.join(commands, "sbatch"), stat.S_IRWXU)
    shell(text, directory, dict(environment, PATH=commands + ":" + environment["PATH"]))


def kubernetes_expands(script):
    """What Kubernetes makes of a container's args: $$ is $, and $(NAME) a variable, where there is one; each pod has this."""
    known = {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}
    return re.sub(r"\$(\$|\(([^)]*)\))", lambda at: "$" if at[1] == "$" else known.get(at[2], at[0]), script)


def run_kubernetes(text, directory, environment):
    """The containers of each job, in the folder that is their volume."""
    for document in yaml.safe_load_all(text):
        if document["kind"] != "Job":
            continue
        container, = document["spec"]["template"]["spec"]["containers"]
        script, = container["args"]
        for number in range(document["spec"].get("completions", 1)):
            shell(kubernetes_expands(script), directory, dict(environment, JOB_COMPLETION_INDEX=str(number)))


def run_github(text, directory, environment):
    """The steps of each job that run something; artifacts go by folders."""
    workflow = yaml.safe_load(text)
    for job in workflow["jobs"].values():
        for number in job.get("strategy", {}).get("matrix", {}).get("shard", [0]):
            for step in job["steps"]:
                values = {"matrix.shard": str(number), "'${{'": "${{"}
                script = re.sub(r"\$\{\{ (.*?) \}\}", lambda at: values[at[1]], step.get("run", ""))
                shell(script, directory, environment)
                if step.get("uses", "").startswith("actions/upload-artifact") and "matrix" in step["with"]["path"]:
                    name = step["with"]["path"].replace("${{ matrix.shard }}", str(number))
                    os.makedirs(os.path.join(directory, workflow["name"]), exist_ok=True)
                    os.rename(os.path.join(directory, name), os.path.join(directory, workflow["name"], name))
