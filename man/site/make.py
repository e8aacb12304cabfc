#!/usr/bin/env python3
"""Writes the site: the manual as HTML, an index, and a live sample report. Any host of static files can serve the folder.

    make.py DETCHECK PAGES FOLDER

PAGES is the folder of the built manual pages (man/*.in are filled in by the program). FOLDER is written beside and then renamed,
so that it is whole or absent. The pages are made by mandoc.
"""
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SECTIONS = (("1", "Commands"), ("3", "Libraries"), ("7", "Formats, documents, measurements"))
TOUR = "detcheck-tour.7"
OTHERS = "https://manpages.debian.org/"  # pages of others
SAMPLE = ["sweep", "exp", "sin", "tanh", "-f", "fp16", "--impl", "libm", "--impl", "det", "--impl", "cr"]
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<header><nav aria-label="Site"><a href="index.html">detcheck</a> <a href="index.html#pages">All pages</a>
<a href="sample.html">A sample report</a></nav></header>
<main>
{body}
</main>
</body>
</html>
"""


def fragment(path, names):
    """The page as HTML without a head. Headings of mandoc begin at h1, which is the page's own here."""
    made = subprocess.run(["mandoc", "-T", "html", "-O", "fragment,man=%N.%S.html", path], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    made = re.sub(r'(<a class="Xr" href=")([^"]+)\.html"', lambda found: found[0] if found[2] in names else
                  f'{found[1]}{OTHERS}{found[2]}"', made)
    return re.sub(r"(</?)h([12])\b", lambda found: f"{found[1]}h{int(found[2]) + 1}", made)


def described(path):
    """The one line that the page says of itself."""
    text = path.read_text(encoding="ascii")
    found = re.search(r"^\.Nd (.*)$", text, re.MULTILINE)
    if not found:
        sys.exit(f"{path.name}: no .Nd line")
    return found[1].replace("\\&", "").replace("\\-", "-").replace("\\(aq", "'")


def title_of(path):
    name, section = path.name.rsplit(".", 1)
    return f"{name}({section})"


def write(folder, name, title, body):
    (folder / name).write_text(PAGE.format(title=html.escape(title), body=body), encoding="utf-8")


def index(pages, tour):
    """The first page: the tour, if there is one, then all pages."""
    lists = []
    for section, heading in SECTIONS:
        rows = "".join(f'<dt><a href="{page.name}.html">{page.name.rsplit(".", 1)[0]}</a></dt><dd>{html.escape(described(page))}</dd>\n'
                       for page in pages if page.suffix == f".{section}")
        lists.append(f"<h3>{heading}</h3>\n<dl>\n{rows}</dl>\n")
    return (f'<h1>detcheck</h1>\n<p>For this operation, in this format, on these inputs: are these the bits? If not, how far off are '
            f'they, where, and is that acceptable?</p>\n{tour}<h2 id="pages">All pages</h2>\n{"".join(lists)}')


def make(detcheck, manual, folder):
    pages = sorted(path for path in manual.iterdir() if re.search(r"\.[137]$", path.name))
    if not pages:
        sys.exit(f"make.py: {manual} has no manual pages")
    shutil.copy(HERE / "style.css", folder)
    tour = ""
    for page in pages:
        body = fragment(page, {one.name for one in pages})
        write(folder, f"{page.name}.html", title_of(page), f"<h1>{title_of(page)}</h1>\n{body}")
        if page.name == TOUR:
            tour = re.sub(r'(?s)^.*?<section class="Sh">\n<h2 class="Sh" id="DESCRIPTION">.*?</h2>', '<section class="Sh">', body)
            tour = re.sub(r'(?s)<section class="Sh">\n<h2 class="Sh" id="SEE_ALSO">.*$', "", tour)
    write(folder, "index.html", "detcheck", index(pages, tour))
    report = folder / "sample.json"
    subprocess.run([detcheck, *SAMPLE, "--json", report], stdout=subprocess.DEVNULL, check=True)
    subprocess.run([detcheck, "report", report, "--output", folder / "sample.html"], check=True)


def main(words):
    if len(words) != 3:
        sys.exit(__doc__)
    detcheck, manual, folder = words[0], pathlib.Path(words[1]), pathlib.Path(words[2])
    if not shutil.which("mandoc"):
        sys.exit("make.py: mandoc is not installed; apt-get install mandoc")
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = pathlib.Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        make(detcheck, manual, beside)
        os.chmod(beside, 0o755)
        if folder.exists():
            shutil.rmtree(folder)
        beside.rename(folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
