/* Libraries that need each other: what the first one returns is computed by the last. */
#if NUMBER == 1
float scaled(float x);
float chained(float x);
float chained(float x) {
    return scaled(x) + 1;
}
#elif NUMBER == 2
float twice(float x);
float scaled(float x);
float scaled(float x) {
    return 2 * twice(x);
}
#else
float twice(float x);
float twice(float x) {
    return 2 * x;
}
#endif
