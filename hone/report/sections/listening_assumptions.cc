#include "hone/base/str.h"
#include "hone/report/section_def.h"
#include "hone/report/sections/listening_text.h"

namespace hone {
namespace {

// How many figures are from where, by what their sources say.
struct SourceCounts {
  size_t assumed = 0;    // By the device's file,
  size_t of_day = 0;     // by the day's,
  size_t scaled = 0;     // measured, for another machine by a factor that is assumed,
  size_t predicted = 0;  // counted, and times predicted of that;
  size_t given = 0;      // published, of data sheets, or measured by who wrote the file.
};
SourceCounts count_sources(const ListeningPower& power) {
  SourceCounts counts;
  for (const Assumption& each : power.assumptions) {
    const std::string_view source = each.figure.source;
    if (source.starts_with("assumed")) {
      ++counts.assumed;
    } else if (source == kSourceOfDay) {
      ++counts.of_day;
    } else if (source.ends_with("assumed")) {
      ++counts.scaled;
    } else if (source.find("predicted") != source.npos) {
      ++counts.predicted;
    } else {
      ++counts.given;
    }
  }
  return counts;
}

std::string count_sentence(const ListeningPower& power) {
  const SourceCounts counts = count_sources(power);
  return str(power.assumptions.size() - counts.given, " of ", power.assumptions.size(),
             " figures are assumptions or rest on one: ", counts.assumed, " are assumed, ",
             counts.of_day, " are those of the day's file, ", counts.scaled,
             " are times of this CPU taken for a phone's, ", counts.predicted, " are predicted; ",
             counts.given, " have a source; a page has that of each");
}

// A terminal has no room for all of them.
Sentences short_sources(const ListeningPower& power) {
  const auto source = [&](PowerInput input) {
    return power.assumptions[static_cast<size_t>(input)].figure.source;
  };
  return {{str("times on the CPU are ", source(PowerInput::CpuRun)),
           str("times on ", power.device, ": ", source(PowerInput::DspRun)),
           count_sentence(power)}};
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
