"""The worker of "py:NAME": python -m detcheck.worker torch:nn.functional.gelu speaks detcheck-exec(7)."""

from __future__ import annotations

import sys
from typing import Any, Callable, List, Optional, Tuple

from ._program import CallableError


def main() -> int:
    if len(sys.argv) != 2:
        print("detcheck.worker: it needs the name of a function, such as numpy:exp", file=sys.stderr)
        return 2
    try:
        from . import _callables, adapter, adapter_conditions
    except ImportError as error:
        print(f"detcheck.worker: {sys.executable}: {error}; DETCHECK_PYTHON names another python3", file=sys.stderr)
        return 1
    stream, served, reason = adapter.Stream.standard(), None, ""
    try:
        served = _callables.by_name(sys.argv[1])
    except Exception as error:  # whatever the import of others' code may raise
        reason = f"{sys.argv[1]} cannot be loaded: {type(error).__name__}: {error}".splitlines()[0]

    def start(request: Any) -> Tuple[Optional[Callable[..., List[Any]]], str]:
        try:
            why = served.probe(request) if served else reason
            return served.start(request) if served and not why else (None, why or "")
        except CallableError as error:
            return None, str(error)

    try:
        variants = adapter_conditions.numpy_variants if served and served.of == "numpy" else list
        adapter.serve(start, arrays=True, conditions=served and served.conditions(variants), stream=stream)
    except CallableError as error:
        print(f"detcheck.worker: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
