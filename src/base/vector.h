/* Loops compiled for several processors: FOR_EACH_CPU before a function makes a version of it for
 * each, of which the best is chosen when the program starts. What it calls must be INLINED to be
 * compiled along. The versions compute the same: integers, or doubles without contraction. */
#ifndef DETCHECK_BASE_VECTOR_H
#define DETCHECK_BASE_VECTOR_H

#include <stdint.h> /* brings __GLIBC__, where it is */

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && __GNUC__ >= 12 &&            \
    !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define FOR_EACH_CPU __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define INLINED      static inline __attribute__((always_inline))
#else
#define FOR_EACH_CPU
#define INLINED static inline
#endif

#endif
