/* Every function family, in an order in which each can use those before it. */
#ifndef DETMATH_FAMILIES_H
#define DETMATH_FAMILIES_H

#include "core.h"
#include "round.h"

#define DETMATH_FAMILIES
#include "functions.inc"

#endif
