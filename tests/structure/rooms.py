"""The rooms of the house, and which way their arrows run."""

import os
import pathlib
import re

SOURCES = pathlib.Path(os.environ['SOURCES'])


def table():
    """A room may use those that its row of the table in ARCHITECTURE.md names, what those use, and so on."""
    text = (SOURCES / 'ARCHITECTURE.md').read_text().split('## The rooms\n')[1].split('\n## ')[0]
    rows = re.findall(r'^\| `(\w+)` \|.*\|([^|]*)\|$', text, re.M)
    return {name: re.findall(r'`(\w+)`', uses) for name, uses in rows}


ROOMS = table()
ROOMS['cmd'] = list(ROOMS)  # on top of all
NO_ROOMS = {'package', 'python'}  # which hold no C


def room(path):
    """Of a path from the repository's root: cmd/main.c is in cmd, src/op/table.c in op."""
    parts = path.split('/')
    return parts[0] if parts[0] != 'src' else parts[1]


def may_use(user, used):
    """Whether there is a way along the arrows. A room that has no row may use nothing."""
    return user == used or any(may_use(step, used) for step in ROOMS.get(user, ()))


def check_itself():
    folders = {path.name for path in (SOURCES / 'src').iterdir() if path.is_dir()} - NO_ROOMS
    assert set(ROOMS) == folders | {'cmd'}, f'the table has {sorted(ROOMS)}, src has {sorted(folders)}'
    assert room('cmd/main.c') == 'cmd' and room('src/op/array/scan.c') == 'op'
    assert may_use('cmd', 'base') and may_use('sweep', 'oracle') and may_use('op', 'op')
    assert not may_use('oracle', 'impl') and not may_use('detmath', 'base')
    assert not may_use('attic', 'base') and not may_use('gate', 'page')
    assert not may_use('base', 'format')
