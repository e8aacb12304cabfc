"""No object files need each other in a circle, and no room needs one that it may not use.

For each object file of the library, of detmath and of the program, `nm` tells what it defines and
what it needs from elsewhere."""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import circles
import rooms

ROOT = pathlib.Path(os.environ['SOURCES'])
NM = os.environ.get('NM') or shutil.which('nm')
TARGETS = re.compile(r'(?:^|/)(detcheck|detcheck_core|detmath|detmath_\w+)\.dir/')


def objects():
    """The source and the object file of each compilation that the product is made of."""
    for entry in json.loads(pathlib.Path(os.environ['COMMANDS']).read_text()):
        output = re.search(r' -o (\S+)', entry['command'])[1]
        source = pathlib.Path(entry['file'])
        ours = source.is_relative_to(ROOT / 'src') or source.is_relative_to(ROOT / 'cmd')
        if ours and TARGETS.search(output):
            yield str(source.relative_to(ROOT)), pathlib.Path(entry['directory']) / output


def symbols(paths):
    """For each object file the names that it defines for others, and those that it needs; one nm reads them all."""
    found = {str(path): (set(), set()) for path in paths}
    told = subprocess.run([NM, '-A', '-P', *found], capture_output=True, text=True)
    if told.returncode:
        if 'file format not recognized' in told.stderr:  # clang's bitcode
            print(f'skipped: {NM} cannot read all of them: {told.stderr.strip().splitlines()[0]}')
            sys.exit(77)
        raise OSError(f'{NM} cannot read all of them: {told.stderr.strip()}')
    for line in told.stdout.splitlines():
        path, words = line.split(': ', 1)
        name, kind = words.split()[:2]
        defined, needed = found[path]
        if kind in 'Uwv':
            needed.add(name)
        elif kind.isupper():
            defined.add(name)
    return found


circles.check_itself()
rooms.check_itself()
if not NM:
    print('skipped: there is no nm')
    sys.exit(77)
definers, needs = collections.defaultdict(set), collections.defaultdict(set)
compiled = list(objects())
found = symbols(path for _, path in compiled)
for source, path in compiled:
    defined, needed = found[str(path)]
    needs[source] |= needed
    for name in defined:
        definers[name].add(source)
assert len(needs) > 100 and len(definers) > 400, (len(needs), len(definers))

ties = collections.defaultdict(lambda: collections.defaultdict(set))
for source, names in needs.items():
    for name in names:
        for definer in definers.get(name, ()):
            if definer != source:
                ties[source][definer].add(name)

faults = []
for circle in circles.circles(ties):
    faults.append('these need each other in a circle:')
    faults += [f'  {source} needs {", ".join(sorted(ties[source][used]))} of {used}'
               for source in circle for used in sorted(ties[source]) if used in circle]
faults += [f'{source}: {rooms.room(source)} may not use {", ".join(sorted(names))} of {used}'
           for source, useds in sorted(ties.items()) for used, names in sorted(useds.items())
           if not rooms.may_use(rooms.room(source), rooms.room(used))]
print('\n'.join(faults) or f'{len(needs)} object files, {len(definers)} symbols, no circle')
sys.exit(1 if faults else 0)
