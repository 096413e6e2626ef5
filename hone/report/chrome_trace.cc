#include <nlohmann/json.hpp>

#include "hone/base/str.h"
#include "hone/report/profile_text.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

Json name_of_track(const char* what, int thread, std::string name) {
  return {{"ph", "M"}, {"name", what}, {"pid", 0}, {"tid", thread}, {"args", {{"name", name}}}};
}

// What ONNX Runtime's profiler says of a node, so that tools made for its traces read Hone's.
Json arguments(const Profile& profile, size_t s) {
  const StepProfile& step = profile.steps[s];
  Json args;
  args["op_name"] = step.op;
  args["provider"] = profile.target;
  args["node_index"] = str(s);
  args["parameter_size"] = str(step.weight_bytes);
  args["activation_size"] = str(step.read_bytes);
  args["output_size"] = str(step.written_bytes);
  args["output_type_shape"] = step.output;
  args["kernel"] = step.kernel;
  args["precision"] = step.precision;
  args["flops"] = step.flops;
  std::vector<std::string> layers;
  for (const size_t source : step.sources) layers.push_back(profile.sources[source].name);
  args["layers"] = layers;
  return args;
}

Json step_event(const Profile& profile, const TimelineEvent& event) {
  return {{"ph", "X"},
          {"cat", "Node"},
          {"name", profile.steps[event.step].name},
          {"pid", 0},
          {"tid", event.thread},
          {"ts", event.start_us},
          {"dur", event.us},
          {"args", arguments(profile, event.step)}};
}

Json memory_event(double at, uint64_t bytes) {
  return {{"ph", "C"}, {"name", "arena"}, {"pid", 0}, {"ts", at}, {"args", {{"bytes", bytes}}}};
}

}  // namespace

std::string chrome_trace(const Profile& profile) {
  Json events = Json::array();
  int threads = 0;
  double end = 0;
  for (const TimelineEvent& event : profile.timeline) {
    threads = std::max(threads, event.thread + 1);
    if (event.thread == 0) end = event.start_us + event.us;
  }
  events.push_back(name_of_track("process_name", 0,
                                 str(profile.tool, " ", profile.model, " on ", profile.target)));
  for (int t = 0; t < threads; ++t) {
    events.push_back(name_of_track("thread_name", t, t == 0 ? "caller" : str("worker ", t)));
  }
  events.push_back({{"ph", "X"},
                    {"cat", "Session"},
                    {"name", "model_run"},
                    {"pid", 0},
                    {"tid", 0},
                    {"ts", 0},
                    {"dur", end},
                    {"args", {{"mode", mode_name(profile.mode)}}}});
  for (const TimelineEvent& event : profile.timeline) {
    events.push_back(step_event(profile, event));
    if (event.thread != 0 || profile.arena_bytes == 0) continue;
    events.push_back(memory_event(event.start_us, profile.steps[event.step].live_during));
  }
  if (profile.arena_bytes > 0) events.push_back(memory_event(end, 0));
  return events.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hone
