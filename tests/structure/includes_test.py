"""No file includes itself by way of others, and no room includes one that it may not use."""
import collections
import os
import pathlib
import re
import sys

import circles
import rooms

ROOT = pathlib.Path(os.environ['SOURCES'])
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def sources():
    for folder in ('cmd', 'src'):
        for path in sorted((ROOT / folder).rglob('*')):
            if path.suffix in ('.c', '.h', '.inc'):
                yield path.relative_to(ROOT)


def find(includer, name):
    """The file of ours that the name stands for, or None: a generated one."""
    for place in (includer.parent, pathlib.Path('src')):
        path = pathlib.Path(os.path.normpath(place / name))
        if (ROOT / path).exists():
            return path
    return None


circles.check_itself()
rooms.check_itself()
arrows = collections.defaultdict(set)
for source in sources():
    for name in INCLUDE.findall((ROOT / source).read_text()):
        used = find(source, name)
        if used:
            arrows[str(source)].add(str(used))
assert len(arrows) > 150, f'only {len(arrows)} files include any other: are these the sources?'

faults = ['these include each other in a circle: ' + ', '.join(circle)
          for circle in circles.circles(arrows)]
faults += [f'{source}: {rooms.room(source)} may not use {rooms.room(used)}: {used}'
           for source, useds in sorted(arrows.items()) for used in sorted(useds)
           if not rooms.may_use(rooms.room(source), rooms.room(used))]
print('\n'.join(faults) or f'{len(arrows)} files include others, none in a circle')
sys.exit(1 if faults else 0)
