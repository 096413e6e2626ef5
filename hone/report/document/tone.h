#pragma once

#include <string_view>

#include "hone/report/document/document.h"

namespace hone {

// What style sheets call it: "good"; empty for plain words.
std::string_view css_name(Tone tone);

}  // namespace hone
