#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace hone {

// Everything that Hone writes as JSON comes from here. Names in a model may hold bytes that are no
// UTF-8; they become U+FFFD. An indent of -1 puts all on one line. `ascii`: nothing but printable
// ASCII, the rest as \uXXXX, for a terminal.
std::string json_text(const nlohmann::ordered_json& json, int indent = -1, bool ascii = false);

}  // namespace hone
