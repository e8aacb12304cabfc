"""Runs of onnxruntime for a trace: the graph that it makes of a model, with the outputs of each node as outputs of the model."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import onnx
import onnxruntime

from ._program import UsageError
from ._trace import current, source_line
from ._trace_onnx_graphs import KINDS, body_model, captured, graphs_of, named_graph, without_ifs
from ._trace_tensors import type_named
from ._trace_writer import Seen, attributes_text

LEVELS = {"disabled": "ORT_DISABLE_ALL", "basic": "ORT_ENABLE_BASIC", "extended": "ORT_ENABLE_EXTENDED", "all": "ORT_ENABLE_ALL"}


def attribute(one: Any) -> Any:
    value = onnx.helper.get_attribute_value(one)
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, (list, tuple)):
        return [each.decode(errors="replace") if isinstance(each, bytes) else each for each in value]
    return value if isinstance(value, (int, float, str)) else f"a {type(value).__name__}"


def defaults(node: Any, opsets: Mapping[str, int]) -> List[Any]:
    """Attributes that a node leaves out, at what they are then: onnxruntime writes them where it has optimised a graph."""
    domain = "" if node.domain == "ai.onnx" else node.domain
    try:
        known = onnx.defs.get_schema(node.op_type, opsets.get(domain, 1), domain).attributes.values()
    except onnx.defs.SchemaError:  # an operation of onnxruntime's own
        return []
    given = {one.name for one in node.attribute}
    return [one.default_value for one in known if one.name not in given and one.default_value.name]


def optimised(model: Any, level: Any, providers: Sequence[str]) -> Any:
    """The graph that onnxruntime runs at a level. Outputs of inner nodes would stand in the way of what it fuses, so they come after."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level, options.log_severity_level = level, 3
    with tempfile.TemporaryDirectory(prefix="detcheck-") as folder:
        options.optimized_model_filepath = os.path.join(folder, "optimised.onnx")
        onnxruntime.InferenceSession(model if isinstance(model, (str, bytes)) else model.SerializeToString(), options, providers=[*providers])
        return onnx.load(options.optimized_model_filepath)


def source_of(model: Any) -> Tuple[Any, Any, Optional[List[str]]]:
    """The source of a session, its level and its providers."""
    if not isinstance(model, onnxruntime.InferenceSession):
        return os.fspath(model) if isinstance(model, os.PathLike) else model, None, None
    found = getattr(model, "_model_path", None) or getattr(model, "_model_bytes", None)
    if not found:
        raise UsageError("this session does not name its model: pass the path of the model")
    return found, model.get_session_options().graph_optimization_level, model.get_providers()


def run(model: Any, inputs: Mapping[str, Any], level: Optional[str] = None, providers: Optional[Sequence[str]] = None,
        threads: int = 0) -> List[Any]:
    """A path, the bytes of a model, an onnx.ModelProto or an InferenceSession. level= is onnxruntime's level of optimisation: disabled,
    basic, extended or all. Gives the outputs of the model."""
    made_of, of_session, its_providers = source_of(model)
    if level is not None and level not in LEVELS:
        raise UsageError(f"level= is one of {', '.join(LEVELS)}, not '{level}'")
    wanted = getattr(onnxruntime.GraphOptimizationLevel, LEVELS[level or "all"]) if level or of_session is None else of_session
    providers = providers or its_providers or ["CPUExecutionProvider"]
    return Run(providers, threads, current(), source_line()).whole(optimised(made_of, wanted, providers), dict(inputs))


BY_OPSET = ("Softmax", "LogSoftmax", "Hardmax")  # operations that work along other axes before opset 13


