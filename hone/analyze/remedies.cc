#include "hone/analyze/remedy_def.h"

#include <algorithm>

namespace hone {

#define HONE_REMEDY(name) extern const RemedyDef remedy_##name;
#include "hone/analyze/remedies.inc"
#undef HONE_REMEDY

const std::vector<const RemedyDef*>& all_remedies() {
  static const std::vector<const RemedyDef*> kRemedies = {
#define HONE_REMEDY(name) &remedy_##name,
#include "hone/analyze/remedies.inc"
#undef HONE_REMEDY
  };
  return kRemedies;
}

bool RemedyDef::answers(std::string_view rule) const {
  return std::ranges::find(rules, rule) != rules.end();
}

const RemedyDef* find_remedy(std::string_view id) {
  for (const RemedyDef* remedy : all_remedies()) {
    if (remedy->id == id) return remedy;
  }
  return nullptr;
}

}  // namespace hone
