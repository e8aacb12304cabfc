"""The rooms of the house, and which way their arrows run."""

# A room may use those that its row names, what those use, and so on; nothing else.
ROOMS = {
    'cmd': ['vector', 'page', 'bench'],
    'page': ['gate'],
    'gate': ['report'],
    'vector': ['report'],
    'report': ['sweep'],
    'bench': ['sweep'],
    'sweep': ['impl', 'lines'],
    'impl': ['oracle', 'platform'],
    'lines': ['op'],
    'oracle': ['op'],
    'op': ['detmath', 'format'],
    'platform': ['format'],
    'format': ['base'],
    'detmath': [],
    'base': [],
}


def room(path):
    """Of a path from the repository's root: cmd/main.c is in cmd, src/op/table.c in op."""
    parts = path.split('/')
    return parts[0] if parts[0] != 'src' else parts[1]


def may_use(user, used):
    """Whether there is a way along the arrows. A room that has no row may use nothing."""
    return user == used or any(may_use(step, used) for step in ROOMS.get(user, ()))


def check_itself():
    assert room('cmd/main.c') == 'cmd' and room('src/op/array/scan.c') == 'op'
    assert may_use('cmd', 'base') and may_use('sweep', 'oracle') and may_use('op', 'op')
    assert not may_use('oracle', 'impl') and not may_use('detmath', 'base')
    assert not may_use('attic', 'base') and not may_use('gate', 'page')
    assert not may_use('base', 'format')
