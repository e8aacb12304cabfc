/* Which build of a program or a library computes: shards of a sweep that were computed by different
 * ones are no parts of one sweep (detcheck-shards(7)). */
#ifndef DETCHECK_IMPL_BUILD_H
#define DETCHECK_IMPL_BUILD_H

#include <stddef.h>

/* "build-id:" and the hexadecimal digits of a GNU build ID, or "xxh3-128:" and a hash of the file's
 * bytes. Empty: not known. */
enum { BUILD_TEXT = 80 };

/* Of what the process has loaded at an address; of the program itself where that is NULL. */
void build_of_address(const void *address, char text[BUILD_TEXT]);

/* Of a file that is read. */
void build_of_file(const char *path, char text[BUILD_TEXT]);

/* Of several builds together, in their order: of one it is that one, of none it is not known. */
void build_of_parts(const char (*parts)[BUILD_TEXT], size_t count, char text[BUILD_TEXT]);

#endif
