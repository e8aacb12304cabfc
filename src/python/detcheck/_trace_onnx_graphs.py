"""Graphs of ONNX inside of graphs, for a trace: the nodes of the branch that an If takes in the place of the If, and the body of a
Loop as a model of its own, so that what they compute can be outputs."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Mapping, Sequence, Set

import numpy as np
import onnx

KINDS = (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS)


def graphs_of(node: Any) -> List[Any]:
    """The graphs that a node has."""
    return [graph for one in node.attribute if one.type in KINDS for graph in ((one.g,) if one.type == KINDS[0] else one.graphs)]


def named_graph(node: Any, name: str) -> Any:
    return next(one.g for one in node.attribute if one.name == name)


def has(graph: Any, kind: str) -> bool:
    return any(node.op_type == kind and node.domain in ("", "ai.onnx") for node in graph.node)


def made_in(graph: Any) -> Set[str]:
    """Names that a graph gives values to."""
    return {*(one.name for one in graph.input), *(one.name for one in graph.initializer), *(name for node in graph.node for name in node.output)}


def read_by(graph: Any) -> Iterator[str]:
    """Names that nodes of a graph read of it, or of what is around it."""
    for node in graph.node:
        yield from filter(None, node.input)
        for inner in graphs_of(node):
            own = made_in(inner)
            yield from (name for name in read_by(inner) if name not in own)
    yield from (one.name for one in graph.output)


def captured(graph: Any) -> List[str]:
    """Names that a graph takes of what is around it."""
    own = made_in(graph)
    return sorted({name for name in read_by(graph) if name not in own})


def rename(graph: Any, names: Mapping[str, str]) -> None:
    """Gives values of a graph other names, also where graphs inside read them."""
    for node in graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
        for inner in graphs_of(node):
            own = made_in(inner)
            rename(inner, {old: new for old, new in names.items() if old not in own})
    for one in (*graph.initializer, *graph.output):
        one.name = names.get(one.name, one.name)


def branch_nodes(node: Any, is_true: bool, taken: Set[str], initializers: Any) -> List[Any]:
    """The nodes that replace an If; its results keep their names. `taken` are names that the graph has."""
    branch = onnx.GraphProto()
    branch.CopyFrom(named_graph(node, "then_branch" if is_true else "else_branch"))
    own, results = made_in(branch), [one.name for one in branch.output]
    names = {name: name if name not in taken else next(f"{name}.{at}" for at in range(1, 1 << 30) if f"{name}.{at}" not in taken | own)
             for name in own if name}
    computed = {name for each in branch.node for name in each.output}
    same = []  # results that no node of the branch gives, or that it gives twice
    for result, wanted in zip(results, node.output):
        if result in computed and results.count(result) == 1:
            names[result] = wanted
        elif wanted:
            same.append((result, wanted))
    rename(branch, names)
    taken.update(names.values())
    initializers.extend(branch.initializer)
    for each in branch.node:  # names of nodes have to be their own
        each.name = f"{node.name or node.output[0]}.{each.name or next(filter(None, each.output), each.op_type)}"
    return [*branch.node, *(onnx.helper.make_node("Identity", [names.get(result, result)], [wanted]) for result, wanted in same)]


def without_ifs(graph: Any, values_of: Callable[[Any, Sequence[str]], Dict[str, Any]]) -> None:
    """Puts branches that are taken in the places of their Ifs until there is none. values_of(graph, names) computes what decides."""
    while has(graph, "If"):
        wanted = sorted({node.input[0] for node in graph.node if node.op_type == "If"})
        known = values_of(graph, wanted)
        taken, nodes = made_in(graph), [*graph.node]
        placed = [each for node in nodes
                  for each in (branch_nodes(node, bool(np.all(known[node.input[0]])), taken, graph.initializer) if node.op_type == "If" else (node,))]
        made = [onnx.NodeProto() for _ in placed]
        for one, other in zip(made, placed):
            one.CopyFrom(other)
        del graph.node[:]
        graph.node.extend(made)


def value_info(name: str, value: np.ndarray) -> Any:
    """An input of a model that takes a value of any shape."""
    return onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), None)


def body_model(body: Any, values: Mapping[str, np.ndarray], model: Any) -> Any:
    """The body of a Loop with these inputs, as a model of its own."""
    graph = onnx.GraphProto(name=body.name or "body", node=body.node, initializer=body.initializer, output=body.output,
                            input=[value_info(name, value) for name, value in values.items()])
    return onnx.ModelProto(ir_version=model.ir_version, opset_import=model.opset_import, functions=model.functions, graph=graph)
