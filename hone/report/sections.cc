#include "hone/report/section_def.h"

namespace hone {

#define HONE_SECTION(name) extern const SectionDef section_##name;
#include "hone/report/sections.inc"
#undef HONE_SECTION

const std::vector<const SectionDef*>& all_sections() {
  static const std::vector<const SectionDef*> sections = {
#define HONE_SECTION(name) &section_##name,
#include "hone/report/sections.inc"
#undef HONE_SECTION
  };
  return sections;
}

}  // namespace hone
