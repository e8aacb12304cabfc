// Functions of C++ that read and write numbers, with the signatures of strtod, strtof and snprintf, for lib::
//
//     c++ -std=c++17 -O2 -shared -fPIC texts_functions.cpp -o texts_functions.so
//     detcheck sweep from_decimal --grammar from_chars --impl lib:./texts_functions.so:from_chars_fp64
#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

// from_chars leaves the number unset if it is out of range: then strtod says which end it is.
template <class number> static number by_from_chars(const char *text, char **end) {
    number y = 0;
    const auto read = std::from_chars(text, text + std::strlen(text), y);
    if (end)
        *end = const_cast<char *>(read.ec == std::errc::invalid_argument ? text : read.ptr);
    if (read.ec != std::errc::result_out_of_range)
        return y;
    return std::fabs(std::strtod(text, nullptr)) > 1
               ? std::copysign(number(HUGE_VAL), *text == '-' ? number(-1) : number(1))
               : std::copysign(number(0), *text == '-' ? number(-1) : number(1));
}

extern "C" {

double from_chars_fp64(const char *text, char **end) {
    return by_from_chars<double>(text, end);
}

float from_chars_fp32(const char *text, char **end) {
    return by_from_chars<float>(text, end);
}

// The format is %.*e or %.*f, as detcheck asks for exponent and fixed.
int to_chars_fp64(char *text, size_t room, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int digits = va_arg(arguments, int);
    const double x = va_arg(arguments, double);
    va_end(arguments);
    const auto style =
        std::strchr(format, 'e') ? std::chars_format::scientific : std::chars_format::fixed;
    const auto written = std::to_chars(text, text + room - 1, x, style, digits);
    *written.ptr = '\0';
    return static_cast<int>(written.ptr - text);
}
}
