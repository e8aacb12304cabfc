/* Which boxes a search looks into next, given what it has seen. */
#ifndef DETCHECK_SWEEP_SEARCH_BEAM_H
#define DETCHECK_SWEEP_SEARCH_BEAM_H

#include "sweep/search/probe.h"

enum { BEAM_MOST_PROBES = 256 };

struct beam;

/* NULL without memory. The request outlives it. */
struct beam *beam_open(const struct search_request *request, struct error *error);
void beam_close(struct beam *beam);

/* The probes of the next round, at most BEAM_MOST_PROBES; returns how many. */
size_t beam_plan(struct beam *beam, struct probe *probes);

/* What the first of them saw: all, but in a round that the end of the search cut off. */
void beam_learn(struct beam *beam, const struct probe_result *results, size_t count);

#endif
