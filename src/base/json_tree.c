/* A tree of cJSON, built by yajl. */
#include "base/json_tree.h"

#include "base/memory.h"

#include <float.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

enum { BLOCK_BYTES = 1 << 16, MOST_DEPTH = CJSON_NESTING_LIMIT };

/* Least bytes of text for each value, beyond the first so many of those. What programs write has at
 * least twice as many, without any blanks. */
enum { BYTES_OF_VALUE = 5, FREE_VALUES = 1 << 12 };

/* Memory that is let go of all at once. */
struct block {
    struct block *before;
    max_align_t bytes[];
};

/* What json_tree_free finds by its first member, the value that is the document. */
struct tree {
    cJSON document;
    char *text;
    struct block *last;
    size_t left; /* bytes of the last block that are free: its last ones */
    size_t size; /* of the last block */
};

struct container {
    cJSON *item, *last; /* the last of its children */
};

struct builder {
    struct tree *tree;
    size_t length; /* of the text */
    size_t values;
    char *name;         /* of the member to come */
    const char *says;   /* what is wrong, if it is not the parser that knows */
    char sentence[160]; /* where it has to be put together */
    int depth;
    struct container open[MOST_DEPTH];
};

static void *allocate(struct tree *tree, size_t size) {
    size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (size > tree->left) {
        size_t bytes = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        struct block *block = malloc(sizeof *block + bytes);
        if (!block)
            return NULL;
        block->before = tree->last;
        tree->last = block;
        tree->left = tree->size = bytes;
    }
    char *found = (char *)tree->last->bytes + tree->size - tree->left;
    tree->left -= size;
    return found;
}

static int refuse(struct builder *builder, const char *says) {
    builder->says = says;
    return 0;
}

/* A string of the parser's as one of C. What stands in the text ends there, over the quotation mark
 * that the parser is past; what had escapes is copied. NULL where it has a NUL, or for memory. */
static char *keep_string(struct builder *builder, const unsigned char *bytes, size_t length) {
    char *text = builder->tree->text, *kept = (char *)(uintptr_t)bytes;
    if (memchr(bytes, '\0', length)) {
        refuse(builder, "a string has a NUL");
        return NULL;
    }
    if ((uintptr_t)kept < (uintptr_t)text || (uintptr_t)kept >= (uintptr_t)text + builder->length) {
        kept = allocate(builder->tree, length + 1);
        if (!kept) {
            refuse(builder, "out of memory");
            return NULL;
        }
        memcpy(kept, bytes, length);
    }
    kept[length] = '\0';
    return kept;
}

/* The next value: the document, or the next child of what is open. */
static cJSON *add(struct builder *builder, int type) {
    if (++builder->values > FREE_VALUES + builder->length / BYTES_OF_VALUE) {
        refuse(builder, "too many values for the length of the file");
        return NULL;
    }
    struct container *parent = builder->depth ? &builder->open[builder->depth - 1] : NULL;
    cJSON *item = parent ? allocate(builder->tree, sizeof *item) : &builder->tree->document;
    if (!item) {
        refuse(builder, "out of memory");
        return NULL;
    }
    *item =
        (cJSON){.type = type | (builder->name ? cJSON_StringIsConst : 0), .string = builder->name};
    builder->name = NULL;
    if (!parent)
        return item;
    if (parent->last) {
        parent->last->next = item;
        item->prev = parent->last;
    } else
        parent->item->child = item;
    parent->item->child->prev = item; /* as cJSON has it: the first knows the last */
    parent->last = item;
    return item;
}

static int on_null(void *builder) {
    return add(builder, cJSON_NULL) != NULL;
}

static int on_boolean(void *builder, int value) {
    return add(builder, value ? cJSON_True : cJSON_False) != NULL;
}

/* What is read as infinite could not be written again, as a merge does. */
static int refuse_number(struct builder *builder, const char *name) {
    static const char says[] = "a number beyond those of fp64, which end at 1.8e308";
    if (!name)
        return refuse(builder, says);
    snprintf(builder->sentence, sizeof builder->sentence, "\"%.80s\" is %s", name, says);
    return refuse(builder, builder->sentence);
}

