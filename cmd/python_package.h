/* Commands that the package of Python has, and this program has not: detcheck-python(7). */
#ifndef DETCHECK_CMD_PYTHON_PACKAGE_H
#define DETCHECK_CMD_PYTHON_PACKAGE_H

#include <stddef.h>

/* Becomes the package's command of these words, by $DETCHECK_PYTHON or python3. Returns an exit code, having
 * said why in one line, only where Python cannot be run; where it lacks the package, Python says so and exits
 * with 2. `name` is the command's name in these lines. */
int python_package_run(const char *name, const char *const *words, size_t count);

#endif
