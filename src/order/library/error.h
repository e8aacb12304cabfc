/* What goes wrong in calls of libdetmath_order, for people. */
#ifndef DETMATH_ERROR_H
#define DETMATH_ERROR_H

/* One line without its end. Functions that can fail take one last, NULL where nobody reads it. */
struct detmath_error {
    char text[768];
};

#endif
