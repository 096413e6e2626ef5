#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

void add_modelled_memory(const PlacementResult& result, Facts& facts) {
  for (const Metric& metric : result.memory) {
    if (!metric.value) continue;
    facts.items.emplace_back(
        "memory", str(metric.name, " ", human_bytes(static_cast<uint64_t>(*metric.value)),
                      metric.note.empty() ? "" : "; ", metric.note));
  }
  if (result.memory.empty() && result.arena_bytes && result.weight_bytes) {
    facts.items.emplace_back("memory", str("arena ", human_bytes(*result.arena_bytes), ", weights ",
                                           human_bytes(*result.weight_bytes)));
  }
}

void add_run(const PlacementResult& result, HintWords words, Facts& facts) {
  if (!result.latency) {
    facts.items.emplace_back(
        "latency", "measured, not modelled" + in_brackets({HintKind::Measurement}, words));
    return;
  }
  if (result.engines) facts.items.emplace_back("commands", fixed(result.engines->commands, 0));
  facts.items.emplace_back("latency", describe(*result.latency));
  for (const Metric& energy : result.energy) facts.items.emplace_back("energy", describe(energy));
}

BarChart chart_of_modelled_costs(const PlacementResult& result) {
  BarChart chart{.title = "Memory"};
  for (const Metric& metric : result.memory) {
    if (metric.value.value_or(0) <= 0) continue;
    chart.bars.push_back({.name = metric.name,
                          .value = *metric.value,
                          .text = human_bytes(static_cast<uint64_t>(*metric.value))});
  }
  return chart;
}

Blocks modelled_costs_blocks(const PlacementResult& result, const ShowOptions& show) {
  Facts facts;
  add_modelled_memory(result, facts);
  add_run(result, show.words, facts);
  Sentences notes;
  for (const std::string& note : result.notes) notes.lines.push_back("note: " + note);
  return {chart_of_modelled_costs(result), facts, notes};
}

}  // namespace

extern const SectionDef section_modelled_costs = {.title = "Memory, time and energy",
                                                  .of_placement = modelled_costs_blocks};

}  // namespace hone
