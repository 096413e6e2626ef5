#include <algorithm>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/report.h"

namespace hone {
namespace {

Cell outcome(const ReportAttempt& entry) {
  if (entry.kept) return Cell("kept", Tone::Good);
  return entry.obtained_ms ? "reverted" : "left out";
}

std::string ledger_ms_text(const std::optional<double>& ms) {
  return ms ? millis(*ms) : "-";
}

DataTable ledger_table(const std::vector<ReportAttempt>& ledger, bool page) {
  DataTable table{
      .columns = {
          {"remedy"},
          {"for"},
          {"predicted ms", true},
          {str("obtained ms", page ? ", " : "", page ? mode_name(ledger[0].mode) : ""), true},
          {""},
          {"why"}}};
  for (const ReportAttempt& entry : ledger) {
    const bool told = entry.predicted_ms.value_or(0) > 0;
    TableRow row = {entry.action,
                    entry.rule.empty() ? "-" : entry.rule,
                    told ? ledger_ms_text(entry.predicted_ms) : "-",
                    ledger_ms_text(entry.obtained_ms),
                    outcome(entry),
                    entry.why};
    table.rows.push_back(std::move(row));
  }
  return table;
}

Blocks ledger_blocks(const Report& report, const ShowOptions& show) {
  const auto has_ledger = [](const ReportRun& run) { return !run.ledger.empty(); };
  const bool several = std::ranges::count_if(report.runs, has_ledger) > 1;
  Blocks blocks;
  for (const ReportRun& run : report.runs) {
    if (!has_ledger(run)) continue;
    if (several) blocks.push_back(Paragraph{str("To ", run.label, ":")});
    blocks.push_back(ledger_table(run.ledger, show.page));
  }
  return blocks;
}

}  // namespace

extern const SectionDef section_ledger = {.title = "What was done", .of_report = ledger_blocks};

}  // namespace hone
