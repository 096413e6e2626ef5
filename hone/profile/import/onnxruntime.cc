// Profiles of ONNX Runtime: a list of Chrome trace events. An event is written when it ends, so the
// nodes of a run stand before its "model_run".

#include <algorithm>
#include <array>
#include <map>

#include "hone/base/json_text.h"
#include "hone/base/str.h"
#include "hone/profile/import/evidence.h"
#include "hone/profile/import/importer_def.h"
#include "hone/profile/import/json_list.h"
#include "hone/profile/import/rows.h"
#include "hone/profile/statistics.h"

namespace hone {
namespace {

constexpr std::string_view kNodeSuffix = "_kernel_time";
// Times are whole microseconds, so that a run may seem to begin before the one before it ends.
constexpr double kRounding = 2;
// With this many runs and more the first is kept apart: it makes what later runs find ready.
constexpr size_t kRunsWithoutFirst = 3;

struct NodeEvent {
  size_t step = 0;
  double start = 0;
  double us = 0;
  double own_us = 0;  // Without the nodes inside it.
  double thread = 0;
};

struct Run {
  double start = 0;
  double us = 0;
  double thread = 0;
  std::vector<NodeEvent> nodes;
};

// ONNX Runtime's names of element types, Hone's, and what is computed in them.
struct TypeName {
  std::string_view theirs, ours;
  Arithmetic precision;
};
constexpr std::array kTypes = {
    TypeName{"float", "f32", Arithmetic::Fp32},     TypeName{"float16", "f16", Arithmetic::Fp16},
    TypeName{"bfloat16", "bf16", Arithmetic::Bf16}, TypeName{"double", "f64", Arithmetic::Fp64},
    TypeName{"int8", "i8", Arithmetic::Int8},       TypeName{"uint8", "u8", Arithmetic::Int8},
    TypeName{"int16", "i16", Arithmetic::Int16},    TypeName{"uint16", "u16", Arithmetic::Int16},
    TypeName{"int32", "i32", Arithmetic::Int32},    TypeName{"int64", "i64", Arithmetic::Int64}};

// The first entry of [{"float":[1,64,25,5]}, ...]; nullptr where there is none.
const Json* first_shape(const Json& args, const char* key) {
  const auto list = args.find(key);
  if (list == args.end() || !list->is_array() || list->empty()) return nullptr;
  const Json& first = (*list)[0];
  return first.is_object() && !first.empty() ? &first : nullptr;
}

std::string type_text(const Json& args) {
  const Json* shape = first_shape(args, "output_type_shape");
  if (shape == nullptr) return "";
  const std::string type = shape->begin().key();
  const auto* known = std::ranges::find(kTypes, type, &TypeName::theirs);
  const Json& extents = shape->front();
  const std::string name = known == kTypes.end() ? type : std::string(known->ours);
  return name + json_text(extents, -1, true);
}

Arithmetic precision_of_onnxruntime(const Json& args) {
  const Json* shape = first_shape(args, "input_type_shape");
  if (shape == nullptr) return Arithmetic::Unknown;
  const auto* known = std::ranges::find(kTypes, shape->begin().key(), &TypeName::theirs);
  return known == kTypes.end() ? Arithmetic::Unknown : known->precision;
}

// "a" of "a_token_12", where the end is "_token_".
std::string without_number(const std::string& name, std::string_view end) {
  const size_t at = name.rfind(end);
  if (at == std::string::npos || at == 0) return name;
  const size_t number = at + end.size();
  const bool whole =
      number < name.size() && name.find_first_not_of("0123456789", number) == std::string::npos;
  return whole ? name.substr(0, at) : name;
}

// ONNX Runtime puts "_token_" and a number behind the name of a node that it replaces, "fused " in
// front of one that it merges with an activation, and calls a node that it moves to blocked
// channels after the value that the node gives: "x_nchwc". PyTorch's values are called after their
// nodes: "x_output_0".
std::string layer_of(const std::string& name) {
  constexpr std::string_view kBlocked = "_nchwc";
  constexpr std::string_view kFused = "fused ";
  std::string layer = without_number(name, "_token_");
  if (layer.size() > kFused.size() && layer.starts_with(kFused)) layer.erase(0, kFused.size());
  if (layer.size() <= kBlocked.size() || !layer.ends_with(kBlocked)) return layer;
  layer.resize(layer.size() - kBlocked.size());
  return without_number(layer, "_output_");
}

// Operators whose bodies are nodes of their own, with events that lie inside theirs.
bool has_body(const StepProfile& step) {
  return step.op == "If" || step.op == "Loop" || step.op == "Scan" || step.op == "SequenceMap";
}

class TraceReader {
 public:
  TraceReader() : profile_(imported_profile("onnxruntime", "")) {}

