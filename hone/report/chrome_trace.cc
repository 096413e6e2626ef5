#include <algorithm>
#include <nlohmann/json.hpp>

#include "hone/base/json_text.h"
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
  args["kernel"] = kernel_name(step.kind);
  args["precision"] = name_of(step.kind.precision);
  args["flops"] = step.flops;
  std::vector<std::string> layers;
  for (const size_t source : step.sources) layers.push_back(profile.sources[source].name);
  args["layers"] = layers;
  return args;
}

std::string track_name(const Profile& profile, int track) {
  const auto index = static_cast<size_t>(track);
  if (index < profile.tracks.size()) return profile.tracks[index];
  if (profile.gpu) return track > 0 ? "host" : "GPU";
  return track > 0 ? str("worker ", track) : "caller";
}

Json step_event(const Profile& profile, const TimelineEvent& event) {
  Json args = arguments(profile, event.step);
  if (!event.what.empty()) args["what"] = event.what;
  const bool idle = profile.gpu && !event.what.empty();
  return {{"ph", "X"},
          {"cat", "Node"},
          {"name", idle ? event.what : profile.steps[event.step].name},
          {"pid", 0},
          {"tid", event.thread},
          {"ts", event.start_us},
          {"dur", event.us},
          {"args", std::move(args)}};
}

// The whole run, on a track above those of engines.
Json run_event(const Profile& profile, double us) {
  return {{"ph", "X"},
          {"cat", "Session"},
          {"name", "model_run"},
          {"pid", 0},
          {"tid", profile.tracks.size()},
          {"ts", 0},
          {"dur", us},
          {"args", {{"mode", mode_name(profile.mode)}}}};
}

Json memory_event(double at, uint64_t bytes) {
  return {{"ph", "C"}, {"name", "arena"}, {"pid", 0}, {"ts", at}, {"args", {{"bytes", bytes}}}};
}

// Engines fetch ahead: there the steps themselves, one behind the other, say when memory is in use.
void add_memory(const Profile& profile, double end, Json& events) {
  if (profile.tracks.empty()) {
    for (const TimelineEvent& event : profile.timeline) {
      if (event.thread != 0) continue;
      events.push_back(memory_event(event.start_us, profile.steps[event.step].live_during));
    }
  } else {
    double at = 0;
    for (const StepProfile& step : profile.steps) {
      events.push_back(memory_event(at, step.live_during));
      at += step.us;
    }
  }
  events.push_back(memory_event(end, 0));
}

}  // namespace

std::string chrome_trace(const Profile& profile) {
  Json events = Json::array();
  auto tracks = static_cast<int>(profile.tracks.size());
  double end = 0;
  for (const TimelineEvent& event : profile.timeline) {
    tracks = std::max(tracks, event.thread + 1);
    end = std::max(end, event.start_us + event.us);
  }
  events.push_back(name_of_track("process_name", 0,
                                 str(profile.tool, " ", profile.model, " on ", profile.target)));
  for (int t = 0; t < tracks; ++t) {
    events.push_back(name_of_track("thread_name", t, track_name(profile, t)));
  }
  if (!profile.tracks.empty()) events.push_back(name_of_track("thread_name", tracks, "run"));
  events.push_back(run_event(profile, end));
  for (const TimelineEvent& event : profile.timeline) {
    events.push_back(step_event(profile, event));
  }
  if (profile.arena_bytes > 0) add_memory(profile, end, events);
  return json_text(events, 1) + "\n";
}

}  // namespace hone
