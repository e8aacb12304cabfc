"""Which pairs of fp32 are judged of functions of two operands, as options of `detcheck sweep`: for the tables of
src/detmath/README.md (tests/renew.py) and for the budgets (tests/proof)."""

SAMPLED = ("--samples", 2 ** 30, "--run-length", 4096)

# Where det's errors are largest: of operands of the same or of neighbouring binades, and where the operands of
# logaddexp begin to cancel. The words stand behind the function's name in its second row of the table.
WORST = {
    "atan2": ("operands from 1 to 4", (*2 * ("--range", "0x3f800000:0x407fffff"), "--samples", 2 ** 30,
                                       "--run-length", 4096, "--seed", 3)),
    "logaddexp": ("operands from -3 to -1/32", (*2 * ("--range", "0xbd000000:0xc03fffff"), "--samples", 2 ** 28,
                                                "--run-length", 256, "--seed", 3)),
}
