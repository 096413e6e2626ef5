#include "hone/targets/c_code/c_words.h"

#include <algorithm>
#include <iterator>

namespace hone::c_code {
namespace {

template <class Words>
bool is_among(std::string_view name, const Words& words) {
  return std::ranges::find(words, name) != std::end(words);
}

// Those of <stdint.h> are many: uint_fast16_t, INT64_MIN, UINTPTR_MAX, INT8_C.
bool is_integer_type(std::string_view name) {
  return (name.starts_with("int") || name.starts_with("uint")) && name.ends_with("_t");
}
bool is_integer_macro(std::string_view name) {
  constexpr std::string_view kBegins[] = {"INT",        "UINT",  "SIZE", "PTRDIFF",
                                          "SIG_ATOMIC", "WCHAR", "WINT"};
  constexpr std::string_view kEnds[] = {"_MIN", "_MAX", "_C", "_WIDTH"};
  return std::ranges::any_of(kBegins, [&](std::string_view it) { return name.starts_with(it); }) &&
         std::ranges::any_of(kEnds, [&](std::string_view it) { return name.ends_with(it); });
}

constexpr std::string_view kWords[] = {
    "NULL",     "asm",      "auto",      "break",   "case",    "char",   "const",  "continue",
    "default",  "do",       "double",    "else",    "enum",    "extern", "float",  "for",
    "goto",     "i386",     "if",        "inline",  "int",     "linux",  "long",   "max_align_t",
    "offsetof", "register", "restrict",  "return",  "short",   "signed", "sizeof", "size_t",
    "static",   "struct",   "ptrdiff_t", "switch",  "typedef", "typeof", "union",  "unix",
    "unsigned", "void",     "volatile",  "wchar_t", "while"};

// Of <stdio.h>, <stdlib.h> and <string.h>.
constexpr std::string_view kFunctions[] = {
    "abort",   "abs",     "aligned_alloc", "atexit",   "atof",      "atoi",     "atol",   "atoll",
    "bsearch", "calloc",  "clearerr",      "div",      "exit",      "fclose",   "feof",   "ferror",
    "fflush",  "fgetc",   "fgetpos",       "fgets",    "fopen",     "fprintf",  "fputc",  "fputs",
    "fread",   "free",    "freopen",       "fscanf",   "fseek",     "fsetpos",  "ftell",  "fwrite",
    "getc",    "getchar", "getenv",        "labs",     "ldiv",      "llabs",    "lldiv",  "malloc",
    "memchr",  "memcmp",  "memcpy",        "memmove",  "memset",    "perror",   "printf", "putc",
    "putchar", "puts",    "qsort",         "rand",     "realloc",   "remove",   "rename", "rewind",
    "scanf",   "setbuf",  "setvbuf",       "snprintf", "sprintf",   "srand",    "sscanf", "strcat",
    "strchr",  "strcmp",  "strcoll",       "strcpy",   "strcspn",   "strerror", "strlen", "strncat",
    "strncmp", "strncpy", "strpbrk",       "strrchr",  "strspn",    "strstr",   "strtod", "strtof",
    "strtok",  "strtol",  "strtoll",       "strtoul",  "strtoull",  "strxfrm",  "system", "tmpfile",
    "tmpnam",  "ungetc",  "vfprintf",      "vprintf",  "vsnprintf", "vsprintf"};

// Of <math.h>, each with an f or an l behind it as well.
constexpr std::string_view kMath[] = {
    "acos",      "acosh",     "asin",  "asinh",     "atan",   "atan2",  "atanh",   "cbrt",
    "ceil",      "copysign",  "cos",   "cosh",      "erf",    "erfc",   "exp",     "exp2",
    "expm1",     "fabs",      "fdim",  "floor",     "fma",    "fmax",   "fmin",    "fmod",
    "frexp",     "hypot",     "ilogb", "ldexp",     "lgamma", "llrint", "llround", "log",
    "log10",     "log1p",     "log2",  "logb",      "lrint",  "lround", "modf",    "nan",
    "nearbyint", "nextafter", "pow",   "remainder", "remquo", "rint",   "round",   "scalbn",
    "sin",       "sinh",      "sqrt",  "tan",       "tanh",   "tgamma", "trunc"};

bool is_math_function(std::string_view name) {
  const bool typed = name.ends_with('f') || name.ends_with('l');
  return is_among(name, kMath) || (typed && is_among(name.substr(0, name.size() - 1), kMath));
}

}  // namespace

bool is_word_of_c(std::string_view name) {
  return is_integer_type(name) || is_integer_macro(name) || is_among(name, kWords);
}

bool is_library_function(std::string_view name) {
  return is_among(name, kFunctions) || is_math_function(name);
}

}  // namespace hone::c_code
