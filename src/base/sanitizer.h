/* Whether AddressSanitizer is in this build. It reports crashes itself, and replaces what the program
 * must then not choose: gcc says so by a macro, clang by a feature. */
#ifndef DETCHECK_BASE_SANITIZER_H
#define DETCHECK_BASE_SANITIZER_H

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ADDRESS_SANITIZER
#endif
#endif

#endif
