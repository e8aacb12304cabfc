"""The files of the repository, for the tests beside this one.

Environment: SOURCE, the repository's folder.
"""

import functools
import os
import shutil
import subprocess

ROOT = os.environ["SOURCE"]
NO_SOURCES = {".git", "build", "out", "__pycache__"}


@functools.lru_cache(maxsize=None)
def files():
    """The paths of all files, from the root: those that git tracks, or all that are there where the sources have no git."""
    tracked = []
    if shutil.which("git"):
        done = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        tracked = done.stdout.decode().split("\0")
    if len(tracked) > 1:
        return sorted(path for path in tracked if os.path.isfile(os.path.join(ROOT, path)))
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in NO_SOURCES]
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names]
    return sorted(found)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as stream:
        return stream.read()
