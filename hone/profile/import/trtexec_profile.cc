// Layers of a TensorRT engine: [{"count": runs}, {"name", "timeMs", "averageMs", "medianMs",
// "percentage"}, ...]. TensorRT names a layer that it merged after its parts: "conv1 + relu1".

#include "hone/base/str.h"
#include "hone/profile/import/evidence.h"
#include "hone/profile/import/importer_def.h"
#include "hone/profile/import/json_list.h"
#include "hone/profile/import/rows.h"

namespace hone {
namespace {

std::vector<std::string> parts_of(std::string_view name) {
  constexpr std::string_view kAnd = " + ";
  std::vector<std::string> parts;
  while (true) {
    const size_t end = std::min(name.find(kAnd), name.size());
    if (end > 0) parts.emplace_back(name.substr(0, end));
    if (end == name.size()) return parts;
    name.remove_prefix(end + kAnd.size());
  }
}

class LayerReader {
 public:
  Status take(const Json& element) {
    if (element.contains("count")) {
      HONE_TRY(runs_, number_at(element, "count", kMostCount));
      return Done{};
    }
    const std::string name = text_at(element, "name");
    if (name.empty()) return bad_input("no 'name', expected that of a layer");
    return take_layer(element, name).in(str("layer '", name, "'"));
  }

  Result<Profile> finished() {
    if (profile_.steps.empty()) return bad_input("no layer, expected objects with 'name'");
    const auto runs = static_cast<int64_t>(runs_);
    profile_.step_times = "mean of all runs";
    profile_.step_runs = runs;
    double sum = 0;
    for (StepProfile& step : profile_.steps) {
      sum += step.us;
      for (Metric& counter : step.counters) counter.n = runs;
    }
    add_latency("mean", sum * 1e-3, runs,
                "sum of the layers; events between them make it longer than a plain run", profile_);
    finish(profile_);
    return std::move(profile_);
  }

 private:
  Status take_layer(const Json& element, const std::string& name) {
    StepProfile step;
    step.name = name;
    if (element.contains("averageMs")) {
      HONE_TRY(const double ms, number_at(element, "averageMs", kMostMs));
      step.us = 1e3 * ms;
    } else {
      HONE_TRY(const double ms, number_at(element, "timeMs", kMostMs));
      if (runs_ < 1) return bad_input("timeMs before a 'count' of runs");
      step.us = 1e3 * ms / runs_;
    }
    if (element.contains("medianMs")) {
      HONE_TRY(const double ms, number_at(element, "medianMs", kMostMs));
      step.counters.push_back({.name = "median", .value = 1e3 * ms, .unit = "us"});
    }
    add_step(std::move(step), profile_, parts_of(name));
    return Done{};
  }

  Profile profile_ = imported_profile("trtexec", "tensorrt");
  double runs_ = 0;
};

bool recognizes_trtexec_profile(std::string_view text) {
  return text.find("\"timeMs\"") != std::string_view::npos &&
         text.find("\"percentage\"") != std::string_view::npos;
}

Result<Profile> read_trtexec_profile(std::string_view text, const ImportOptions&) {
  LayerReader reader;
  HONE_RETURN_IF_ERROR(
      for_each_object(text, [&](const Json& element) { return reader.take(element); }));
  return reader.finished();
}

}  // namespace

extern const ImporterDef importer_trtexec_profile = {
    .name = "trtexec_profile",
    .summary = "layers of TensorRT (trtexec --exportProfile)",
    .recognizes = recognizes_trtexec_profile,
    .read = read_trtexec_profile,
};

}  // namespace hone
