/* The facts of a machine, and the words that tell them. */
#define _POSIX_C_SOURCE 200809L /* gethostname */
#include "impl/machine.h"

#include "impl/implementation.h"
#include "platform/platform.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct member {
    const char *word;
    size_t offset, room;
};

static const struct member members[] = {
    {"variant=", offsetof(struct machine, variant), sizeof(((struct machine *)0)->variant)},
    {"host=", offsetof(struct machine, host), sizeof(((struct machine *)0)->host)},
    {"build=", offsetof(struct machine, build), sizeof(((struct machine *)0)->build)},
};
enum { MEMBERS = sizeof members / sizeof *members };

void machine_of(const struct binding *binding, struct machine *machine) {
    const struct implementation_kind *kind = binding->implementation->kind;
    char build[BUILD_TEXT] = "";
    *machine = binding->machine;
    if (kind->is_command)
        return;
    gethostname(machine->host, sizeof machine->host - 1);
    binding_build(binding, build);
    snprintf(machine->build, sizeof machine->build, "%.*s", (int)strcspn(build, ","), build);
    if (strcmp(kind->name, "libm") == 0) {
        struct platform platform;
        platform_describe(&platform);
        snprintf(machine->variant, sizeof machine->variant, "%s",
                 libm_variant_names[platform.libm_variant]);
    }
}

void machine_write(const struct machine *machine, char text[MACHINE_TEXT]) {
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < MEMBERS; i++) {
        const char *value = (const char *)machine + members[i].offset;
        if (*value)
            used +=
                (size_t)snprintf(text + used, MACHINE_TEXT - used, "%s%s ", members[i].word, value);
    }
}

/* The member whose word the text begins with, or NULL. */
static const struct member *member_at(const char *text) {
    for (size_t i = 0; i < MEMBERS; i++)
        if (strncmp(text, members[i].word, strlen(members[i].word)) == 0)
            return &members[i];
    return NULL;
}

const char *machine_read(const char *text, struct machine *machine) {
    const struct member *member;
    *machine = (struct machine){.host = ""};
    while ((member = member_at(text)) && strchr(text, ' ')) {
        const char *value = text + strlen(member->word), *end = strchr(value, ' ');
        snprintf((char *)machine + member->offset, member->room, "%.*s", (int)(end - value), value);
        text = end + 1;
    }
    return text;
}
