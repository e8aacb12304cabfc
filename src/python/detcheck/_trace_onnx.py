"""Runs of onnxruntime for a trace: the graph that it makes of a model, with the outputs of each node as outputs of the model."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import onnx
import onnxruntime

from ._program import UsageError
from ._trace import current, source_line
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


def optimised(model: Any, level: Any, providers: Sequence[str]) -> Any:
    """The graph that onnxruntime runs at a level. Outputs of inner nodes would stand in the way of what it fuses, so they come after."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level, options.log_severity_level = level, 3
    with tempfile.TemporaryDirectory(prefix="detcheck-") as folder:
        options.optimized_model_filepath = os.path.join(folder, "optimised.onnx")
        onnxruntime.InferenceSession(model if isinstance(model, (str, bytes)) else model.SerializeToString(), options, providers=[*providers])
        return onnx.load(options.optimized_model_filepath)


def source_of(model: Any) -> Tuple[Any, Any, Optional[List[str]]]:
    """What a session was made of, its level and its providers."""
    if not isinstance(model, onnxruntime.InferenceSession):
        return os.fspath(model) if isinstance(model, os.PathLike) else model, None, None
    found = getattr(model, "_model_path", None) or getattr(model, "_model_bytes", None)
    if not found:
        raise UsageError("this session does not say what it was made of: pass the path of the model")
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
    graph_of = optimised(made_of, wanted, providers)
    graph = graph_of.graph
    own = [one.name for one in graph.output]
    there = {*own, *(one.name for one in graph.input), *(one.name for one in graph.initializer)}
    inner = [name for node in graph.node for name in node.output if name and name not in there]
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in inner)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads, options.log_severity_level = threads, 3
    session = onnxruntime.InferenceSession(graph_of.SerializeToString(), options, providers=[*providers])
    names = [one.name for one in session.get_outputs()]
    values = dict(zip(names, session.run(names, dict(inputs))))
    recording = current()
    if recording is not None:
        recording.writer.joins("onnxruntime")
        opsets = {"" if one.domain == "ai.onnx" else one.domain: one.version for one in graph_of.opset_import}
        record(recording, graph, opsets, {**values, **inputs}, source_line())
    return [values[name] for name in own]


BY_OPSET = ("Softmax", "LogSoftmax", "Hardmax")  # operations that work along other axes before opset 13


def record(recording: Any, graph: Any, opsets: Dict[str, int], values: Dict[str, Any], source: str) -> None:
    writer, known = recording.writer, {}  # type: Any, Dict[str, Seen]
    initial = {one.name: one for one in graph.initializer}

    def seen(name: str) -> Seen:
        if name not in known:
            value = onnx.numpy_helper.to_array(initial[name]) if name in initial else values.get(name)
            known[name] = writer.seen(value, name)
        return known[name]

    for node in graph.node:
        domain = f"{node.domain}." if node.domain not in ("", "ai.onnx") else ""
        attributes = {one.name: type_named(onnx.TensorProto.DataType.Name(one.i).lower(), "onnx") if one.name == "to" else attribute(one)
                      for one in node.attribute}
        if node.op_type in BY_OPSET:
            attributes["opset"] = opsets.get("" if node.domain == "ai.onnx" else node.domain, 1)
        if any(one.type in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS) for one in node.attribute):
            writer.omits(f"what happens inside of {node.op_type}")
        writer.add(f"onnx.{domain}{node.op_type}", [seen(name) for name in node.input if name], [seen(name) for name in node.output if name],
                   path=node.name, source=source, attributes=attributes_text(attributes))
