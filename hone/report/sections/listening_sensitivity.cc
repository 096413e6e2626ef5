#include <algorithm>

#include "hone/base/str.h"
#include "hone/report/section_def.h"
#include "hone/report/sections/listening_text.h"

namespace hone {
namespace {

// On a terminal, those that move the ratio by less than that are left out.
constexpr double kLeastMove = 1.02;
constexpr size_t kMoveBars = 12;

double factor_of_move(const Sensitivity& row) {
  return std::max(row.at_low, row.at_high) / std::min(row.at_low, row.at_high);
}

// In the unit that its interval is told in.
std::string crossing_text(const ListeningPower& power, const Sensitivity& row) {
  const Assumption& assumption = power.assumptions[row.input];
  if (!row.crossing) {
    return std::min(row.at_low, row.at_high) >= power.wanted ? "everywhere" : "nowhere";
  }
  const double scale = assumption.figure.value / power.values.of[row.input];
  return str(row.at_low > row.at_high ? "up to " : "from ", short_figure(*row.crossing * scale));
}

BarChart chart_of_moves(const ListeningPower& power) {
  BarChart chart{
      .title = "Times less that listening adds, by where one assumption may be",
      .caption = str("the dashed line is the saving that is asked for, ", power.wanted, " times"),
      .limit = power.wanted};
  for (const Sensitivity& row : power.sensitivity) {
    if (chart.bars.size() == kMoveBars) break;
    chart.bars.push_back({.name = power.assumptions[row.input].name,
                          .value = power.added_ratio.value,
                          .text = str(short_figure(row.at_low), " to ", short_figure(row.at_high)),
                          .low = std::min(row.at_low, row.at_high),
                          .high = std::max(row.at_low, row.at_high)});
  }
  return chart;
}

Blocks listening_sensitivity_blocks(const ListeningPower& power, const ShowOptions& show) {
  DataTable table{.columns = {{"where one assumption is off"},
                              {"unit"},
                              {"low", true},
                              {"high", true},
                              {"saving at low", true},
                              {"at high", true},
                              {str("where the saving is ", power.wanted, " times or more")}}};
  size_t left_out = 0;
  for (const Sensitivity& row : power.sensitivity) {
    if (!show.page && factor_of_move(row) < kLeastMove) {
      ++left_out;
      continue;
    }
    const Assumption& assumption = power.assumptions[row.input];
    table.rows.push_back({assumption.name, assumption.unit, short_figure(assumption.figure.low),
                          short_figure(assumption.figure.high), short_figure(row.at_low),
                          short_figure(row.at_high), crossing_text(power, row)});
  }
  Sentences rest{{str("a saving is how many times less listening adds on ", power.device,
                      " than on the CPU, with all other figures as assumed")}};
  if (left_out > 0) rest.lines.push_back(str("and ", left_out, " that move it by less than 2 %"));
  return {chart_of_moves(power), table, rest};
}

}  // namespace

extern const SectionDef section_listening_sensitivity = {
    .title = "Sensitivity", .of_listening = listening_sensitivity_blocks};

}  // namespace hone
