"""The examples in C of detmath(3) and detmath-examples(3): each compiles without a warning, links with the library, and does what it says.
Every kernel of detmath/transformer.h has one.
With TIER=quick it compiles the first four.
Words: the folder of the sources, the library, the compiler, and what more it is told."""

import os
import re
import subprocess
import sys
import tempfile

# The function of an example, and a main that returns 0 where it is right.
DRIVERS = {
    "exponentials": "float y[2], x[2] = {0, 1}; exponentials(y, x, 2); return !(y[0] == 1 && y[1] > 2.718f && y[1] < 2.719f);",
    "quantise": "unsigned char e[32], s[1]; float x[32] = {1}; quantise(e, s, x, 32); return !(e[0] && !e[1]);",
    "narrow": "unsigned char e[2]; float x[2] = {1000, -1};"
              "return narrow(e, x, 2, \"onnx-24\") || e[0] != 0x7e || e[1] != 0xb8 || narrow(e, x, 2, \"ocp-unsaturated\")"
              "|| e[0] != 0x7f || narrow(e, x, 2, \"torchao-floor\") != -1;",
    "channels": "size_t e[4] = {1, 2, 1, 2}; unsigned char y[4], z[2] = {128, 1}; float s[2] = {0.5f, 2};"
                "float x[4] = {1.25f, -1000, 3, 5}; return channels(y, x, s, z, e) || y[0] != 130 || y[1] != 0"
                "|| y[2] != 3 || y[3] != 3;",
    "suffixes": "float x[4] = {1, 2, 3, 4}; suffixes(x, 2, 2); return !(x[0] == 3 && x[1] == 4 && x[2] < -1e38f);",
    # (1, 0) by 1 radian, and at position 0 as it is.
    "turn": "float x[8] = {1, 0, 1, 0, 1, 2, 3, 4}; int64_t p[2] = {1, 0}; return turn(x, p, 2, 2, 2) || x[0] != 0.540302306f"
            "|| x[1] != 0.841470985f || x[2] != x[0] || x[3] != x[1] || x[4] != 1 || x[7] != 4;",
    "block rows_normed images_normed":
        "float y[2], x[4] = {3, 3, 3, 3}, w[4] = {1, 1, 1, 1}, r[2] = {1, 3}, i[8] = {0, 2, 4, 6, 1, 3, 5, 7};"
        "if (block(y, x, w, 1, 4) || rows_normed(r, 1, 2) || images_normed(i, 1, 4, 2)) return 1;"
        "return !(y[0] == y[1] && y[0] > 0.4f && y[0] < 0.5f && r[0] == -r[1] && r[1] > 0.7071f && r[1] < 0.7072f"
        "&& i[0] == -i[1] && i[1] > 0.99f && i[1] <= 1);",
    # One row whose g is along x has no gradient in its direction; of x = 1, 1 the weight's gradient is g, nearly.
    "norm_back gate_back scores_back":
        "float d[2], z[2], x[2] = {1, 1}, g[2] = {2, 2}, w[2] = {1, 1}, h[2] = {0, 4}, e[2], l[1] = {1}, s[2] = {1, 0};"
        "int64_t t[1] = {0}; if (norm_back(d, z, x, g, w, 1, 2) || gate_back(e, h, g, 1, 2)) return 1;"
        "if (!(d[0] == d[1] && d[0] < 1e-4f && z[0] > 1.99f && z[0] < 2 && w[0] == 1 - z[0] / 2 && e[0] == 4 && e[1] == 0)) return 1;"
        "return scores_back(d, x, s, t, l, 1, 2) || s[0] != 0.25f || s[1] != -0.25f || d[0] != -0.5f || d[1] != 0.5f;",
    "attend attend_back ranked logarithms":
        "float y[4], q[4] = {0}, v[4] = {1, 2, 3, 4}, x[4] = {1, 4, 2, 3}, m[3], s[2]; int64_t i[3], k[1];"
        "if (attend(y, q, q, v, 2, 2) || ranked(m, i, k, x, 1, 4) || logarithms(s, x, 2)) return 1;"
        "float g[4] = {1, 0, 0, 2}, a[4], b[4], c[4], o[4] = {1, 0, 0, 1}, n[4] = {0};"
        "if (attend_back(a, b, c, n, o, v, g, 2, 2) || a[0] != 0 || a[2] != -1 || a[3] != 1 || b[0] != 0) return 1;"
        "if (c[0] != 1 || c[1] != 1 || c[2] != 0 || c[3] != 1) return 1;"
        "return !(y[0] == 1 && y[1] == 2 && y[2] == 2 && y[3] == 3 && m[0] == 4 && m[2] == 2 && i[0] == 1 && i[1] == 3 && k[0] == 1"
        "&& s[0] == 1 && s[1] == 3 && x[0] < -1.3f && x[1] > -0.32f && x[1] < -0.31f && x[3] == 4);",
    "mean_loss": "float y, x[4] = {1, 1, 3, 3}; int64_t t[2] = {0, 1}; return mean_loss(&y, x, t, 2, 2) || y != 0.693147182f;",
    # By 0.001 along the sign of the gradient, and 1e-5 of the weight: within a unit of bf16 it is the weight.
    "adamw": "uint16_t w[2] = {0x3f80, 0x3c23}; float g[2] = {1, -1}, m[2] = {0}, v[2] = {0};"
             "return adamw(w, g, m, v, 2, 1) || w[0] != 0x3f80 || w[1] != 0x3c33 || m[0] != 0.100000024f;",
    "pooled pooled_back": "float d[9], g[9] = {2, 0, 0, 4, 0, 0, 6, 0, 0}, o[3] = {1, 2, 3}, q[3] = {3}, e[3], u[3]; int64_t k[6] = {0, 1, 1, 1, 2, 0};"
              "if (pooled_back(d, k, g, e, q, u, o, o, 3) || d[0] != 4 || d[3] != 5 || d[6] != 3 || d[1] != 0) return 1;"
              "if (e[0] != 1 || e[2] != 1 || u[0] != 3 || u[1] != 6 || u[2] != 9) return 1;"
              "float b[4], t[4] = {1, 2, 3, 5}, m[2], s[2], x[2] = {1, 2}, w[3] = {1, 10, 100}; int64_t i[4] = {0, 1, 1, 1};"
              "return pooled(b, t, i, m, s, x, w, 2) || b[0] != 2 || b[1] != 3.5f || b[3] != 5 || m[0] != 1.5f || s[0] != 210 || s[1] != 21;",
    # Of one sample with as many places as its two channels have together, a group is a channel twice as long.
    "group_back channel_back gates_back weights_back":
        "float x[4] = {-1, 2, 3, 0}, g[4] = {1, -1, 2, 2}, d[4], e[4], w[2], z[2], b[2], c[2];"
        "if (group_back(d, w, b, x, g, 2, 2) || channel_back(e, z, c, x, g, 1, 4)) return 1;"
        "if (b[0] != 0 || b[1] != 4 || c[0] != 4 || w[0] + w[1] - z[0] > 1e-6f || z[0] - w[0] - w[1] > 1e-6f) return 1;"
        "for (int i = 0; i < 4; i++) if (d[i] != e[i] || d[i] == 0) return 1;"
        "float o[1] = {0}, u[1] = {2}, h[1] = {3}, p[1], q[1];"
        "if (gates_back(p, q, o, u, h, 1) || p[0] != 3 || q[0] != 0) return 1;"
        "float t[4] = {1, 2, 3, 4}, a[2] = {1, 10}, s[2]; int64_t i[2] = {1, 0};"
        "return weights_back(s, i, t, a, 2, 2) || s[0] != 43 || s[1] != 21;",
    "product": "uint16_t c[1]; float t[1], s[1] = {2}, r[1] = {4}; uint8_t a[2] = {0x38, 0x40}, b[2] = {0x3c, 0x40};"
               "return product(c, t, a, s, b, r, 1, 2, 1) || c[0] != 0x4500 || t[0] != 8;",  # 1 + 4, at 2 times 4
    # 707, 70711, -3536 and 1 behind the first rounding; over 2^9 1, 138, -7 and 0, and 3 more, within the ends.
    "requantised": "signed char y[4]; int x[4] = {1000, 100000, -5000, 1}; requantised(y, x, 4);"
                   "return !(y[0] == 4 && y[1] == 127 && y[2] == -4 && y[3] == 3);",
    # Targets of the weights 1/2 and -1/4.
    "train": "int32_t w[2] = {0}, m[2] = {0}, t[8], x[16] = {32, -8, 4, 40, -20, 12, 8, -36, 4, 24, -32, 8, 36, -12, 20, -8};"
             "for (int i = 0; i < 8; i++) t[i] = x[i] / 2 - x[8 + i] / 4;"
             "for (uint64_t i = 0; i < 200; i++) if (train(w, m, x, t, 2, i)) return 1;"
             "return w[0] < 2048 - 41 || w[0] > 2048 + 41 || w[1] < -1024 - 41 || w[1] > -1024 + 41;",
}


