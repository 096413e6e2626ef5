#include "hone/base/str.h"
#include "hone/report/section_def.h"
#include "hone/report/sections/verdict_tone.h"

namespace hone {
namespace {

Blocks gate_blocks(const Validation& validation, const ShowOptions&) {
  if (validation.gate.empty()) return {};
  DataTable table{.columns = {{"what"}, {"asked"}, {"reached"}, {"from"}, {"verdict"}}};
  Sentences sentences;
  for (const GateRow& row : validation.gate) {
    table.rows.push_back({row.what, row.asked, row.reached, row.from,
                          Cell(std::string(name_of(row.verdict)), tone_of(row.verdict))});
    if (!row.why.empty()) sentences.lines.push_back(str(row.what, ": ", row.why));
  }
  sentences.lines.push_back(str("verdict: ", name_of(verdict_of(validation))));
  return {table, sentences};
}

}  // namespace

extern const SectionDef section_gate = {.title = "Verdict", .of_validation = gate_blocks};

}  // namespace hone
