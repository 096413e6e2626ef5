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

Blocks ledger_blocks(const Report& report, const ShowOptions& show) {
  if (report.ledger.empty()) return {};
  DataTable table{.columns = {{"remedy"},
                              {"for"},
                              {"predicted ms", true},
                              {str("obtained ms", show.page ? ", " : "",
                                   show.page ? mode_name(report.ledger[0].mode) : ""),
                               true},
                              {""},
                              {"why"}}};
  for (const ReportAttempt& entry : report.ledger) {
    const bool told = entry.predicted_ms.value_or(0) > 0;
    TableRow row = {entry.action,
                    entry.rule.empty() ? "-" : entry.rule,
                    told ? ledger_ms_text(entry.predicted_ms) : "-",
                    ledger_ms_text(entry.obtained_ms),
                    outcome(entry),
                    entry.why};
    table.rows.push_back(std::move(row));
  }
  return {table};
}

}  // namespace

extern const SectionDef section_ledger = {.title = "What was done", .of_report = ledger_blocks};

}  // namespace hone
