/* Which build of a program or a library computes: shards of a sweep that were computed by different
 * ones are no parts of one sweep (detcheck-shards(7)). */
#ifndef DETCHECK_IMPL_BUILD_H
#define DETCHECK_IMPL_BUILD_H

#include <stddef.h>

/* "build-id:" and the hexadecimal digits of a GNU build ID, or "xxh3-128:" and a hash of the file's
 * bytes. Behind that come the files that it needs, each as ", NAME HASH". Empty: not known. */
enum { BUILD_HASH = 80, BUILD_TEXT = 2048 };

/* Of what the process has loaded at an address; of the program itself where that is NULL. */
void build_of_address(const void *address, char text[BUILD_HASH]);

/* Of a file that is read. */
void build_of_file(const char *path, char text[BUILD_HASH]);

/* Of several builds together, in their order: of one it is that one, of none it is not known. */
void build_of_parts(const char (*parts)[BUILD_HASH], size_t count, char text[BUILD_HASH]);

/* Behind a build: the file of that name, as it is now. Beyond so many only how many there are is written, and a hash
 * of all of their hashes. */
enum { BUILD_FILES = 16, BUILD_FILE_NAME = 64 };
void build_add_files(char text[BUILD_TEXT], const char *const *paths, size_t count);

/* Where two builds differ: the first part, of either or of one of them, that is not the same, with the name of its
 * file. */
struct build_part {
    char mine[BUILD_FILE_NAME + BUILD_HASH], other[BUILD_FILE_NAME + BUILD_HASH];
};
void build_find_difference(const char *mine, const char *other, struct build_part *part);

#endif
