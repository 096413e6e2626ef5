#include "hone/base/str.h"
#include "hone/device/host.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

Blocks host_parts_blocks(const HostReport& report, const ShowOptions&) {
  DataTable table{.columns = {{"for"}, {"part"}, {"found"}, {"detail"}}};
  for (const HostPart& part : report.parts) {
    table.rows.push_back({part.purpose, part.name,
                          Cell(part.found ? "yes" : "no", part.found ? Tone::Good : Tone::Warn),
                          part.detail});
  }
  return {table};
}

}  // namespace

extern const SectionDef section_host_parts = {.title = "What is there",
                                              .of_host = host_parts_blocks};

}  // namespace hone
