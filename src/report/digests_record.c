/* The members of "digests": one row each. */
#include "report/digests_record.h"

#include "record/kinds.h"
#include "sweep/tally_record.h"

#include <stdlib.h>
#include <string.h>

static void write_groups(const struct record_out *out) {
    const struct shard_digests *one = out->data;
    char *text = malloc(one->count * DIGEST_TEXT + 1);
    if (!text)
        return; /* the document wants a member, and merging says so */
    for (size_t i = 0; i < one->count; i++)
        digest_write(&one->groups[i], text + i * DIGEST_TEXT);
    text[one->count * DIGEST_TEXT] = '\0';
    record_add(out, cJSON_CreateString(text));
    free(text);
}

static void read_groups(const struct record_in *in) {
    struct shard_digests *one = in->data;
    const char *text = json_string(in->reader, in->object, in->member->name);
    const size_t length = strlen(text);
    bool good = length % DIGEST_TEXT == 0;
    one->count = length / DIGEST_TEXT;
    one->groups = malloc((one->count + 1) * sizeof *one->groups);
    for (size_t i = 0; one->groups && good && i < one->count; i++)
        good = digest_read(&one->groups[i], text + i * DIGEST_TEXT);
    if (!good)
        record_fail(in, "should be 32 hexadecimal digits for each group of blocks");
    else if (!one->groups)
        record_fail(in, "is too large for the memory");
}

static void free_groups(const struct record_member *member, void *data) {
    struct shard_digests *one = data;
    (void)member;
    free(one->groups);
    one->groups = NULL;
}

static const struct record_kind groups_kind = {
    write_groups, read_groups, .free = free_groups,
    .schema = "{\"type\":\"string\",\"pattern\":\"^([0-9a-f]{32})*$\"}"};

static const struct record_member shard_members[] = {
    {"shard", &record_given, offsetof(struct shard_digests, shard),
     "{\"type\":\"integer\",\"minimum\":1}", .says = "The number of the shard."},
    {"groups", &groups_kind,
     .says = "Its digests in the order of its inputs, 32 hexadecimal digits each."}};
static const struct record shard_record = {"digests", shard_members, ROWS(shard_members),
                                           sizeof(struct shard_digests), RECORD_ALL};

static const struct record_member members[] = {
    {"digests", &record_array, offsetof(struct digest_list, rows),
     OF(struct record_array_of){&shard_record, offsetof(struct digest_list, count)},
     .flags = RECORD_ABSENT,
     .says = "In shards: the digests from which merge makes the fingerprint."}};
const struct record digests_record = {"digests", members, ROWS(members), sizeof(struct digest_list),
                                      RECORD_ALL};

bool digest_list_take(struct digest_list *list, struct digest_list *more) {
    const size_t count = (size_t)list->count + more->count;
    struct shard_digests *rows = realloc(list->rows, (count + 1) * sizeof *rows);
    if (!rows)
        return false;
    if (more->count)
        memcpy(rows + list->count, more->rows, more->count * sizeof *rows);
    list->rows = rows;
    list->count = (unsigned)count;
    free(more->rows);
    *more = (struct digest_list){0, NULL};
    return true;
}
