// detcheck asks, Go's package math answers:
//
//	go build go_adapter.go
//	detcheck sweep sin --impl exec:./go_adapter
//
// The package has functions in fp64 alone. Of fp32 the inputs, which fp64 holds, are given to the same function, and its
// result is rounded to fp32 once. To measure something else, change the table; what stands in `narrow` is called for
// fp32 as it is.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
)

func lgamma(x float64) float64 {
	y, _ := math.Lgamma(x)
	return y
}

func unary(f func(float64) float64) func(x, y, z float64) float64 {
	return func(x, _, _ float64) float64 { return f(x) }
}

func binary_(f func(x, y float64) float64) func(x, y, z float64) float64 {
	return func(x, y, _ float64) float64 { return f(x, y) }
}

type function struct {
	operands int
	compute  func(x, y, z float64) float64
}

// By detcheck's names.
var wide = map[string]function{}

var narrow = map[string]func(float32) float32{}

func init() {
	for name, f := range map[string]func(float64) float64{
		"exp": math.Exp, "exp2": math.Exp2, "expm1": math.Expm1, "log": math.Log, "log2": math.Log2,
		"log10": math.Log10, "log1p": math.Log1p, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan,
		"asin": math.Asin, "acos": math.Acos, "atan": math.Atan, "sinh": math.Sinh, "cosh": math.Cosh,
		"tanh": math.Tanh, "asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh, "sqrt": math.Sqrt,
		"cbrt": math.Cbrt, "erf": math.Erf, "erfc": math.Erfc, "erfinv": math.Erfinv, "tgamma": math.Gamma,
		"lgamma": lgamma, "j0": math.J0, "j1": math.J1, "y0": math.Y0, "y1": math.Y1, "logb": math.Logb,
		"trunc": math.Trunc, "ceil": math.Ceil, "floor": math.Floor, "round": math.Round,
		"roundeven": math.RoundToEven,
	} {
		wide[name] = function{1, unary(f)}
	}
	for name, f := range map[string]func(x, y float64) float64{
		"pow": math.Pow, "atan2": math.Atan2, "hypot": math.Hypot, "fmod": math.Mod, "remainder": math.Remainder,
		"fdim": math.Dim, "fminimum": math.Min, "fmaximum": math.Max,
	} {
		wide[name] = function{2, binary_(f)}
	}
	wide["fma"] = function{3, math.FMA}
}

var input = bufio.NewReaderSize(os.Stdin, 1<<20)

func take(count uint32) []byte {
	bytes := make([]byte, count)
	if _, err := io.ReadFull(input, bytes); err != nil {
		os.Exit(0) // detcheck has seen enough
	}
	return bytes
}

func give(bytes []byte) {
	if _, err := os.Stdout.Write(bytes); err != nil {
		os.Exit(1)
	}
}

func name(header []byte) string {
	return string(bytes.TrimRight(header[:32], "\x00"))
}

// What detcheck asks for: the function, whether it is in fp64, and how many operands it has.
func greet() (function, bool) {
	if string(take(8)) != "detcheck" {
		fmt.Fprintln(os.Stderr, "this program is for 'detcheck sweep ... --impl exec:COMMAND'")
		os.Exit(1)
	}
	header := take(152)
	operation, format, result, rounding := name(header[24:]), name(header[56:]), name(header[88:]), name(header[120:])
	operands, parameters := int(binary.LittleEndian.Uint32(header[4:])), string(take(binary.LittleEndian.Uint32(header[20:])))
	chosen, text := wide[operation], "math of "+runtime.Version()+", "+runtime.GOARCH
	if format == "fp32" {
		text += ", rounded once from fp64"
	}
	if f := narrow[operation]; f != nil && format == "fp32" {
		chosen = function{1, func(x, _, _ float64) float64 { return float64(f(float32(x))) }}
		text = "the functions of fp32 that were built in, " + runtime.Version()
	}
	// The sum of a fused multiplication and addition in fp64, rounded to fp32, is rounded twice.
	ready := chosen.operands == operands && (format == "fp64" || format == "fp32" && operation != "fma") &&
		result == format && rounding == "nearest-even" && !strings.HasPrefix(parameters, "arrays=")
	status := uint32(0)
	if !ready {
		status, text = 1, fmt.Sprintf("go_adapter has no %s in %s, %s", operation, format, rounding)
	}
	reply := binary.LittleEndian.AppendUint32([]byte("detreply"), status)
	give(append(binary.LittleEndian.AppendUint32(reply, uint32(len(text))), text...))
	if !ready {
		os.Exit(0)
	}
	return chosen, format == "fp64"
}

func main() {
	chosen, is_wide := greet()
	size := uint32(4)
	if is_wide {
		size = 8
	}
	for {
		head := take(16)
		kind, count := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
		first := binary.LittleEndian.Uint64(head[8:])
		operands := [3][]byte{}
		for i := 0; i < chosen.operands && kind != 1; i++ {
			operands[i] = take(size * count)
		}
		number := func(operand int, at uint32) float64 {
			code := first + uint64(at)
			if codes := operands[operand]; codes != nil && is_wide {
				code = binary.LittleEndian.Uint64(codes[8*at:])
			} else if codes != nil {
				code = uint64(binary.LittleEndian.Uint32(codes[4*at:]))
			}
			if is_wide {
				return math.Float64frombits(code)
			}
			return float64(math.Float32frombits(uint32(code)))
		}
		answer := binary.LittleEndian.AppendUint32([]byte("answ"), count)
		for at := uint32(0); at < count; at++ {
			z := chosen.compute(number(0, at), number(1, at), number(2, at))
			if is_wide {
				answer = binary.LittleEndian.AppendUint64(answer, math.Float64bits(z))
			} else {
				answer = binary.LittleEndian.AppendUint32(answer, math.Float32bits(float32(z)))
			}
		}
		give(append(answer, "done"...))
	}
}
