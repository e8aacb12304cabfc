/* JavaScript's functions for detcheck: node_adapter.js and the page of browser_adapter.py load this file.
 *
 * Math has functions in fp64 alone. Of fp32 the inputs, which fp64 holds, are given to the same function, and its result
 * is rounded to fp32 once. To measure something else, change the table. */
"use strict";

/* detcheck's names, of which most are Math's own. */
const DETCHECK_MATH = Object.fromEntries(
    ["exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
     "tanh", "asinh", "acosh", "atanh", "sqrt", "cbrt", "trunc", "ceil", "floor", "pow", "atan2", "hypot"]
        .map(name => [name, Math[name]]));
DETCHECK_MATH.fmod = (x, y) => x % y;
DETCHECK_MATH.fminimum = Math.min;
DETCHECK_MATH.fmaximum = Math.max;

/* The codes of the results, for the codes of the operands, one array for each. */
function detcheckCompute(compute, format, operands) {
    const kind = format === "fp64" ? Float64Array : Float32Array;
    const [x, y] = operands.map(codes => new kind(codes));
    const z = new kind(x.length);
    if (y)
        for (let i = 0; i < z.length; i++)
            z[i] = compute(x[i], y[i]);
    else
        for (let i = 0; i < z.length; i++)
            z[i] = compute(x[i]);
    return z.buffer;
}

if (typeof module === "object")
    module.exports = { DETCHECK_MATH, detcheckCompute };