  Status take(const Json& event) {
    const std::string name = text_at(event, "name");
    const std::string category = text_at(event, "cat");
    if (category == "Session") return take_session(event, name).in(str("event '", name, "'"));
    if (category != "Node" || !name.ends_with(kNodeSuffix)) return Done{};
    return take_node(event, name.substr(0, name.size() - kNodeSuffix.size()))
        .in(str("event '", name, "'"));
  }

  Result<Profile> finished() {
    if (runs_.empty()) return bad_input("no event 'model_run', expected one for every run");
    if (profile_.steps.empty()) return bad_input("no event of a node, expected '*_kernel_time'");
    if (runs_.size() >= kRunsWithoutFirst) set_first_run_apart();
    add_times();
    add_timeline();
    profile_.notes.push_back("the runs were made with ONNX Runtime's profiler on");
    profile_.target = join(providers_, " + ");
    finish(profile_);
    return std::move(profile_);
  }

 private:
  Status take_session(const Json& event, const std::string& name) {
    const bool reads = name.starts_with("model_loading");
    if (!reads && name != "session_initialization" && name != "model_run") return Done{};
    Run run;
    HONE_TRY(run.start, number_at(event, "ts", kMostUs));
    HONE_TRY(run.us, number_at(event, "dur", kMostUs));
    HONE_TRY(run.thread, number_or_zero(event, "tid", kMostCount));
    if (name == "model_run") {
      if (!runs_.empty() && run.start + kRounding < runs_.back().start + runs_.back().us) {
        return unsupported("begins before the run in front of it ends: make one run at a time");
      }
      run.nodes = std::move(nodes_);
      nodes_.clear();
      runs_.push_back(std::move(run));
    } else {
      add_phase(reads ? "read" : "compile", run.us);
    }
    return Done{};
  }

  void add_phase(const char* name, double us) {
    profile_.phases.push_back({.name = name, .value = us * 1e-3, .unit = "ms"});
  }

  Status take_node(const Json& event, const std::string& name) {
    const Json& args = event.contains("args") ? event["args"] : event;
    if (!args.is_object()) return bad_input("args is ", args.type_name(), ", expected an object");
    const auto [found, is_new] =
        steps_.try_emplace({name, text_at(args, "node_index")}, profile_.steps.size());
    if (is_new) HONE_RETURN_IF_ERROR(add_node(name, args));
    NodeEvent node{.step = found->second};
    HONE_TRY(node.start, number_at(event, "ts", kMostUs));
    HONE_TRY(node.us, number_at(event, "dur", kMostUs));
    HONE_TRY(node.thread, number_or_zero(event, "tid", kMostCount));
    node.own_us = node.us;
    if (has_body(profile_.steps[node.step])) take_body_out(node);
    nodes_.push_back(node);
    return Done{};
  }

