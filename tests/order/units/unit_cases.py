"""Cases of real matrix units, committed (README) or in a folder as they were published, for the program unit_cases."""
import lzma
import os
import pathlib
import re
import struct
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
FORMATS = {'fp16': 'fp16', 'bf16': 'bf16', 'tf32': 'tf32', 'e4m3': 'fp8_e4m3fn', 'e5m2': 'fp8_e5m2'}
DIGITS = {'fp16': 4, 'bf16': 4, 'tf32': 8, 'e4m3': 2, 'e5m2': 2}
# wgmma of Hopper was called without c where the result is fp32.
WITHOUT_C = {(unit, name) for unit in ('h100', 'h200') for name in ('e4m3', 'e5m2')}


def fp16(code):
    """The code of an fp32 number rounded to fp16, to nearest even."""
    value, = struct.unpack('<f', struct.pack('<I', int(code, 16)))
    return '%04x' % struct.unpack('<H', struct.pack('<e', value))[0]


def narrowed(codes, name):
    """tf32 codes from their containers of 32 bits."""
    return ' '.join('%x' % (int(code, 16) >> 13) for code in codes.split()) if name == 'tf32' else codes


def lines_of(unit, name, a, b, c, d, d16=None, with_c=None):
    """A case as lines for the program: one for each result. with_c: whether c is in those to fp32; None: where the unit got it."""
    a, b, c, d = narrowed(a, name), narrowed(b, name), c.strip(), d.strip()
    if with_c is None:
        with_c = (unit, name) not in WITHOUT_C
    shown_c = c if with_c else ''
    yield f'{unit} {FORMATS[name]} fp32 | {a} | {b} | {shown_c} | {d}'
    if d16:
        yield f'{unit} {FORMATS[name]} fp16 | {a} | {b} | {fp16(c)} | {fp16(d16)}'


def published(folder):
    """Of a folder of UNIT_FORMAT.txt.xz."""
    for path in sorted(pathlib.Path(folder).glob('*.txt.xz')):
        unit, name = path.name.split('.')[0].split('_')
        for line in lzma.decompress(path.read_bytes()).decode().splitlines():
            yield from lines_of(unit, name, *line.split('|'))


def committed_files():
    """(unit, format, cases) of the committed files; a case is a, b, c and one d or two. Operands stand once, beside what each unit got
    and returned; units take the first of them, as many as the head says."""
    for path in sorted(HERE.glob('*.cases')):
        head, *lines = path.read_text().splitlines()
        width = DIGITS[path.stem]
        for place, word in enumerate(head.split()):
            unit, count = word.split(':')
            cases = []
            for line in lines:
                a, b, *results = line.split('|')
                a, b = (' '.join(codes[i * width:(i + 1) * width] for i in range(int(count))) for codes in (a, b))
                cases.append((a, b, *results[place].split()))
            yield unit, path.stem, cases


def committed():
    for unit, name, cases in committed_files():
        for case in cases:
            yield from lines_of(unit, name, *case)


def held(cases, fault='none'):
    """Rows (unit, format, accumulator, cases, wrong), and the first wrong case of each."""
    run = subprocess.run([os.environ['UNIT_CASES'], fault], input='\n'.join(cases) + '\n', text=True,
                         capture_output=True)
    if run.returncode:
        raise AssertionError(f'unit_cases ended with {run.returncode}: {run.stderr}')
    rows = [re.match(r'(\S+) (\S+) (\S+) (\d+) (\d+)$', line).groups() for line in run.stdout.splitlines()]
    return [(*row[:3], int(row[3]), int(row[4])) for row in rows], run.stderr


def faults():
    return [name for name, in table('--faults')][1:]


def table(option):
    """What the program prints of all rows, as words of a line each."""
    text = subprocess.run([os.environ['UNIT_CASES'], option], text=True, capture_output=True, check=True).stdout
    return [tuple(line.split()) for line in text.splitlines()]


def rows():
    """All rows, by unit, format and accumulator."""
    return [row[:3] for row in table('--rows')]
