/* Runs the package of Python in this process's place. */
#include "python_package.h"

#include "base/memory.h"
#include "messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Run by Python: says in one line where the package is missing, and is the package's own command else. */
static const char package[] =
    "import importlib.util, runpy, sys\n"
    "name = sys.argv.pop(1)\n"
    "if importlib.util.find_spec('detcheck') is None:\n"
    "    print(f'detcheck: {name} needs the package detcheck of Python, which', sys.executable,\n"
    "          'does not have (detcheck-python(7))', file=sys.stderr)\n"
    "    sys.exit(2)\n"
    "sys.argv[0] = 'detcheck'\n"
    "runpy.run_module('detcheck', run_name='__main__', alter_sys=True)\n";

int python_package_run(const char *name, const char *const *words, size_t count) {
    const char *chosen = getenv("DETCHECK_PYTHON"),
               *python = chosen && *chosen ? chosen : "python3";
    const char *const head[] = {python, "-c", package, name};
    const size_t before = sizeof head / sizeof *head;
    struct error error;
    const char **all = calloc(before + count + 1, sizeof *all);
    if (!all)
        memory_exhausted();
    memcpy(all, head, sizeof head);
    memcpy(all + before, words, count * sizeof *all);
    execvp(python, (char *const *)all);
    error_set(&error, "%s needs Python, and %.200s cannot be run: %s", name, python,
              strerror(errno));
    free(all);
    return trouble(&error);
}
