"""detcheck asks, the exports of a module of WebAssembly answer, in wasmtime:

    detcheck sweep sin --impl 'exec:python3 wasmtime_adapter.py libm.wasm'

They are named as in C: sin in fp64 and sinf in fp32. The module may import nothing. Python calls once for a block: a loop
over the operands, itself WebAssembly, calls the function. It wants the Python package wasmtime.
"""

import argparse
import importlib.metadata
import pathlib

from adapter import need, np, serve

TYPES = {"fp32": ("f32", "f", 4), "fp64": ("f64", "", 8)}
# The loop: operand k of element i lies at k * block + i * size, the result behind the operands.
LOOP = """(module
  (import "it" "function" (func $function (param{parameters}) (result {type})))
  (memory (export "memory") {pages})
  (func (export "run") (param $end i32) (local $at i32)
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      ({type}.store offset={result} (local.get $at) (call $function {loads}))
      (local.set $at (i32.add (local.get $at) (i32.const {size})))
      (br $next)))))
"""
PAGE, LARGEST = 1 << 16, 1 << 16  # of memory, in bytes; of a block, in elements


class Export:
    """One function of the module."""

    def __init__(self, wasmtime, path, name, request):
        kind, _, self.size = TYPES[request.format]
        self.bytes = LARGEST * self.size
        self.store = wasmtime.Store()
        module = wasmtime.Module.from_file(self.store.engine, str(path))
        function = wasmtime.Instance(self.store, module, []).exports(self.store).get(name)
        self.found = isinstance(function, wasmtime.Func) and \
            [str(each) for each in function.type(self.store).params] == [kind] * request.operands
        if not self.found:
            return
        loads = " ".join(f"({kind}.load offset={k * self.bytes} (local.get $at))" for k in range(request.operands))
        loop = LOOP.format(parameters=f" {kind}" * request.operands, type=kind, size=self.size, loads=loads,
                           result=request.operands * self.bytes, pages=(request.operands + 1) * self.bytes // PAGE)
        exports = wasmtime.Instance(self.store, wasmtime.Module(self.store.engine, loop), [function]).exports(self.store)
        self.run, self.memory = exports["run"], exports["memory"]

    def compute(self, *operands):
        count, parts = len(operands[0]), []
        for first in range(0, count, LARGEST):
            part = [np.ascontiguousarray(codes[first:first + LARGEST]) for codes in operands]
            for k, codes in enumerate(part):
                self.memory.write(self.store, codes.tobytes(), k * self.bytes)
            end, start = len(part[0]) * self.size, len(part) * self.bytes
            self.run(self.store, end)
            parts.append(np.frombuffer(bytes(self.memory.read(self.store, start, start + end)), part[0].dtype))
        return [np.concatenate(parts) if parts else np.zeros(0, operands[0].dtype)]


def start(request):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    file = parser.parse_args().file
    none = f"wasmtime_adapter has no {request.operation} in {request.format}, {request.rounding}"
    if request.format not in TYPES or request.result_format != request.format or request.rounding != "nearest-even" or \
            request.results != 1:
        return None, none
    wasmtime = need("wasmtime")
    try:
        export = Export(wasmtime, file, request.operation + TYPES[request.format][1], request)
    except (OSError, wasmtime.WasmtimeError) as error:  # no file, no module, or one that wants imports
        return None, f"{none}: {' '.join(str(error).split())}"
    text = f"{file.name}, WebAssembly, wasmtime {importlib.metadata.version('wasmtime')}"
    return (export.compute, text) if export.found else (None, none)


if __name__ == "__main__":
    serve(start)
