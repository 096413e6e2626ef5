#include "hone/profile/engines.h"

#include "hone/report/markdown_engines.h"
#include "hone/report/report.h"

namespace hone {
namespace {

// On a terminal they stand among the other figures of the run.
Blocks engines_blocks(const ReportRun& run, const ShowOptions& show) {
  if (!has_engines(run.profile) || !show.page) return {};
  return {Written{.markdown = markdown_engines(run.profile)}};
}

}  // namespace

extern const SectionDef section_engines = {.title = "Engines and memories",
                                           .of_run = engines_blocks};

}  // namespace hone
