"""What detmath's dyadic and scaled operations return against integers and fractions alone (arithmetic.py,
arithmetic_rows.py): arithmetic_check.py PROGRAM, where PROGRAM is arithmetic_lines. With TIER=quick it checks one line in seven."""
import os
import subprocess
import sys

import arithmetic
import arithmetic_rows as rows


def code_list(text):
    return [int(code, 16) for code in text.split(",")]


def factor(text):
    """The value of an fp32 code."""
    return arithmetic.decode(int(text, 16), "fp32")[0]


def dyadic(name, *words):
    numbers = [int(word) for word in words]
    return arithmetic.dyadic(name, *numbers[:-3]), tuple(numbers[-3:])


def scaled(name, form, x, y, n, am, ae, bm, be, power, code, m, e):
    got = int(code, 16), factor(m), int(e)
    if name == "gelu":
        return rows.gelu(form, int(x, 16), int(am, 16), int(ae)), got
    return arithmetic.scaled(name, form, int(x, 16), int(y, 16), int(n), int(am, 16), int(ae), int(bm, 16),
                             int(be), power == "1"), got


def softmax(form, x, am, ae, codes, scale):
    data, one = rows.softmax(form, code_list(x), int(am, 16), int(ae))
    return (*data, one), (*code_list(codes), int(scale, 16))


def matmul(form, x, y, am, ae, bm, be, power, static, code, m, e):
    want = rows.matmul(form, code_list(x), code_list(y), (int(am, 16), int(ae)), (int(bm, 16), int(be)), static,
                       power == "1")
    return want, (int(code, 16), factor(m), int(e))


def forgive(want, got, form, count):
    """want with those of its first `count` codes that got may differ in: the other zero, whose sign is others'
    business; in fp32 a neighbour, where double leaves results within 2^-50 of a tie undecided."""
    sign = 1 << sum(arithmetic.FORMATS[form][:2])
    return tuple(b if i < count and ((a in (0, sign) and b in (0, sign)) or (form == "fp32" and abs(a - b) == 1))
                 else a for i, (a, b) in enumerate(zip(want, got)))


def main():
    lines = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout
    least = {"dyadic": 15000, "scaled": 15000, "gelu": 2000, "softmax": 1500, "matmul": 1000}
    checked = dict.fromkeys(least, 0)
    step = 7 if os.environ.get("TIER") == "quick" else 1
    for line in lines.splitlines()[::step]:
        kind, *words = line.split()
        want, got = {"dyadic": dyadic, "scaled": scaled, "softmax": softmax, "matmul": matmul}[kind](*words)
        if want is None:  # NaN and infinite data, which are left to others
            continue
        if kind != "dyadic":
            form = words[1] if kind == "scaled" else words[0]
            want = forgive(want, got, form, len(want) - 1 if kind == "softmax" else 1)
        if want != got:
            sys.exit(f"{line}\nwant {want}\ngot  {got}")
        checked[kind] += 1
        checked["gelu"] += words[0] == "gelu"
    print(checked)
    if any(checked[kind] < count // step for kind, count in least.items()):
        sys.exit("hardly anything was checked")


if __name__ == "__main__":
    main()