class Run:
    """Computes graphs that are optimised already, and records their nodes."""

    def __init__(self, providers: Sequence[str], threads: int, recording: Any, source: str) -> None:
        self.providers, self.recording, self.source = [*providers], recording, source
        self.options = onnxruntime.SessionOptions()
        self.options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        self.options.intra_op_num_threads, self.options.log_severity_level = threads, 3
        if recording is not None:
            recording.writer.joins("onnxruntime")

    def values(self, model: Any, names: Sequence[str], inputs: Mapping[str, Any]) -> Dict[str, Any]:
        """The model with these names as its outputs."""
        whole = onnx.ModelProto()
        whole.CopyFrom(model)
        graph = whole.graph
        own, given = {one.name for one in graph.output}, {*inputs, *(one.name for one in graph.initializer)}
        graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in own and name not in given)
        session = onnxruntime.InferenceSession(whole.SerializeToString(), self.options, providers=self.providers)
        wanted = {one.name for one in session.get_inputs()}
        found = [one.name for one in session.get_outputs()]
        made = dict(zip(found, session.run(found, {name: value for name, value in inputs.items() if name in wanted})))
        initial = {one.name: one for one in graph.initializer}
        return {**inputs, **made, **{name: onnx.numpy_helper.to_array(initial[name]) for name in names if name in initial and name not in inputs}}

    def whole(self, model: Any, inputs: Mapping[str, Any], path: str = "") -> List[Any]:
        """The outputs of a model, whose nodes are recorded."""
        own = [one.name for one in model.graph.output]
        if self.recording is None:
            values = self.values(model, (), inputs)
        else:
            def decides(graph: Any, names: Sequence[str]) -> Dict[str, Any]:
                return self.values(model, names, inputs)
            without_ifs(model.graph, decides)
            values = self.values(model, sorted({name for node in model.graph.node for name in node.output if name}), inputs)
            self.record(model, values, path)
        return [values[name] for name in own]

    def record(self, model: Any, values: Mapping[str, Any], path: str) -> None:
        writer, known, initial = self.recording.writer, {}, {one.name: one for one in model.graph.initializer}  # type: Any, Dict[str, Seen], Any
        opsets = {"" if one.domain == "ai.onnx" else one.domain: one.version for one in model.opset_import}

        def value(name: str) -> Any:
            return onnx.numpy_helper.to_array(initial[name]) if name in initial and name not in values else values.get(name)

        def seen(name: str) -> Seen:
            if name not in known:
                known[name] = writer.seen(value(name), name)
            return known[name]

        for node in model.graph.node:
            domain = f"{node.domain}." if node.domain not in ("", "ai.onnx") else ""
            attributes = {one.name: type_named(onnx.TensorProto.DataType.Name(one.i).lower(), "onnx") if one.name == "to" else attribute(one)
                          for one in (*defaults(node, opsets), *node.attribute) if one.type not in KINDS}
            if node.op_type in BY_OPSET:
                attributes["opset"] = opsets.get("" if node.domain == "ai.onnx" else node.domain, 1)
            place = ".".join(filter(None, (path, node.name)))
            if node.op_type == "Loop" and not domain and self.loop(node, model, value, place):
                continue
            if graphs_of(node):
                writer.omits(f"what happens inside of {node.op_type}")
            writer.add(f"onnx.{domain}{node.op_type}", [seen(name) for name in node.input if name], [seen(name) for name in node.output if name],
                       path=place, source=self.source, attributes=attributes_text(attributes))

    def loop(self, node: Any, model: Any, value: Callable[[str], Any], path: str) -> bool:
        """Computes a Loop again, a turn at a time, with the nodes of each recorded, and what it stacks of them as onnx.Loop.stack. False
        where it carries something else than tensors."""
        body = named_graph(node, "body")
        most, going, *carried = [value(name) if name else None for name in [*node.input, "", ""][:max(2, len(node.input))]]
        around = {name: value(name) for name in captured(body)}
        if not all(isinstance(one, np.ndarray) for one in (*carried, *around.values())):
            return False
        at, rows = 0, []  # type: int, List[List[Any]]
        going = np.array(True) if going is None else going
        while bool(np.all(going)) and (most is None or at < int(np.asarray(most).reshape(()))):
            given = {name.name: one for name, one in zip(body.input, (np.array(at, np.int64), np.asarray(going), *carried))}
            going, *found = self.whole(body_model(body, {**given, **around}, model), {**given, **around}, f"{path}.turn{at}".lstrip("."))
            carried, at = found[:len(carried)], at + 1
            rows.append(found[len(carried):])
        for name, column in zip([*node.output][len(carried):], zip(*rows)):
            if name:
                writer = self.recording.writer
                writer.add("onnx.Loop.stack", [writer.seen(one) for one in column], [writer.seen(value(name), name)], path=path, source=self.source)
        return True
