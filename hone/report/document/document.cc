#include "hone/report/document/document.h"

namespace hone {

Facts facts_of(const Provenance& from) {
  Facts facts;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) facts.items.emplace_back(name, value);
  };
  add("command", from.command);
  add("tool", from.tool);
  for (const auto& [key, value] : from.model) add("model " + key, value);
  for (const auto& [key, value] : from.run) add(key, value);
  return facts;
}

}  // namespace hone
