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

/* The names of all functions, with commas between them; false where there is not room for them. */
bool elf_list_functions(const void *bytes, size_t size, char *list, size_t room);

/* From *number on, which goes on behind it, the next name of a library that the file needs, or that it has itself; it
 * lies in the file's bytes. NULL where there is no more. */
enum elf_name { ELF_NEEDED, ELF_OWN };
const char *elf_library_name(const void *bytes, size_t size, enum elf_name kind, size_t *number);

/* The bytes of a file, to be given to elf_unmap. NULL where it cannot be read. */
const void *elf_map(const char *path, size_t *size);
void elf_unmap(const void *bytes, size_t size);

/* The GNU build ID among the notes of a segment, which lie at multiples of its alignment. False, and no text,
 * where there is none. */
bool elf_build_id(const void *notes, size_t size, size_t alignment, char text[BUILD_HASH]);

#endif
