/* Functions that round an approximation: its error is known, and far below half a unit of the last place. */
#include <float.h>
#include <math.h>

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 wide;
#else
typedef long double wide;
#endif

/* A root, from one that has 53 bits or is subnormal; so many steps of Newton's method leave an error below 2^-100. */
static wide refined_sqrt(wide x, double start) {
    wide root = start;
    for (int i = 0; i < 8; i++)
        root = (root + x / root) / 2;
    return root;
}

/* The relative error is 2^-93: of fp64's results 2^-41 to 2^-40 ulp. */
static double rounded(wide result) {
    return (double)(result + result * (wide)0x1p-93);
}

double rsqrt_approximated(double x) {
    if (!(x > 0) || isinf(x))
        return 1 / sqrt(x);
    return rounded(1 / refined_sqrt(x, sqrt(x)));
}

double cbrt_approximated(double x) {
    wide root = cbrt(x);
    if (x == 0 || isnan(x) || isinf(x))
        return cbrt(x);
    for (int i = 0; i < 2; i++)
        root = (2 * root + x / root / root) / 3;
    return rounded(root);
}

double hypot_approximated(double x, double y) {
    const double near = hypot(x, y);
    if (isnan(near) || isinf(x) || isinf(y) || x == 0 || y == 0)
        return near;
    return rounded(refined_sqrt((wide)x * x + (wide)y * y, isinf(near) ? DBL_MAX : near));
}

/* The error is 2^-10 to 2^-11 ulp. */
float rsqrt_roughly(float x) {
    const double result = 1 / sqrt((double)x);
    return (float)(result + result * 0x1p-34);
}

/* The same, and two units off at one input. */
float rsqrt_roughly_but_one(float x) {
    return rsqrt_roughly(x) + (x == 1.00390625f ? 0x1p-23f : 0);
}
