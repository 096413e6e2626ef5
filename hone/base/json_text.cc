#include "hone/base/json_text.h"

#include <nlohmann/json.hpp>

namespace hone {

std::string json_text(const nlohmann::ordered_json& json, int indent, bool ascii) {
  return json.dump(indent, ' ', ascii, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace hone
