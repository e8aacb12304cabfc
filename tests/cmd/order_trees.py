"""Trees of additions as the tests of reveal write them down: a term is its number, and an addition the tuple of what it adds."""


def left(items):
    items = list(items)
    tree = items[0]
    for item in items[1:]:
        tree = (tree, item)
    return tree


def fold(items):
    items = list(items)
    while len(items) > 1:
        half = len(items) // 2
        items = [(items[i], items[i + half]) for i in range(half)]
    return items[0]


def lanes(k, join=fold, serpentine=False):
    def tree(n):
        whole = n - n % k
        if n < k:
            return left(range(n))
        def lane(i):
            return k - 1 - i % k if serpentine and i // k % 2 else i % k
        parts = [left([i for i in range(whole) if lane(i) == l]) for l in range(k)]
        return left([join(parts), *range(whole, n)])
    return tree


def blocks(size):
    return lambda n: left([left(range(at, min(at + size, n))) for at in range(0, n, size)])


def at_random(n):
    items, state = list(range(n)), n
    while len(items) > 1:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        a, b = (state >> 33) % len(items), (state >> 13 & 0xFFFFF) % (len(items) - 1)
        b += b >= a
        items[a] = (items[a], items[b])
        items[b] = items[-1]
        items.pop()
    return items[0]


def star(n):
    return tuple(range(n))


def canonical(tree):
    """The same for trees whose additions have the same terms in any sequence."""
    if isinstance(tree, int):
        return str(tree)
    return "(" + " ".join(sorted(map(canonical, tree))) + ")"


def read_tree(additions):
    """Of a document: without zeros, and without additions of one term."""
    totals = []
    for _, *children in additions:
        items = [child if child >= 0 else totals[~child] for child in children if child != "zero"]
        totals.append(items[0] if len(items) == 1 else tuple(items))
    return totals[-1]
