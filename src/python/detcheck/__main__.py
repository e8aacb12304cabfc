"""python -m detcheck, and the command detcheck: the program, and what needs Python besides (survey)."""

from __future__ import annotations

import os
import sys

from ._program import Error, environment, program


def main() -> int:
    if sys.argv[1:2] == ["survey"]:
        from ._survey import main as survey
        return survey(sys.argv[2:])
    try:
        os.execve(program(), ["detcheck", *sys.argv[1:]], environment())
    except (Error, OSError) as error:
        print(f"detcheck: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