static int on_number(void *builder, const char *text, size_t length) {
    char copy[64]; /* what is longer has digits that no double needs */
    cJSON *item = add(builder, cJSON_Number);
    if (!item)
        return 0;
    if (length >= sizeof copy)
        return refuse(builder, "a number of more than 63 characters");
    memcpy(copy, text, length);
    copy[length] = '\0';
    item->valuedouble = strtod(copy, NULL);
    if (!(item->valuedouble >= -DBL_MAX && item->valuedouble <= DBL_MAX))
        return refuse_number(builder, item->string);
    item->valueint = item->valuedouble >= INT_MAX   ? INT_MAX
                     : item->valuedouble <= INT_MIN ? INT_MIN
                                                    : (int)item->valuedouble;
    return 1;
}

static int on_string(void *builder, const unsigned char *text, size_t length) {
    cJSON *item = add(builder, cJSON_String);
    return item && (item->valuestring = keep_string(builder, text, length));
}

static int on_key(void *context, const unsigned char *text, size_t length) {
    struct builder *builder = context;
    builder->name = keep_string(builder, text, length);
    return builder->name != NULL;
}

static int begin(struct builder *builder, int type) {
    if (builder->depth == MOST_DEPTH) {
        snprintf(builder->sentence, sizeof builder->sentence,
                 "nested deeper than %d objects and arrays", MOST_DEPTH);
        return refuse(builder, builder->sentence);
    }
    cJSON *item = add(builder, type);
    if (item)
        builder->open[builder->depth++] = (struct container){item, NULL};
    return item != NULL;
}

static int on_object(void *builder) {
    return begin(builder, cJSON_Object);
}

static int on_array(void *builder) {
    return begin(builder, cJSON_Array);
}

static int on_end(void *context) {
    struct builder *builder = context;
    builder->depth--;
    return 1;
}

static const yajl_callbacks callbacks = {.yajl_null = on_null,
                                         .yajl_boolean = on_boolean,
                                         .yajl_number = on_number,
                                         .yajl_string = on_string,
                                         .yajl_start_map = on_object,
                                         .yajl_map_key = on_key,
                                         .yajl_end_map = on_end,
                                         .yajl_start_array = on_array,
                                         .yajl_end_array = on_end};

/* The length of the character of UTF-8 at `at`, or 0 where it is none: RFC 3629, without surrogates
 * and overlong forms. */
static size_t utf8_length(const unsigned char *at, const unsigned char *end) {
    if (*at < 0x80)
        return 1;
    size_t length = *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : 2;
    if (*at < 0xc2 || *at > 0xf4 || (size_t)(end - at) < length)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    bool bad = (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) ||
               (*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f);
    return bad ? 0 : length;
}

static const char *first_bad_character(const char *text, size_t length) {
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    while (at < end) {
        size_t step = *at ? utf8_length(at, end) : 0;
        if (!step)
            return (const char *)at;
        at += step;
    }
    return NULL;
}

