#include "hone/stream/stream_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "hone/base/printable.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// In thousandths, rounded as firmware does.
uint32_t thousandths(uint32_t q15) {
  return (q15 * 1000 + 16384) >> 15;
}

std::string score_text(uint32_t q15) {
  const uint32_t score = thousandths(q15);
  return fmt::format("{}.{:03}", score / 1000, score % 1000);
}

uint64_t ms_of(uint64_t sample, const StreamRecipe& recipe) {
  return sample * 1000 / static_cast<uint64_t>(recipe.mfcc.options().rate);
}

struct CostRow {
  std::string_view part;
  std::string_view of;  // What it is done once for,
  double times;         // so often in a hop.
  const PartOfStream* cost;
};
std::vector<CostRow> cost_rows(const StreamCosts& costs, const HopWork& hop) {
  return {{"gate", "push", hop.pushes, &costs.gate},
          {"front end", "frame", hop.frames, &costs.front_end},
          {"network", "run", 1, &costs.network},
          {"detection", "run", 1, &costs.detection}};
}

PartOfStream hop_total(const std::vector<CostRow>& rows) {
  PartOfStream total;
  for (const CostRow& row : rows) {
    total.counted += row.times * row.cost->counted;
    total.cycles += row.times * row.cost->cycles;
  }
  return total;
}

// Of the device's time, in %.
double share_of(const StreamCosts& costs, double cycles, double ms) {
  return 100 * cycles / (ms * 1e3 * costs.clock_mhz);
}
std::string share_text(double share) {
  return share < 100 ? fmt::format("{:.2g} %", share) : fmt::format("{:.0f} %", share);
}

std::string whole(double value) {
  return fixed(value, 0);
}

}  // namespace

std::string costs_text(const StreamCosts& costs, const StreamRecipe& recipe) {
  const HopWork hop = hop_work(recipe);
  const std::vector<CostRow> rows = cost_rows(costs, hop);
  Table table({"part", "of", costs.unit, "a hop", costs.unit + " a hop", "us a hop"});
  for (const CostRow& row : rows) {
    table.add({std::string(row.part), str("a ", row.of), whole(row.cost->counted), whole(row.times),
               whole(row.times * row.cost->counted), fixed(row.times * costs.us(*row.cost), 1)});
  }
  const PartOfStream total = hop_total(rows);
  table.add({"all", "", "", "", whole(total.counted), fixed(costs.us(total), 1)});
  const double busy = share_of(costs, total.cycles, hop.ms);
  const double silent = share_of(costs, hop.pushes * costs.gate.cycles, hop.ms);
  return str(
      "\na hop of ", hop.ms, " ms on ", costs.device, " while the gate is open\n",
      table.to_string(), costs.unit, " are emulated, times predicted at ", whole(costs.clock_mhz),
      " MHz within a factor of ", fmt::format("{:g}", costs.factor), ": ", share_text(busy),
      " of the device, ", share_text(silent), " while the gate is closed\n",
      busy > 100 ? "it does not keep up with the sound: a hop takes longer than it lasts\n" : "",
      "every line that it prints there is the host's\n");
}

nlohmann::ordered_json costs_to_json(const StreamCosts& costs, const StreamRecipe& recipe) {
  const HopWork hop = hop_work(recipe);
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const CostRow& row : cost_rows(costs, hop)) {
    parts.push_back({{"part", row.part},
                     {"of", row.of},
                     {"times_a_hop", row.times},
                     {costs.unit, row.cost->counted},
                     {"cycles", row.cost->cycles}});
  }
  return {{"device", costs.device},   {"clock_mhz", costs.clock_mhz}, {"hop_ms", hop.ms},
          {"counted", "emulated"},    {"cycles", "predicted"},        {"factor", costs.factor},
          {"parts", std::move(parts)}};
}

std::string heard_text(const Heard& heard, const StreamRecipe& recipe) {
  std::string text = heard.detections.empty() ? "" : "    sample     seconds  score  keyword\n";
  for (const Detection& detection : heard.detections) {
    const uint64_t ms = ms_of(detection.sample, recipe);
    text += fmt::format("{:10}  {:6}.{:03}  {}  {}\n", detection.sample, ms / 1000, ms % 1000,
                        score_text(detection.score),
                        printable(recipe.keywords[detection.keyword].name));
  }
  const ListenerWork& work = heard.work;
  return text +
         fmt::format(
             "{} detection{}; of {} pushes of 10 ms the gate was open in {}, for {} frames and "
             "{} runs of the network\n",
             heard.detections.size(), heard.detections.size() == 1 ? "" : "s", work.pushes,
             work.open_pushes, work.frames, work.runs);
}

std::string near_miss_text(const Heard& heard, const StreamRecipe& recipe) {
  if (!heard.detections.empty()) return "";
  if (heard.work.open_pushes == 0) {
    return "the gate did not open: nothing was as loud as level_db of [gate] asks for\n";
  }
  if (heard.work.runs == 0) return "the gate was not open for a hop: the network did not run\n";
  std::vector<std::string> keywords;
  for (size_t k = 0; k < recipe.keywords.size(); ++k) {
    const StreamKeyword& keyword = recipe.keywords[k];
    const HighestScore& highest = heard.highest[k];
    keywords.push_back(
        fmt::format("{} {} of {} at {} s", printable(keyword.name), score_text(highest.score),
                    score_text(keyword.threshold),
                    fixed(static_cast<double>(ms_of(highest.sample, recipe)) / 1e3, 3)));
  }
  return str("highest scores, of the thresholds: ", join(keywords), "\n");
}

nlohmann::ordered_json heard_to_json(const Heard& heard, const StreamRecipe& recipe) {
  nlohmann::ordered_json detections = nlohmann::ordered_json::array();
  for (const Detection& detection : heard.detections) {
    detections.push_back({{"sample", detection.sample},
                          {"keyword", recipe.keywords[detection.keyword].name},
                          {"score_q15", detection.score}});
  }
  nlohmann::ordered_json highest = nlohmann::ordered_json::array();
  for (size_t k = 0; k < recipe.keywords.size(); ++k) {
    highest.push_back({{"sample", heard.highest[k].sample},
                       {"keyword", recipe.keywords[k].name},
                       {"score_q15", heard.highest[k].score}});
  }
  return {{"detections", std::move(detections)}, {"highest", std::move(highest)},
          {"pushes", heard.work.pushes},         {"open_pushes", heard.work.open_pushes},
          {"frames", heard.work.frames},         {"runs", heard.work.runs}};
}

}  // namespace hone
