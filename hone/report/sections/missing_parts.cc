#include "hone/base/str.h"
#include "hone/device/host.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

Blocks missing_parts_blocks(const HostReport& report, const ShowOptions&) {
  const std::string command = install_command(report);
  return {
      Paragraph{command.empty() ? "nothing is missing" : str("to get what is missing: ", command)}};
}

}  // namespace

extern const SectionDef section_missing_parts = {.title = "What is missing",
                                                 .of_host = missing_parts_blocks};

}  // namespace hone
