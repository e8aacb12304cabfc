"""The plug-in for pytest: the fixtures special_inputs and hard_inputs, and the marker detcheck_exhaustive for long tests, which run
only with --detcheck-exhaustive. The assertions are detcheck.assert_max_ulp and so on."""

from __future__ import annotations

from typing import Any, Callable, List

import pytest

MARKER = "detcheck_exhaustive"


def pytest_addoption(parser: Any) -> None:
    parser.getgroup("detcheck").addoption("--detcheck-exhaustive", action="store_true",
                                          help=f"run the tests marked {MARKER}, which take long")


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", f"{MARKER}: takes long; runs with --detcheck-exhaustive only")


def pytest_collection_modifyitems(config: Any, items: List[Any]) -> None:
    if not config.getoption("--detcheck-exhaustive"):
        for item in items:
            if item.get_closest_marker(MARKER):
                item.add_marker(pytest.mark.skip(reason="takes long: --detcheck-exhaustive"))


@pytest.fixture(scope="session")
def special_inputs() -> Callable[..., Any]:
    """special_inputs("bf16"): zeros, infinities, NaNs and limits of the format."""
    import detcheck
    return detcheck.special_inputs


@pytest.fixture(scope="session")
def hard_inputs() -> Callable[..., Any]:
    """hard_inputs("exp", "fp32"): inputs whose exact results are nearest to a number at which the rounding changes."""
    import detcheck
    return detcheck.hard_inputs
