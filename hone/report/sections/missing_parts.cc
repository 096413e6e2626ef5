#include "hone/base/str.h"
#include "hone/device/host.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

Blocks blocks(const HostReport& report, const ShowOptions&) {
  const std::string command = install_command(report);
  return {
      Paragraph{command.empty() ? "nothing is missing" : str("to get what is missing: ", command)}};
}

}  // namespace

extern const SectionDef section_missing_parts = {.title = "What is missing", .of_host = blocks};

}  // namespace hone
