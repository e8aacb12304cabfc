/* The parameters of an addition as rows: which nodes have them, and the values that are tried. */
#ifndef DETCHECK_REVEAL_NODE_PARAMETERS_H
#define DETCHECK_REVEAL_NODE_PARAMETERS_H

#include "reveal/models.h"

enum { NODE_PARAMETERS = 22, NODE_PARAMETER_VALUES = 64, NODE_PARAMETER_TEXT = 200 };

bool node_parameter_matters(unsigned parameter, const struct finding *finding,
                            const struct order_node *node);
/* The values that are tried; returns how many. */
unsigned node_parameter_values(unsigned parameter, const struct order_node *node,
                               int values[NODE_PARAMETER_VALUES]);
bool node_parameter_has_few_values(unsigned parameter);

int node_parameter_value(unsigned parameter, const struct order_node *node);
/* Bits that only one place of c has are set with that. */
void node_parameter_set(unsigned parameter, struct order_node *node, int value);

/* "bits that aligned terms keep: 24 to 26 or all", of one of several nodes with its number before that. */
void node_parameter_line(unsigned parameter, const int *values, unsigned count, unsigned node,
                         bool several, char line[NODE_PARAMETER_TEXT]);

#endif
