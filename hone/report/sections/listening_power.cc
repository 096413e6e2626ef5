#include "hone/base/str.h"
#include "hone/report/section_def.h"
#include "hone/report/sections/listening_text.h"

namespace hone {
namespace {

constexpr const char* kOnCpu = "on the CPU, always awake";

std::string on_dsp(const ListeningPower& power) {
  return str("on ", power.device, ", which wakes the CPU");
}

std::vector<double> parts_of_placement(const PlacementPower& power) {
  return {power.asleep, power.microphone, power.waiting, power.computing, power.acting};
}

StackedChart chart_of_placements(const ListeningPower& power) {
  const auto bar = [](std::string name, const PlacementPower& parts, const Spread& mw) {
    return StackedBar{.name = std::move(name),
                      .text = str(short_figure(mw.value), " mW"),
                      .values = parts_of_placement(parts),
                      .low = mw.low,
                      .high = mw.high};
  };
  return {
      .title = "Mean power over a day",
      .caption = "lines across the bars: where assumptions are off independently of each other",
      .parts = {"all the rest, asleep", "microphone", "waiting for sound", "computing",
                "waking and acting"},
      .bars = {bar(kOnCpu, power.cpu, power.cpu_mw), bar(on_dsp(power), power.dsp, power.dsp_mw)}};
}

TableRow row_of_placement(std::string name, const PlacementPower& parts, const Spread& mw,
                          const Spread& hours) {
  TableRow row = {std::move(name)};
  for (const double part : parts_of_placement(parts)) row.push_back(short_figure(part));
  row.push_back(spread_text(mw));
  row.push_back(spread_text(hours));
  return row;
}

std::string ratio_sentence(std::string_view of, const Spread& ratio) {
  return str(of, ": ", spread_text(ratio), " times less; ", short_figure(ratio.least), " to ",
             short_figure(ratio.most), " where every assumption is off at once (predicted)");
}

std::string break_even_sentence(const ListeningPower& power) {
  const double keywords = power.figure(PowerInput::Keywords);
  const double false_accepts = power.figure(PowerInput::FalseAccepts);
  const double wakes = keywords + false_accepts;
  if (wakes <= 0) return "break-even: not known of a day without wake-ups";
  if (!power.break_even) {
    return "break-even: none, a CPU that is woken again as soon as it sleeps still draws less so";
  }
  if (*power.break_even <= 0) {
    return "break-even: none, the CPU draws less even where nothing wakes it (predicted)";
  }
  const double times = *power.break_even / wakes;
  return str("break-even: on a day with ", short_figure(times), " times as many wake-ups, ",
             short_figure(times * keywords), " keywords and ", short_figure(times * false_accepts),
             " false accepts an hour, both draw the same (predicted)");
}

Blocks listening_power_blocks(const ListeningPower& power, const ShowOptions&) {
  DataTable table{.columns = {{"listening, mW"},
                              {"asleep", true},
                              {"microphone", true},
                              {"waiting", true},
                              {"computing", true},
                              {"acting", true},
                              {"all", true},
                              {"battery, h", true}}};
  table.rows = {row_of_placement(kOnCpu, power.cpu, power.cpu_mw, power.cpu_hours),
                row_of_placement(on_dsp(power), power.dsp, power.dsp_mw, power.dsp_hours)};
  return {chart_of_placements(power), table,
          Sentences{
              {ratio_sentence("of what listening adds to a machine that sleeps", power.added_ratio),
               ratio_sentence("of all that is drawn", power.ratio), break_even_sentence(power),
               str("the battery has ", short_figure(power.battery_mwh),
                   " mWh, and nothing else draws from it")}}};
}

}  // namespace

extern const SectionDef section_listening_power = {.title = "Power of a day",
                                                   .of_listening = listening_power_blocks};

}  // namespace hone
