/* Shared libraries that a user's command builds, in a private folder. */
#ifndef DETCHECK_CMD_BUILD_LIBRARY_H
#define DETCHECK_CMD_BUILD_LIBRARY_H

#include "base/error.h"

#include <stdbool.h>

/* A folder of its own where TMPDIR says, or in /tmp, for what an option needs; `folder` is empty where that fails. */
enum { BUILD_FOLDER = 256 };
bool build_folder_make(char folder[BUILD_FOLDER], const char *option, struct error *error);

/* Removes it with all files in it, whoever wrote them. */
void build_folder_remove(const char *folder);

/* Runs the command of an option by a shell, with the library's path in place of each {}, or with -shared -fPIC -o and the
 * path behind it; then, unless `source` is NULL, the path of a C file and -lm. What it prints goes to stderr. An error
 * where it fails or writes no library. */
bool build_library(const char *option, const char *command, const char *library, const char *source,
                   struct error *error);

#endif
