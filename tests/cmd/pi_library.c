/* Trigonometric functions of multiples of pi, where the platform's libm has none: nearly right. */
#include <math.h>

#define PI 0x1.921fb54442d18p+1

float sinpif(float x);
float cospif(float x);
float tanpif(float x);

float sinpif(float x) {
    return (float)sin(PI * fmod((double)x, 2));
}

float cospif(float x) {
    return (float)cos(PI * fmod((double)x, 2));
}

float tanpif(float x) {
    return (float)tan(PI * fmod((double)x, 2));
}
