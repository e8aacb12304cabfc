/* Single changes of a rule (op/block/rules.h), a row each: how two programs that follow the same rule otherwise may part. */
#ifndef DETCHECK_OP_BLOCK_SWITCHES_H
#define DETCHECK_OP_BLOCK_SWITCHES_H

#include "op/block/rules.h"

struct block_switch {
    const char *name; /* "quantised-..." */
    const char *says; /* of the side that does so, which is named before it */
    uint16_t offset;  /* of the member */
    uint8_t kind;     /* below */
    float value;      /* of the member; of a divisor, which number of the elements it is */
};

enum { SWITCH_CHOICE, SWITCH_FLAG, SWITCH_NUMBER, SWITCH_DIVISOR };

extern const struct block_switch block_switches[];
extern const size_t block_switch_count;

/* The rule with the change; false where it has that already, or where the layout or the rest of the rule leave it no meaning. */
bool block_switched(const struct quantiser_rule *from, const struct block_layout *layout,
                    size_t index, struct quantiser_rule *to);

/* Whether a rule that was changed so has in that what another rule has. */
bool block_switch_leads(const struct quantiser_rule *changed, const struct quantiser_rule *to,
                        size_t index);

#endif
