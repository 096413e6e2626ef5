#include <algorithm>

#include "hone/base/str.h"
#include "hone/report/section_def.h"
#include "hone/report/sections/listening_text.h"

namespace hone {
namespace {

// A terminal has no room for all of them.
Sentences short_sources(const ListeningPower& power) {
  const auto source = [&](PowerInput input) {
    return power.assumptions[static_cast<size_t>(input)].figure.source;
  };
  const auto assumed = std::ranges::count_if(power.assumptions, [](const Assumption& each) {
    return each.figure.source.starts_with("assumed");
  });
  return {{str("times on the CPU are ", source(PowerInput::CpuRun)),
           str("times on ", power.device, ": ", source(PowerInput::DspRun)),
           str(assumed, " of ", power.assumptions.size(),
               " figures are assumed; a page has the source of each")}};
}

Blocks listening_assumption_blocks(const ListeningPower& power, const ShowOptions& show) {
  if (!show.page) return {short_sources(power)};
  DataTable table{
      .columns = {
          {"assumption"}, {"unit"}, {"value", true}, {"low", true}, {"high", true}, {"source"}}};
  for (const Assumption& assumption : power.assumptions) {
    const PowerFigure& figure = assumption.figure;
    table.rows.push_back({assumption.name, assumption.unit, short_figure(figure.value),
                          short_figure(figure.low), short_figure(figure.high), figure.source});
  }
  return {Paragraph{str("The machine is ", power.system, ".")}, table};
}

}  // namespace

extern const SectionDef section_listening_assumptions = {
    .title = "Assumptions and their sources", .of_listening = listening_assumption_blocks};

}  // namespace hone
