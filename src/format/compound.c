/* The compounds made so far, and their names. */
#include "format/compound.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 160, MOST_COMPOUNDS = 4096 };

static struct format *compounds[MOST_COMPOUNDS];
static size_t compound_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* The same by name, or else made of a copy of `row`. */
static const struct format *keep(const char *name, const struct format *row, struct error *error) {
    const struct format *found = NULL;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < compound_count && !found; i++)
        if (strcmp(compounds[i]->name, name) == 0)
            found = compounds[i];
    if (!found && compound_count < MOST_COMPOUNDS) {
        struct format *made = malloc(sizeof *made);
        char *own = strdup(name);
        if (made && own) {
            *made = *row;
            made->name = own;
            found = compounds[compound_count++] = made;
        } else {
            free(made);
            free(own);
        }
    }
    pthread_mutex_unlock(&mutex);
    if (!found)
        error_set(error, "no room for the format %.100s", name);
    return found;
}

static const struct format *make_scaled(const struct format *scale, const struct format *element,
                                        struct error *error) {
    char name[NAME_ROOM];
    const unsigned width = scale->width + element->width;
    const struct format row = {.aliases = "",
                               .width = width,
                               .precision = scale->precision + element->precision,
                               .emin = scale->emin + element->emin,
                               .emax = scale->emax + element->emax + 1,
                               .has_nan = true,
                               .has_zero = true,
                               .is_p3109 = true,
                               .max_finite = UINT64_MAX >> (64 - width),
                               .scale = scale,
                               .element = element};
    snprintf(name, sizeof name, "%s*%s", scale->name, element->name);
    return keep(name, &row, error);
}

/* What is true of all operands: the widest code, the longest significand, the widest range. */
static const struct format *make_list(const struct format *const *of, int count,
                                      struct error *error) {
    char name[NAME_ROOM] = "";
    struct format row = {.aliases = "", .has_nan = true, .has_zero = true, .is_p3109 = true};
    bool alike = true, has_p3109 = false;
    for (int i = 0; i < count; i++) {
        row.of[i] = of[i];
        row.width = of[i]->width > row.width ? of[i]->width : row.width;
        row.precision = of[i]->precision > row.precision ? of[i]->precision : row.precision;
        row.emin = !i || of[i]->emin < row.emin ? of[i]->emin : row.emin;
        row.emax = !i || of[i]->emax > row.emax ? of[i]->emax : row.emax;
        alike = alike && of[i] == of[0];
        has_p3109 = has_p3109 || of[i]->is_p3109;
        snprintf(name + strlen(name), sizeof name - strlen(name), "%s%s", i ? ":" : "",
                 of[i]->name);
    }
    row.max_finite = UINT64_MAX >> (64 - row.width);
    if (!has_p3109) {
        error_set(
            error,
            "operands have formats of their own by P3109 only: one of %.100s must be one of its",
            name);
        return NULL;
    }
    return alike ? of[0] : keep(name, &row, error);
}

/* A format, or a scaled one. */
static const struct format *find_part(const char *text, format_find_function *find,
                                      struct error *error) {
    char scale[NAME_ROOM];
    const char *star = strchr(text, '*');
    if (!star)
        return find(text, error);
    snprintf(scale, sizeof scale, "%.*s", (int)(star - text), text);
    const struct format *first = find(scale, error);
    const struct format *element = first ? find(star + 1, error) : NULL;
    if (!element)
        return NULL;
    if (!first->is_p3109 || !element->is_p3109) {
        error_set(error,
                  "a scale and its element have formats of P3109, such as "
                  "binary8p1uf*binary8p4se, and %s is none",
                  first->is_p3109 ? element->name : first->name);
        return NULL;
    }
    return make_scaled(first, element, error);
}

const struct format *compound_find(const char *text, format_find_function *find, bool *is_name,
                                   struct error *error) {
    const struct format *of[FORMAT_OPERANDS];
    int count = 0;
    *is_name = strpbrk(text, "*:") != NULL;
    if (!*is_name)
        return NULL;
    for (const char *at = text; at; count++) {
        char part[NAME_ROOM];
        const size_t length = strcspn(at, ":");
        if (count == FORMAT_OPERANDS || length >= sizeof part) {
            error_set(error, "'%.80s' names more than %d formats, one for each operand", text,
                      FORMAT_OPERANDS);
            return NULL;
        }
        snprintf(part, sizeof part, "%.*s", (int)length, at);
        of[count] = find_part(part, find, error);
        if (!of[count])
            return NULL;
        if (of[count]->is_integer || of[count]->is_element || of[count]->width > 32) {
            error_set(error, "%s cannot stand beside a format of P3109; fp16, bf16 and fp32 can",
                      of[count]->name);
            return NULL;
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    return count == 1 ? of[0] : make_list(of, count, error);
}
