#include "hone/stream/stream_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace hone {
namespace {

// In thousandths, rounded as firmware does.
uint32_t thousandths(uint32_t q15) {
  return (q15 * 1000 + 16384) >> 15;
}

}  // namespace

std::string heard_text(const Heard& heard, const StreamRecipe& recipe) {
  std::string text = "    sample     seconds  score  keyword\n";
  for (const Detection& detection : heard.detections) {
    const uint64_t ms = detection.sample * 1000 / static_cast<uint64_t>(recipe.mfcc.options().rate);
    const uint32_t score = thousandths(detection.score);
    text += fmt::format("{:10}  {:6}.{:03}  {}.{:03}  {}\n", detection.sample, ms / 1000, ms % 1000,
                        score / 1000, score % 1000, recipe.keywords[detection.keyword].name);
  }
  const ListenerWork& work = heard.work;
  return text +
         fmt::format(
             "{} detection{}; of {} pushes of 10 ms the gate was open in {}, for {} frames and "
             "{} runs of the network\n",
             heard.detections.size(), heard.detections.size() == 1 ? "" : "s", work.pushes,
             work.open_pushes, work.frames, work.runs);
}

nlohmann::ordered_json heard_to_json(const Heard& heard, const StreamRecipe& recipe) {
  nlohmann::ordered_json detections = nlohmann::ordered_json::array();
  for (const Detection& detection : heard.detections) {
    detections.push_back({{"sample", detection.sample},
                          {"keyword", recipe.keywords[detection.keyword].name},
                          {"score_q15", detection.score}});
  }
  return {{"detections", std::move(detections)},
          {"pushes", heard.work.pushes},
          {"open_pushes", heard.work.open_pushes},
          {"frames", heard.work.frames},
          {"runs", heard.work.runs}};
}

}  // namespace hone
