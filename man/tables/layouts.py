"""How rows of data files look in a manual page: each layout makes lines of mdoc from rows and the columns to be shown."""
import itertools
import re
import textwrap

from measured import NOT_RECORDED

WIDTH, TEXT_WIDTH = 75, 78  # of a display, which mandoc indents; of a line of the source
ITEM_WIDTH, MOST_LINES, LONG_ITEM = 63, 6, 200  # of a paragraph of a list; characters of an item that is not repeated
MOST_WORD, LONG_WORD = 17, 60  # characters, of a word that no line of a cell breaks; of one that no line of text breaks
NO_NUMBER = ("-", "?", "none", "")  # what stands in a column of numbers where there is none


def is_number(text):
    return re.match(r"-?[\d.,]+(e[+-]?\d+)?[*!<=%]*$", text) is not None or text in NO_NUMBER


def escaped(line):
    return ("\\&" if line[:1] in (".", "'") else "") + line.replace("\\", "\\e")


def sentences(text):
    """Lines of the source: each line of the text is a sentence, which mdoc wants to begin a line."""
    for sentence in text.split("\n"):
        for line in textwrap.wrap(sentence.replace(" ...", "\0..."), TEXT_WIDTH, break_on_hyphens=False, break_long_words=False):
            yield re.sub(rf"\S{{{LONG_WORD},}}", lambda word: word[0].replace("/", "/\\:"), escaped(line.replace("\0", " ")))


def height(parts):
    return len(textwrap.wrap("  ".join(parts), ITEM_WIDTH))


def outside(text, sign):
    """The text in parts behind a sign, but not behind one in parentheses."""
    depth, parts = 0, [""]
    for piece in re.split(f"([()]|{sign})", text):
        depth += (piece == "(") - (piece == ")")
        parts[-1] += piece
        if piece == sign and not depth:
            parts.append("")
    return [part.rstrip(" ") for part in parts if part]


def in_paragraphs(text):
    """The lines of the text in paragraphs of few lines: a long one goes on in another, and so does a long sentence behind "; ", if
    it has to behind one in parentheses."""
    parts = []
    for sentence in text.split("\n"):
        for part in outside(sentence, "; ") if height([sentence]) > MOST_LINES else [sentence]:
            parts += part.replace("; ", ";\n").split("\n") if height([part]) > MOST_LINES else [part]
    told = []
    for part in parts:
        if told and height([*told[-1], part]) <= MOST_LINES:
            told[-1].append(part)
        else:
            told.append([part])
    return ["\n".join(one) for one in told]


def unique(cells):
    return list(dict.fromkeys(cells))


