/* A tree of cJSON, built token by token. */
#include "base/json_tree.h"

#include "base/json_scan.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 16 };

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
    const char *says;   /* what is wrong with a value */
    char sentence[160]; /* where it has to be put together */
    struct json_scan scan;
    struct container open[JSON_DEPTH + 1]; /* the first one is around the document */
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

/* The next value: the document, or the next child of what is open. */
static cJSON *add(struct builder *builder, int type, int depth) {
    struct container *parent = &builder->open[depth];
    if (++builder->values > FREE_VALUES + builder->length / BYTES_OF_VALUE) {
        builder->says = "too many values for the length of the file";
        return NULL;
    }
    cJSON *item = depth ? allocate(builder->tree, sizeof *item) : &builder->tree->document;
    if (!item) {
        builder->says = "out of memory";
        return NULL;
    }
    *item =
        (cJSON){.type = type | (builder->name ? cJSON_StringIsConst : 0), .string = builder->name};
    builder->name = NULL;
    if (!depth)
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

/* What is read as infinite could not be written again, as a merge does. */
static void set_number(struct builder *builder, cJSON *item) {
    static const char says[] = "a number beyond those of fp64, which end at 1.8e308";
    double value = item->valuedouble = strtod(builder->scan.token, NULL);
    item->valueint = value >= INT_MAX ? INT_MAX : value <= INT_MIN ? INT_MIN : (int)value;
    if (builder->scan.length > 63) /* what is longer has digits that no double needs */
        builder->says = "a number of more than 63 characters";
    else if (!isfinite(value) && item->string) {
        snprintf(builder->sentence, sizeof builder->sentence, "\"%.80s\" is %s", item->string,
                 says);
        builder->says = builder->sentence;
    } else if (!isfinite(value))
        builder->says = says;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* That no name appears twice in the object. */
static void check_names(struct builder *builder, const cJSON *object) {
    size_t count = 0;
    for (const cJSON *member = object->child; member; member = member->next)
        count++;
    const char **names = malloc((count + 1) * sizeof *names);
    if (!names) {
        builder->says = "out of memory";
        return;
    }
    count = 0;
    for (const cJSON *member = object->child; member; member = member->next)
        names[count++] = member->string;
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count && !builder->says; i++)
        if (strcmp(names[i - 1], names[i]) == 0) {
            snprintf(builder->sentence, sizeof builder->sentence,
                     "the name \"%.80s\" appears twice in the object that ends here", names[i]);
            builder->says = builder->sentence;
        }
    free(names);
}

/* Takes a token into the tree. */
static void take(struct builder *builder, enum json_token token) {
    static const int types[] = {
        [JSON_NULL] = cJSON_NULL,     [JSON_FALSE] = cJSON_False,   [JSON_TRUE] = cJSON_True,
        [JSON_NUMBER] = cJSON_Number, [JSON_STRING] = cJSON_String, [JSON_OBJECT] = cJSON_Object,
        [JSON_ARRAY] = cJSON_Array};
    bool opens = token == JSON_OBJECT || token == JSON_ARRAY;
    int depth = builder->scan.depth;
    if (token == JSON_NAME) {
        builder->name = builder->scan.token;
        return;
    }
    if (token == JSON_END) {
        if (cJSON_IsObject(builder->open[depth + 1].item))
            check_names(builder, builder->open[depth + 1].item);
        return;
    }
    cJSON *item = add(builder, types[token], depth - opens);
    if (item && opens)
        builder->open[depth] = (struct container){item, NULL};
    else if (item && token == JSON_STRING)
        item->valuestring = builder->scan.token;
    else if (item && token == JSON_NUMBER)
        set_number(builder, item);
}

static bool parse(struct builder *builder, const char *path, struct error *error) {
    enum json_token token;
    json_scan_text(&builder->scan, builder->tree->text, builder->length);
    while ((token = json_next(&builder->scan)) != JSON_OVER) {
        if (token != JSON_BAD)
            take(builder, token);
        if (token == JSON_BAD || builder->says)
            return json_scan_fail(&builder->scan, path, builder->says, error);
    }
    return true;
}

cJSON *json_tree_make(char *text, size_t length, const char *path, struct error *error) {
    struct tree *tree = calloc(1, sizeof *tree);
    struct builder *builder = calloc(1, sizeof *builder);
    bool good = tree && builder;
    if (good) {
        tree->text = text;
        builder->tree = tree;
        builder->length = length;
        good = parse(builder, path, error);
    } else {
        error_set(error, "out of memory for %.200s", path);
        free(text);
    }
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
