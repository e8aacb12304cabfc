/* Where tests make the program wrong on purpose, to see that its own checks find that. Only a test
 * build has these places: tests/programs compiles it with DETCHECK_FAULTS, and the environment
 * variable DETCHECK_FAULT then names the fault of a run. In any other build the compiler sees
 * `false`, and nothing of a fault is left in the program. */
#ifndef DETCHECK_BASE_FAULT_H
#define DETCHECK_BASE_FAULT_H

#include <stdbool.h>

#ifdef DETCHECK_FAULTS
bool fault_is_chosen(const char *name);
#define FAULT(name) fault_is_chosen(#name)
#else
#define FAULT(name) false
#endif

#endif