static bool fail_at(const char *path, const char *text, const char *at, const char *says,
                    struct error *error) {
    size_t line = 1;
    const char *start = text;
    for (const char *c = text; c < at; c++)
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    return error_set(error, "%.200s, line %zu, column %zu: %s", path, line,
                     (size_t)(at - start) + 1, says);
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The name that stands twice in one object, or NULL. */
static const char *repeated_name(const cJSON *object, bool *memory) {
    size_t count = 0;
    for (const cJSON *member = object->child; member; member = member->next)
        count++;
    if (count < 2)
        return NULL;
    const char **names = malloc(count * sizeof *names);
    if (!names) {
        *memory = false;
        return NULL;
    }
    size_t at = 0;
    for (const cJSON *member = object->child; member; member = member->next)
        names[at++] = member->string;
    qsort(names, count, sizeof *names, compare_names);
    const char *found = NULL;
    for (size_t i = 1; i < count && !found; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            found = names[i];
    free(names);
    return found;
}

/* The parser allows no deep nesting, so this recursion is not deep either. */
static const char *find_repeated(const cJSON *item, bool *memory) {
    const char *found = cJSON_IsObject(item) ? repeated_name(item, memory) : NULL;
    for (const cJSON *child = item->child; child && !found && *memory; child = child->next)
        if (child->child)
            found = find_repeated(child, memory);
    return found;
}

static bool check_names(const cJSON *document, const char *path, struct error *error) {
    bool memory = true;
    const char *twice = find_repeated(document, &memory);
    if (twice)
        return error_set(error, "%.200s: the name \"%.80s\" stands twice in one object", path,
                         twice);
    return memory || error_set(error, "out of memory for %.200s", path);
}

/* What stops the parser at a byte: what the builder says, or the first line of what it says. */
static bool fail_parsing(const struct builder *builder, yajl_handle parser, const char *path,
                         const char *at, struct error *error) {
    char says[128];
    unsigned char *why = builder->says ? NULL : yajl_get_error(parser, 0, NULL, 0);
    if (why) {
        snprintf(says, sizeof says, "not JSON: %.*s", (int)strcspn((char *)why, "\n"), (char *)why);
        yajl_free_error(parser, why);
    }
    return fail_at(path, builder->tree->text, at, why ? says : builder->says, error);
}

static bool parse(struct builder *builder, yajl_handle parser, const char *path, const char *noun,
                  struct error *error) {
    const char *text = builder->tree->text, *end = text + builder->length;
    /* A byte order mark says nothing of UTF-8, and no reader may stumble over it (RFC 8259). */
    const char *start = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
    const char *bad = first_bad_character(text, builder->length);
    if (bad)
        return fail_at(path, text, bad, *bad ? "not UTF-8" : "a NUL byte", error);
    if (yajl_parse(parser, (const unsigned char *)start, (size_t)(end - start)) != yajl_status_ok) {
        size_t consumed = yajl_get_bytes_consumed(parser);
        return fail_parsing(builder, parser, path, start + (consumed ? consumed - 1 : 0), error);
    }
    if (yajl_complete_parse(parser) == yajl_status_ok)
        return check_names(&builder->tree->document, path, error);
    char says[96];
    snprintf(says, sizeof says, "the file ends here; a %s goes on", noun);
    return fail_at(path, text, end, builder->says ? builder->says : says, error);
}

cJSON *json_tree_make(char *text, size_t length, const char *path, const char *noun,
                      struct error *error) {
    struct tree *tree = calloc(1, sizeof *tree);
    struct builder *builder = calloc(1, sizeof *builder);
    yajl_handle parser = builder ? yajl_alloc(&callbacks, &memory_for_yajl, builder) : NULL;
    bool good = tree && parser;
    if (good) {
        tree->text = text;
        builder->tree = tree;
        builder->length = length;
        good = parse(builder, parser, path, noun, error);
    } else {
        error_set(error, "out of memory for %.200s", path);
        free(text);
    }
    if (parser)
        yajl_free(parser);
    free(builder);
    if (good)
        return &tree->document;
    json_tree_free((cJSON *)tree);
    return NULL;
}

void json_tree_free(cJSON *document) {
    struct tree *tree = (struct tree *)document;
    if (!tree)
        return;
    while (tree->last) {
        struct block *before = tree->last->before;
        free(tree->last);
        tree->last = before;
    }
    free(tree->text);
    free(tree);
}

/* Gives an item and all below it names of their own. */
static bool own_names(cJSON *item) {
    if (item->string && item->type & cJSON_StringIsConst) {
        char *name = cJSON_malloc(strlen(item->string) + 1);
        if (!name)
            return false;
        item->string = strcpy(name, item->string);
        item->type &= ~cJSON_StringIsConst;
    }
    bool good = true;
    for (cJSON *child = item->child; child && good; child = child->next)
        good = own_names(child);
    return good;
}

cJSON *json_copy(const cJSON *item) {
    cJSON *copy = cJSON_Duplicate(item, true);
    if (copy && own_names(copy))
        return copy;
    cJSON_Delete(copy);
    return NULL;
}
