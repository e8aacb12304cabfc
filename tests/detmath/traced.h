/* A number of fp64 that knows how it was computed, in place of double where detmath's headers are compiled as C++: every sum,
 * product and fma is written down, so that a test sees the exact value that a result was rounded from. */
#ifndef DETCHECK_TESTS_DETMATH_TRACED_H
#define DETCHECK_TESTS_DETMATH_TRACED_H

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace trace {

/* result is a * b + c, rounded; a sum has b = 1, and a product c = 0. */
struct step {
    double a, b, c, result;
    bool is_sum;
};

/* The last steps, of which the newest is number count - 1. */
constexpr std::size_t KEPT = 1024;
inline step steps[KEPT];
inline std::size_t count;

inline const step &number(std::size_t i) {
    return steps[i % KEPT];
}

} // namespace trace

struct traced {
    double value;
    traced() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
    constexpr traced(T number) : value(static_cast<double>(number)) {}
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
    explicit constexpr operator T() const {
        return static_cast<T>(value);
    }
};

namespace trace {

template <typename T>
using if_number = std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, traced>>;
template <typename A, typename B>
using if_traced = std::enable_if_t<(std::is_same_v<A, traced> || std::is_same_v<B, traced>)&&(
    std::is_arithmetic_v<A> || std::is_same_v<A, traced>)&&(std::is_arithmetic_v<B> ||
                                                            std::is_same_v<B, traced>)>;

inline traced write(double a, double b, double c, double result, bool is_sum = false) {
    steps[count++ % KEPT] = {a, b, c, result, is_sum};
    return result;
}
inline traced fma(traced a, traced b, traced c) {
    return write(a.value, b.value, c.value, std::fma(a.value, b.value, c.value));
}

} // namespace trace

template <typename A, typename B, typename = trace::if_traced<A, B>> traced operator+(A a, B b) {
    const double x = traced(a).value, y = traced(b).value;
    return trace::write(x, 1, y, x + y, true);
}
template <typename A, typename B, typename = trace::if_traced<A, B>> traced operator-(A a, B b) {
    const double x = traced(a).value, y = traced(b).value;
    return trace::write(x, 1, -y, x - y, true);
}
template <typename A, typename B, typename = trace::if_traced<A, B>> traced operator*(A a, B b) {
    const double x = traced(a).value, y = traced(b).value;
    return trace::write(x, y, 0, x * y);
}
template <typename A, typename B, typename = trace::if_traced<A, B>> traced operator/(A a, B b) {
    return traced(a).value / traced(b).value; /* no candidate is a quotient */
}
inline traced operator-(traced a) {
    return -a.value;
}
inline traced operator+(traced a) {
    return a;
}
template <typename B> traced &operator+=(traced &a, B b) {
    return a = a + b;
}
template <typename B> traced &operator-=(traced &a, B b) {
    return a = a - b;
}
template <typename B> traced &operator*=(traced &a, B b) {
    return a = a * b;
}
#define TRACED_COMPARISON(OPERATOR)                                                                \
    template <typename A, typename B, typename = trace::if_traced<A, B>>                           \
    bool operator OPERATOR(A a, B b) {                                                             \
        return traced(a).value OPERATOR traced(b).value;                                           \
    }
TRACED_COMPARISON(<)
TRACED_COMPARISON(>)
TRACED_COMPARISON(<=)
TRACED_COMPARISON(>=)
TRACED_COMPARISON(==)
TRACED_COMPARISON(!=)
#undef TRACED_COMPARISON

#endif
