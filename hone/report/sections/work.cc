#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/report.h"
#include "hone/report/verdict.h"

namespace hone {
namespace {

Blocks work_blocks(const ReportRun& run, const ShowOptions& show) {
  const std::vector<WorkShare> works = work_shares(run.profile);
  if (works.empty() || !show.page) return {};
  DataTable table{.columns = {{"operator"}, {"steps", true}, {"us", true}, {"share %", true}}};
  for (const WorkShare& work : works) {
    table.rows.push_back(
        {work.name, str(work.steps.size()), fixed(work.us, 1), fixed(100 * work.share, 1)});
  }
  return {table};
}

}  // namespace

extern const SectionDef section_work = {.title = "Where the time goes", .of_run = work_blocks};

}  // namespace hone
