#include <algorithm>

#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/report.h"
#include "hone/report/verdict.h"

namespace hone {
namespace {

// Kernels of a GPU are many and alike: there operators say more than the longest of them.
bool has_many_alike(const Profile& profile, const std::vector<WorkShare>& works) {
  return profile.gpu && profile.tool != "hone" && 2 * works.size() <= profile.steps.size();
}

Blocks work_blocks(const ReportRun& run, const ShowOptions& show) {
  const std::vector<WorkShare> works = work_shares(run.profile);
  if (works.empty() || (!show.page && !has_many_alike(run.profile, works))) return {};
  const size_t shown =
      show.page || show.rows == 0 ? works.size() : std::min(show.rows, works.size());
  DataTable table{.columns = {{"operator"}, {"steps", true}, {"us", true}, {"share %", true}}};
  double rest = 0;
  for (size_t i = 0; i < works.size(); ++i) {
    const WorkShare& work = works[i];
    if (i >= shown) {
      rest += work.us;
      continue;
    }
    table.rows.push_back({short_name(work.name), str(work.steps.size()), fixed(work.us, 1),
                          fixed(100 * work.share, 1)});
  }
  if (shown == works.size()) return {table};
  return {table, Sentences{{str("and ", works.size() - shown, " more that take ", fixed(rest, 1),
                                " us together", in_brackets({HintKind::AllRows}, show.words))}}};
}

}  // namespace

extern const SectionDef section_work = {.title = "Where the time goes", .of_run = work_blocks};

}  // namespace hone
