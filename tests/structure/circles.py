"""Circles in a directed graph: its strongly connected components of more than one node."""


def circles(arrows):
    """The components of a graph {node: nodes it points to}, each sorted; Tarjan's algorithm."""
    number, lowest, stack, found = {}, {}, [], []

    def visit(root):
        # Explicit, since a chain of files may be longer than Python's own stack.
        work = [(root, iter(sorted(arrows.get(root, ()))))]
        number[root] = lowest[root] = len(number)
        stack.append(root)
        while work:
            node, rest = work[-1]
            for follower in rest:
                if follower not in number:
                    number[follower] = lowest[follower] = len(number)
                    stack.append(follower)
                    work.append((follower, iter(sorted(arrows.get(follower, ())))))
                    break
                if follower in stack:
                    lowest[node] = min(lowest[node], number[follower])
            else:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[node])
                if lowest[node] == number[node]:
                    at = stack.index(node)
                    component, stack[at:] = stack[at:], []
                    if len(component) > 1 or node in arrows.get(node, ()):
                        found.append(sorted(component))

    for node in sorted(arrows):
        if node not in number:
            visit(node)
    return found


def check_itself():
    """A check that finds nothing must be one that could have found something."""
    assert circles({1: [2], 2: [3], 3: []}) == []
    assert circles({1: [2, 3], 2: [4], 3: [4]}) == []
    assert circles({1: [2], 2: [1, 3], 3: [4], 4: [3]}) == [[3, 4], [1, 2]]
    assert circles({1: [2], 2: [3], 3: [1], 4: [1]}) == [[1, 2, 3]]
    assert circles({1: [1]}) == [[1]]
