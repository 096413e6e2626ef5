#pragma once

#include <string_view>

namespace hone::c_code {

// A keyword of C, a word that compilers take for one or replace, or a type or macro of <stddef.h> and <stdint.h>. Besides
// them all that begin with an underscore are kept to compilers.
bool is_word_of_c(std::string_view name);

// A function of the C library, with which one of the same name clashes.
bool is_library_function(std::string_view name);

}  // namespace hone::c_code
