/* What is read of shared libraries as the system has them, ELF of this machine's width and byte order: any
 * bytes may stand there. */
#ifndef DETCHECK_IMPL_ELF_H
#define DETCHECK_IMPL_ELF_H

#include "impl/build.h"

#include <stdbool.h>
#include <stddef.h>

/* Of the functions that a file lets others call, the nearest of name, or else the shortest name that contains the
 * symbol, with or without its "f"; it lies in the file's bytes. NULL where none is like it. `*count`: how many
 * functions there are. */
const char *elf_nearest_function(const void *bytes, size_t size, const char *symbol, size_t *count);

/* The GNU build ID among the notes of a segment, which lie at multiples of its alignment. False, and no text,
 * where there is none. */
bool elf_build_id(const void *notes, size_t size, size_t alignment, char text[BUILD_TEXT]);

#endif
