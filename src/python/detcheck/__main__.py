"""python -m detcheck, and the command detcheck: the program, and what needs Python besides (survey, trace record)."""

from __future__ import annotations

import os
import sys

from ._program import Error, environment, program


def main() -> int:
    if sys.argv[1:2] == ["survey"]:
        from ._survey import main as survey
        return survey(sys.argv[2:])
    if sys.argv[1:3] == ["trace", "record"]:
        from ._trace_record import main as record
        return record(sys.argv[3:])
    try:
        os.execve(program(), ["detcheck", *sys.argv[1:]], environment())
    except (Error, OSError) as error:
        print(f"detcheck: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