def fitted(rows):
    """The width of each column: as wide as its cells. Where a line is too long, headings wrap first, then the widest columns of text."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    least = [min(MOST_WORD, max(len(word) for row in rows for word in row[at].split() or [""])) for at in range(len(rows[0]))]
    cells = [max((len(row[at]) for row in rows[1:]), default=0) for at in range(len(widths))]
    while sum(widths) + len(widths) - 1 > WIDTH:
        widest = max(range(len(widths)), key=lambda at: (widths[at] > max(cells[at], least[at]), widths[at] - least[at]))
        if widths[widest] == least[widest]:
            break
        widths[widest] -= 1
    return widths


def wrapped(cell, width):
    """The lines of a cell; a word that is too long breaks behind a sign, if it has one."""
    lines = []
    for word in cell.split(" ") if len(cell) > width else []:
        while len(word) > width:
            at = max(word.rfind(sign, 0, width) for sign in "_.,=/-") + 1 or width
            lines.append(word[:at])
            word = word[at:]
        if lines and len(lines[-1]) + 1 + len(word) <= width and not lines[-1].endswith(("_", ".", "=", "/", "-")):
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines or [cell]


def padded(rows):
    """The lines of each row, cells below one another; columns of numbers stand to the right. The first row is the heading."""
    widths = fitted(rows)
    right = [all(is_number(row[at]) for row in rows[1:]) and any(row[at] not in NO_NUMBER for row in rows[1:]) for at in range(len(rows[0]))]
    for row in rows:
        parts = [wrapped(cell, width) for cell, width in zip(row, widths)]
        yield [escaped(" ".join(f"{cell:>{width}}" if to_right else f"{cell:{width}}" for cell, width, to_right in zip(line, widths, right)).rstrip())
               for line in itertools.zip_longest(*parts, fillvalue="")]


def display(rows):
    return [".Bd -literal", *(line for row in padded(rows) for line in row), ".Ed"]


def grid(rows, columns):
    """A line for each cell of the first columns, a column for each cell of the last but one, and in the middle the last column.
    Columns that do not fit stand in a display of their own."""
    *names, across, value = columns
    left, heads = unique(tuple(row[name] for name in names) for row in rows), unique(row[across] for row in rows)
    cells = {(*(row[name] for name in names), row[across]): row[value] for row in rows}
    first = sum(1 + max(map(len, column)) for column in zip(names, *left))
    widths = {head: 1 + max(len(head), *(len(cells.get((*one, head), "?")) for one in left)) for head in heads}
    while heads:
        count = 1
        while count < len(heads) and first - 1 + sum(widths[head] for head in heads[:count + 1]) <= WIDTH:
            count += 1
        fitting, heads = heads[:count], heads[count:]
        yield from display([[*names, *fitting]] + [[*one, *(cells.get((*one, head), "?") for head in fitting)] for one in left])


def lines(rows, columns):
    """A line for each row, and above them the names of the columns."""
    yield from display([columns, *([row[column] for column in columns] for row in rows)])


def below(rows, columns):
    """As lines, but the last column stands in a line of its own, below the others, and has no heading."""
    *first, last = columns
    yield ".Bd -literal"
    for row, told in zip([{last: ""}, *rows], padded([first, *([row[column] for column in first] for row in rows)])):
        yield from told
        yield from (escaped(part) for part in textwrap.wrap(row[last], WIDTH - 4, initial_indent=" " * 4, subsequent_indent=" " * 8,
                                                            break_on_hyphens=False, break_long_words=False))
    yield ".Ed"


def table(rows, columns):
    """As lines, but as a list of columns, which is a table where the page is HTML; no cell wraps."""
    most = [max([heading, *(row[column] for row in rows)], key=len) for column, heading in zip(columns, columns)]
    yield ".Bl -column " + " ".join(f'"{cell}"' for cell in most) + " -compact"
    yield ".It " + " Ta ".join(f"Em {heading}" for heading in columns)
    for row in rows:
        yield ".It " + " Ta ".join(escaped(row[column]) for column in columns)
    yield ".El"


def shared(parts):
    """Paragraphs such as "1024 terms: from the left." and "4096 terms: from the left." as one: "1024 and 4096 terms: ..."."""
    terms = {}
    for part in parts:
        said = re.fullmatch(r"(\d+) terms: (.*)", part, re.DOTALL)
        terms.setdefault(said[2] if said else part, []).append(said and said[1])
    for rest, numbers in terms.items():
        yield f"{' and '.join(numbers)} terms: {rest}" if numbers[0] else rest


def items(rows, columns):
    """A list: the first column names the item, the others are its paragraphs; rows with one name make one item. A long item that
    says the same as an earlier one refers to that."""
    name, *texts = columns
    earlier = {}
    yield ".Bl -tag -width Ds"
    for tag in unique(row[name] for row in rows):
        yield f".It {tag}"
        said = [row[text] for row in rows if row[name] == tag for text in texts if row[text]]
        other = earlier.setdefault(tuple(said), tag)
        if other != tag and sum(map(len, said)) > LONG_ITEM:
            yield from sentences(f"The same as for {other}.")
            continue
        told = (part for text in shared(said) for part in in_paragraphs(text))
        for at, text in enumerate(told):
            yield from [".Pp"] * bool(at)
            yield from sentences(text)
    yield ".El"


def paragraphs(rows, columns):
    told = (part for row in rows for column in columns for part in in_paragraphs(row[column]))
    for at, text in enumerate(told):
        yield from [".Pp"] * bool(at)
        yield from sentences(text)


def shown_command(command):
    whole = re.sub(r"(--?\w[\w-]*) (?!-)", "\\1\0", command)  # an option stands beside its value
    broken = textwrap.wrap("$ " + whole, 68, break_on_hyphens=False, break_long_words=False, subsequent_indent="    ")
    lines = [escaped(line.replace("\0", " ")) for line in broken]
    return [".Bd -literal -offset indent", *(line + " \\e" for line in lines[:-1]), lines[-1], ".Ed"]


def runs(rows, _columns):
    """The commands that measured the rows, the versions and the days; last those without a command."""
    days = {}
    for row in rows:
        days.setdefault((row["command"], row["versions"]), []).append(row["date"])
    by_command = {}
    for (command, versions), dates in days.items():
        dates = sorted(set(dates))
        span = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
        by_command.setdefault(command, []).append(f"{versions}: {span}.")
    commands = {}
    for command, measured in by_command.items():
        commands.setdefault((command == NOT_RECORDED, *measured), []).append(command)
    for (unknown, *measured), same in sorted(commands.items(), key=lambda one: one[0][0]):
        if not unknown:
            yield from (line for command in same for line in shown_command(command))
        elif len(by_command) > 1:
            yield from [".Pp", "The command of the other figures was not recorded:"]
        else:
            yield "The command of these figures was not recorded:"
        yield ".Bl -dash -compact"
        for one in measured:
            yield ".It"
            yield from sentences(one)
        yield ".El"


LAYOUTS = {one.__name__: one for one in (grid, lines, below, table, items, paragraphs, runs)}
