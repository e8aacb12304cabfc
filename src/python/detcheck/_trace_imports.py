"""The hooks of a recording that run when the program imports a module."""

from __future__ import annotations

import importlib.abc
import importlib.util
from typing import Any, Callable, Collection


class OnImport(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """In sys.meta_path it calls then(name) once a module of these names is imported."""

    def __init__(self, names: Collection[str], then: Callable[[str], Any]) -> None:
        self.names, self.then, self.loaders = names, then, {}  # type: Collection[str], Callable[[str], Any], dict[str, Any]

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in self.names or name in self.loaders:
            return None
        self.loaders[name] = None  # and so the other finders are asked below
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            del self.loaders[name]
            return spec
        self.loaders[name], spec.loader = spec.loader, self
        return spec

    def create_module(self, spec: Any) -> Any:
        return self.loaders[spec.name].create_module(spec)

    def exec_module(self, module: Any) -> None:
        name = module.__name__
        module.__spec__.loader = module.__loader__ = self.loaders[name]
        self.loaders[name].exec_module(module)
        self.then(name)
