/* A shared library that is not ours: its name on the command line, opening it, its symbols. */
#ifndef DETCHECK_IMPL_REMOTE_LIBRARY_FILE_H
#define DETCHECK_IMPL_REMOTE_LIBRARY_FILE_H

#include "base/error.h"
#include "impl/vector_abi.h"
#include "op/operation.h"

#include <stdbool.h>

/* "PATH[:SYMBOL][,array|,vector[=LANES]][,float]" in parts. Without a slash, PATH is looked for as the
 * system looks for libraries. */
struct library_name {
    char path[256];
    /* Empty where it follows from the operation. It may be a pattern: {} is the operation's name in C,
     * {f} the "f" of fp32. */
    char symbol[128];
    bool array;
    bool floats; /* of a conversion: operands narrower than fp32 are handed to it as float */
    struct vector_abi vector; /* as far as it is known without the operation */
};
bool library_name_parse(struct library_name *name, const char *text, struct error *error);

/* The symbol that is the same for every operation; empty where it follows from the operation. */
const char *library_name_fixed(const struct library_name *name);

/* The function's symbol for an operation: as named, by the pattern, or as C calls the operation (without
 * "f" where `wide`). In a pattern an operation that C has no name for goes by its own. False without a symbol
 * where C has no name for it, and where the symbol is too long. */
bool library_name_symbol(const struct library_name *name, const struct operation *operation,
                         bool wide, char symbol[128], struct error *why);

/* Opens the library so that its calls of its own functions stay inside it, though the process may
 * have others of the same name. The floating-point environment is left as it was; `*disturbed` says
 * whether the library changed it on being opened (code compiled with -ffast-math does). NULL and an
 * error when it cannot be opened. */
void *library_open(const char *path, unsigned *disturbed, struct error *error);

/* Where the system finds a library of that name: as it is where it has a slash, else in LD_LIBRARY_PATH or in the usual
 * folders. False where it is in none of them. */
enum { LIBRARY_PATH = 4096 };
bool library_find(const char *name, char path[LIBRARY_PATH]);

/* The address of a symbol; NULL and an error, which names what the library has instead. */
void *library_symbol(void *library, const char *path, const char *symbol, struct error *why);

/* Whose a symbol is where another library, which this one is linked to, has it: " (that of libm.so.6)";
 * else "". Returns `origin`. */
enum { LIBRARY_ORIGIN = 128 };
const char *library_origin(void *library, const void *address, char origin[LIBRARY_ORIGIN]);

/* The form for one number of a function of many that has that address: as C calls the operation, and in
 * the same library, not in one that it is linked to. NULL where there is none. */
void *library_by_number(void *library, const void *address, const struct operation *operation,
                        bool wide);

#endif
