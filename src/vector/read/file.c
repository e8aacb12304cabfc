/* Vectors in memory: groups added, and all of it freed. */
#include "vector/read/read.h"

#include <stdlib.h>

struct vector_group *vector_file_add(struct vector_file *file,
                                     const struct binding_request *computed, unsigned expects) {
    struct vector_group *groups = realloc(file->groups, (file->group_count + 1) * sizeof *groups);
    if (!groups)
        return NULL;
    file->groups = groups;
    groups[file->group_count] = (struct vector_group){.computed = *computed, .expects = expects};
    return &groups[file->group_count++];
}

void vector_file_free(struct vector_file *file) {
    for (size_t i = 0; i < file->group_count; i++)
        vector_tests_free(&file->groups[i].tests);
    for (size_t i = 0; i < file->text_count; i++)
        free(file->texts[i]);
    free(file->groups);
    free(file->texts);
    *file = (struct vector_file){0};
}