  Status add_node(const std::string& name, const Json& args) {
    StepProfile step;
    step.name = name;
    step.op = text_at(args, "op_name");
    step.kind = {.work = text_at(args, "provider"), .precision = precision_of_onnxruntime(args)};
    step.output = type_text(args);
    HONE_TRY(const double weights, number_or_zero(args, "parameter_size", kMostCount));
    HONE_TRY(const double read, number_or_zero(args, "activation_size", kMostCount));
    HONE_TRY(const double written, number_or_zero(args, "output_size", kMostCount));
    step.weight_bytes = static_cast<uint64_t>(weights);
    step.read_bytes = static_cast<uint64_t>(read);
    step.written_bytes = static_cast<uint64_t>(written);
    if (std::ranges::find(providers_, step.kind.work) == providers_.end()) {
      providers_.push_back(step.kind.work);
    }
    add_step(std::move(step), profile_, {layer_of(name)});
    return Done{};
  }

  // The time of a node inside another counts once: for itself. Events come in the order of their
  // ends, so those inside are the last ones.
  void take_body_out(NodeEvent& node) const {
    for (auto other = nodes_.rbegin(); other != nodes_.rend(); ++other) {
      if (other->start + other->us < node.start) return;
      const bool inside = other->thread == node.thread && other->start >= node.start;
      if (inside) node.own_us = std::max(0.0, node.own_us - other->own_us);
    }
  }

  void set_first_run_apart() {
    add_phase("first_run", runs_[0].us);
    profile_.notes.push_back(str("the first of ", runs_.size(), " runs is kept apart"));
    runs_.erase(runs_.begin());
  }

  void add_times() {
    std::vector<double> whole_ms;
    std::vector<std::vector<double>> step_us(profile_.steps.size(),
                                             std::vector<double>(runs_.size()));
    for (size_t r = 0; r < runs_.size(); ++r) {
      whole_ms.push_back(runs_[r].us * 1e-3);
      for (const NodeEvent& node : runs_[r].nodes) step_us[node.step][r] += node.own_us;
    }
    add_runs(std::move(whole_ms), step_us, profile_);
    double sum = 0;
    for (const StepProfile& step : profile_.steps) sum += step.us;
    const double middle = 1e3 * median_ms(profile_);
    if (middle <= 0) return;
    profile_.overhead.push_back({.name = "sum_of_steps",
                                 .value = 100 * sum / middle,
                                 .unit = "%",
                                 .n = static_cast<int64_t>(runs_.size()),
                                 .note = "of the median run"});
  }

  // Threads are numbered as they come, from the one that called.
  void add_timeline() {
    const Run& run = runs_[middle_run(profile_.samples_ms)];
    std::map<double, int> threads = {{run.thread, 0}};
    for (const NodeEvent& node : run.nodes) {
      const auto number = static_cast<int>(threads.size());
      const int thread = threads.try_emplace(node.thread, number).first->second;
      const double start = std::max(0.0, node.start - run.start);
      profile_.timeline.push_back({node.step, thread, start, node.us});
    }
  }

  Profile profile_;
  std::map<std::pair<std::string, std::string>, size_t> steps_;  // By name and index of the node.
  std::vector<std::string> providers_;
  std::vector<NodeEvent> nodes_;  // Of the run that has not ended yet.
  std::vector<Run> runs_;
};

bool recognizes_onnxruntime(std::string_view text) {
  return text.find(kNodeSuffix) != std::string_view::npos &&
         text.find("\"cat\"") != std::string_view::npos;
}

Result<Profile> read_onnxruntime(std::string_view text, const ImportOptions&) {
  TraceReader reader;
  HONE_RETURN_IF_ERROR(
      for_each_object(text, [&](const Json& event) { return reader.take(event); }));
  return reader.finished();
}

}  // namespace

extern const ImporterDef importer_onnxruntime = {
    .name = "onnxruntime",
    .summary = "ONNX Runtime's profile JSON (session option enable_profiling)",
    .recognizes = recognizes_onnxruntime,
    .read = read_onnxruntime,
};

}  // namespace hone
