"""The rooms of src/ include each other's headers in one direction: that of the table in ARCHITECTURE.md."""

import re
import unittest

from sources import files, read

# src/package holds no code.
NO_ROOMS = {"package"}


def rooms():
    """From the top of the table: each room may include those before it."""
    table = read("ARCHITECTURE.md").split("## The rooms\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


def includes():
    """(path, room, room that it includes a header of), for every #include of the program and its rooms."""
    for path in files():
        if not path.endswith((".c", ".h", ".inc")) or not path.startswith(("src/", "cmd/")):
            continue
        room = path.split("/")[1] if path.startswith("src/") else "cmd"
        for included in re.findall(r'^\s*#\s*include "([^"]+)"', read(path), re.MULTILINE):
            if "/" in included:
                yield path, room, included.split("/")[0]


class Rooms(unittest.TestCase):
    def test_the_table_has_every_folder_of_src(self):
        folders = {path.split("/")[1] for path in files() if re.match(r"src/\w+/", path)}
        self.assertEqual(sorted(rooms()), sorted(folders - NO_ROOMS))

    def test_no_room_includes_headers_of_one_below_it(self):
        place = {name: index for index, name in enumerate([*rooms(), "cmd"])}
        found = list(includes())
        self.assertGreater(len(found), 500)
        upwards = [(path, other) for path, room, other in found
                   if room in place and other in place and place[other] > place[room]]
        self.assertEqual(upwards, [])


if __name__ == "__main__":
    unittest.main()