def main(sources, library, compiler, *flags):
    flags = [flag for flag in flags if flag != "-fsanitize="]
    examples = []
    for page in ("detmath.3", "detmath-examples.3"):
        with open(os.path.join(sources, "man", page), encoding="utf-8") as stream:
            examples += re.findall(r"^\.Bd -literal\n(#include.*?)^\.Ed", stream.read(), re.M | re.S)
    names = []
    with tempfile.TemporaryDirectory(prefix="detcheck-test-") as folder:
        for text in examples:
            text = text.replace("\\e", "\\")
            name = " ".join(re.findall(r"^(?:void|int|uint32_t) (\w+)\(", text, re.M))
            names.append(name)
            if os.environ.get("TIER") == "quick" and len(names) > 4:
                continue
            source, program = os.path.join(folder, f"{len(names)}.c"), os.path.join(folder, str(len(names)))
            with open(source, "w", encoding="ascii") as stream:
                stream.write(f"{text}\nint main(void) {{ {DRIVERS[name]} }}\n")
            subprocess.run([compiler, *flags, "-std=c11", "-Wall", "-Wextra", "-Werror", "-I",
                            os.path.join(sources, "src"), source, library, "-lm", "-o", program], check=True)
            if subprocess.run([program], check=False).returncode:
                sys.exit(f"the example {name} does not do what it says")
    if sorted(names) != sorted(DRIVERS):
        sys.exit(f"there are examples {names}, and it should be {list(DRIVERS)}")
    with open(os.path.join(sources, "src", "detmath", "transformer.h"), encoding="utf-8") as stream:
        kernels = re.findall(r"^int (detmath_\w+)\(", stream.read(), re.M)
    without = [name for name in kernels if not re.search(rf"\b{name}\(", "".join(examples))]
    if len(kernels) < 20 or without:
        sys.exit(f"of {len(kernels)} kernels these have no example: {without}")


if __name__ == "__main__":
    main(*sys.argv[1:])
