"""The container image, made in roots of Debian by the steps of its Dockerfile: it is small, and it runs.

Environment: SOURCE.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import unittest

from clean_root import CleanRoot, why_not

SOURCE = os.environ["SOURCE"]
MOST_BYTES = 60_000_000  # compressed, as a registry keeps it: Debian slim alone has 28 million, and 77 million unpacked


def stages():
    """[(image, name, [(instruction, text), ...]), ...] of the Dockerfile."""
    with open(os.path.join(SOURCE, "src/package/Dockerfile"), encoding="ascii") as stream:
        text = re.sub(r"\\\n", "", re.sub(r"^#.*\n", "", stream.read(), flags=re.MULTILINE))
    found = []
    for line in filter(None, text.splitlines()):
        instruction, rest = line.split(" ", 1)
        if instruction == "FROM":
            image, *name = rest.split(" AS ")
            found.append((image, name[0] if name else "", []))
        else:
            found[-1][2].append((instruction, rest))
    return found


class Image(unittest.TestCase):
    def test_the_stages_are_debian_slim_and_copy_what_there_is(self):
        (first, name, build), (second, _, run) = stages()
        self.assertEqual((first, second), ("debian:bookworm-slim",) * 2)
        for _, text in build + run:
            for path in re.findall(r"(?<![\w/])(?:\.ci|src/package)/[\w-]+", text):
                self.assertTrue(os.path.exists(os.path.join(SOURCE, path)), path)
            for source in re.findall(r"--mount=from=(\w+)", text):
                self.assertEqual(source, name)

    def take(self, root, others, instructions):
        folder, entry = "/", []
        for instruction, text in instructions:
            if instruction == "WORKDIR":
                folder = text
                root.folder(folder)
            elif instruction == "COPY":
                self.assertEqual(text.split()[0], ".")
                root.copy_sources(SOURCE, text.split()[1])
            elif instruction == "ENTRYPOINT":
                entry = re.findall(r'"(.*?)"', text)
            else:
                self.assertEqual(instruction, "RUN")
                mount = re.match(r"--mount=from=(\w+),source=(\S+),target=(\S+) +", text)
                if mount:  # a mount is no part of the image: what is copied for it is taken away again
                    shutil.copytree(others[mount[1]].inside(mount[2]), root.inside(mount[3]),
                                    ignore=lambda _, names: [one for one in names if not one.endswith(".deb")])
                root.run(["sh", "-c", text[mount.end():] if mount else text], folder=folder)
                if mount:
                    shutil.rmtree(root.inside(mount[3]))
        return folder, entry

    def size(self, root, through):
        """The bytes of a root as a layer of an image, through a program."""
        path = shlex.quote(root.path)
        return int(subprocess.run(f"tar -C {path} --exclude='./dev/*' --exclude='./proc/*' -c . | {through} | wc -c", shell=True,
                                  stdout=subprocess.PIPE, check=True).stdout)

    @unittest.skipIf(why_not(), why_not())
    def slow_the_image_is_small_and_runs(self):
        (_, name, build), (_, _, run) = stages()
        with CleanRoot() as builder, CleanRoot() as image:
            self.take(builder, {}, build)
            folder, entry = self.take(image, {name: builder}, run)
            size, unpacked = (self.size(image, through) for through in ("gzip", "cat"))
            print(f"the image has {size:,} bytes compressed, {unpacked:,} unpacked", flush=True)
            self.assertLess(size, MOST_BYTES)
            image.run([*entry, "sweep", "exp", "-f", "fp16", "--json", "report.json"], folder=folder)
            result, = json.loads(image.read(folder + "/report.json"))["results"]
            self.assertEqual([one["tested"] for one in result["implementations"]], [65536] * len(result["implementations"]))
            self.assertTrue(result["implementations"])


if __name__ == "__main__":
    unittest.main()
