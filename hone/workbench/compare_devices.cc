#include "hone/workbench/compare_devices.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "hone/base/progress.h"
#include "hone/base/text.h"
#include "hone/model/save.h"
#include "hone/targets/analytic/predict.h"
#include "hone/targets/common/modelled_metrics.h"
#include "hone/targets/device_kind.h"
#include "hone/validate/validation.h"
#include "hone/workbench/computed_precision.h"
#include "hone/workbench/held_memory.h"
#include "hone/workbench/host_roofs.h"
#include "hone/workbench/open_device.h"
#include "hone/workbench/profile_model.h"
#include "hone/workbench/quantize_for_device.h"
#include "hone/workbench/validate_model.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

// Of the file that was given; else of the one that would be written.
Metric file_size(const Model& model) {
  if (model.file_bytes > 0) return exact_bytes("model_size", model.file_bytes, "of the file");
  const Result<OnnxModel> written = export_onnx(model.graph);
  if (!written.ok()) return unavailable("model_size", "B", written.error().message);
  const Result<std::string> bytes = write_onnx_bytes(*written);
  if (!bytes.ok()) return unavailable("model_size", "B", bytes.error().message);
  return exact_bytes("model_size", bytes->size(), "written as ONNX");
}

Metric price_of(const std::optional<Device>& device) {
  if (!device) return unavailable("price", "USD", "not known of this machine");
  std::string note = device->source_of("price");
  if (note.empty() && !device->price_usd) note = "the device file names no price";
  if (!device->price_usd) return unavailable("price", "USD", note);
  return {.name = "price",
          .value = *device->price_usd,
          .unit = "USD",
          .mode = Mode::Exact,
          .note = note};
}

// Of the device by its file, or as it was given.
Metric rate_of(const std::optional<Device>& device, std::optional<double> given) {
  Metric rate = unavailable(
      "usd_per_hour", "USD",
      device ? "the device file names no price by the hour" : "not known of this machine");
  if (given) {
    rate = {.name = "usd_per_hour", .value = given, .unit = "USD", .mode = Mode::Given, .n = 0};
  } else if (device && device->usd_per_hour) {
    rate = {.name = "usd_per_hour",
            .value = device->usd_per_hour,
            .unit = "USD",
            .mode = Mode::Exact,
            .note = device->source_of("usd_per_hour")};
  }
  return rate;
}

// Of tensors whose extents are known.
uint64_t bytes_of_all(std::span<Value* const> values) {
  uint64_t bytes = 0;
  for (const Value* value : values) {
    const TensorType& type = value->type.tensor;
    if (value->type.is_tensor() && type.known()) bytes += type.bytes();
  }
  return bytes;
}

// How far copies over a link may be off, either way: memory that is not pinned takes longer, large
// copies come nearer to what the link can do.
constexpr double kCopyFactor = 1.5;

Metric predicted_copies(const HostLink& link, const Graph& graph) {
  const auto bytes =
      static_cast<double>(bytes_of_all(graph.inputs()) + bytes_of_all(graph.outputs()));
  const auto copies = static_cast<double>(graph.inputs().size() + graph.outputs().size());
  const double ms =
      1e-3 * copies * link.start_us + 1e3 * bytes / (link.bytes_per_second * link.efficiency);
  return {.name = "copies",
          .value = ms,
          .unit = "ms",
          .mode = Mode::Predicted,
          .low = ms / kCopyFactor,
          .high = ms * kCopyFactor,
          .note = str("inputs and outputs, ", human_bytes(static_cast<uint64_t>(bytes)), " over ",
                      link.name, ", pinned")};
}

// Of a model as it was given: what is converted for a device is converted there.
Metric copies_of(const std::optional<Device>& device, const Graph& graph) {
  const AnalyticSpec* spec = device ? device->analytic() : nullptr;
  if (spec != nullptr && spec->link) return predicted_copies(*spec->link, graph);
  return unavailable("copies", "ms",
                     device && spec == nullptr ? "what it moves is part of the latency"
                                               : "it computes in the caller's memory");
}

void add_modelled(const ModelledRun& run, DeviceFigures& figures) {
  Metric median = run.latency;
  median.name = "median";
  figures.latency = {median};
  figures.energy = run.energy.empty()
                       ? unavailable("energy", "mJ", "the device's model has no energy")
                       : run.energy[0];
  figures.covered = run.uncovered.empty();
  figures.notes.insert(figures.notes.end(), run.notes.begin(), run.notes.end());
}

// Of a device that leaves most of the arithmetic to its host: why, in the words that most of it has.
std::string host_note(const Program& program) {
  double all = 0;
  std::map<std::string, double> by_reason;
  for (const Placement& placement : program.placements()) {
    const auto macs = static_cast<double>(node_cost(*placement.node).macs);
    all += macs;
    if (!placement.on_target) by_reason[placement.reason] += macs;
  }
  double left = 0;
  for (const auto& [reason, macs] : by_reason) left += macs;
  if (all == 0 || left < all / 2) return "";
  const auto most =
      std::ranges::max_element(by_reason, {}, [](const auto& entry) { return entry.second; });
  return str("its host computes ", fixed(100 * left / all, 0),
             " % of the multiply-adds: ", most->first);
}

// Predicted by a class, whose runs say themselves what integers are timed at.
bool is_learned(const Device& device) {
  const AnalyticSpec* spec = device.analytic();
  return spec != nullptr && spec->membership;
}

// A class of devices whose processor multiplies no floats.
bool integers_alone(const std::optional<Device>& device) {
  const AnalyticSpec* spec = device ? device->analytic() : nullptr;
  return spec != nullptr && spec->membership && spec->membership->integers_only;
}

// Where nobody asks for another precision.
bool runs_halves(const std::optional<Device>& device) {
  const AnalyticSpec* spec = device ? device->analytic() : nullptr;
  return spec != nullptr && spec->membership && spec->membership->runs == "fp16";
}

// See DeviceFigures::energy_of. What is predicted for this machine is its chip's.
std::string energy_of(const std::optional<Device>& device, const Metric& energy) {
  if (!energy.value) return "";
  if (device) return std::string(kind_of(*device).energy_of(*device));
  return energy.mode == Mode::Measured ? "meters" : "chip";
}

// With inputs of open extents a model has no cost on any device: takes those of the data's first
// sample. None where nothing is open, BadInput where there is no data.
Result<std::optional<Model>> closed_model(const Model& model, const CompareRequest& request) {
  const bool open = std::ranges::any_of(
      model.graph.inputs(), [](const Value* input) { return !input->type.tensor.known(); });
  if (!open) return std::optional<Model>();
  if (request.data.empty()) {
    HONE_RETURN_IF_ERROR(make_inputs(model.graph, {}, request.seed));
    return std::optional<Model>();
  }
  HONE_TRY(const DataSet data, open_data_set(request.data, model.graph));
  HONE_TRY(const std::unique_ptr<Graph> graph, with_extents_of(model.graph, data));
  Model closed{.name = model.name,
               .format = model.format,
               .producer = model.producer,
               .version = model.version,
               .file_bytes = model.file_bytes,
               .graph = std::move(*graph),
               .unsupported = {}};
  return std::optional(std::move(closed));
}

// Samples of a run: the first extent that all inputs and outputs share, 1 where there is no such.
int64_t batch_of(const Graph& graph) {
  constexpr size_t kLeastRank = 2;
  int64_t batch = 0;
  for (const auto& values : {graph.inputs(), graph.outputs()}) {
    for (const Value* value : values) {
      const TensorType& type = value->type.tensor;
      if (!type.known() || type.shape.size() < kLeastRank) return 1;
      if (batch == 0) batch = type.shape[0];
      if (type.shape[0] != batch) return 1;
    }
  }
  return std::max<int64_t>(1, batch);
}

// "input 8x3x224x224"
std::string inputs_text(const Graph& graph) {
  std::vector<std::string> inputs;
  for (const Value* input : graph.inputs()) {
    std::vector<std::string> extents;
    for (const int64_t extent : input->type.tensor.shape) extents.push_back(str(extent));
    inputs.push_back(str(input->name, " ", join(extents, "x")));
  }
  return join(inputs);
}

// "cuda:0" is how others name the first of several GPUs.
bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

class Comparer {
 public:
  Comparer(const Model& model, const CompareRequest& request)
      : model_(model), request_(request), terms_(request.terms) {
    // The rows of a matrix are no samples of an operator.
    terms_.batch = model.format == "op" ? 1 : batch_of(model.graph);
  }

  Result<TriedDevices> run() {
    HONE_RETURN_IF_ERROR(check());
    TriedDevices tried{
        .comparison = {.model = model_.name, .inputs = inputs_text(model_.graph), .terms = terms_}};
    DeviceComparison& comparison = tried.comparison;
    for (const std::string& name : request_.devices) comparison.devices.push_back({.device = name});
    const std::optional<Error> first = add_devices(comparison.devices);
    if (std::ranges::none_of(comparison.devices, &std::string::empty, &DeviceFigures::failed)) {
      tried.failure = failure_of_all(comparison, *first);
    }
    comparison.more_accuracy_is_better = more_is_better_;
    price_alike(comparison);
    mark_pareto(comparison);
    return tried;
  }

 private:
  // What is measured comes last: whoever waits for it knows by then what is left out. The error is
  // the first one in the order of the devices.
  std::optional<Error> add_devices(std::vector<DeviceFigures>& devices) {
    std::optional<Progress> work;
    if (request_.tells) work.emplace("compare");
    std::map<size_t, Error> errors;
    for (const bool measured : {false, true}) {
      for (size_t d = 0; d < devices.size(); ++d) {
        if (is_measured(devices[d].device) != measured) continue;
        if (measured) tell_left_out(devices);
        if (work) work->begin(what_begins(devices[d].device));
        if (const Status status = add_device(devices[d].device, devices[d]); !status.ok()) {
          devices[d].failed = status.error().message;
          errors.emplace(d, status.error());
        }
      }
    }
    return errors.empty() ? std::nullopt : std::optional(errors.begin()->second);
  }

  // Empty of what takes no time to speak of.
  std::string what_begins(const std::string& text) const {
    const Result<AskedDevice> asked = asked_device(text);
    const Result<const TargetDef*> target = find_target(asked.ok() ? asked->name : text);
    if (!target.ok() || (*target)->mode == Mode::Predicted) return "";
    return str((*target)->mode == Mode::Measured ? "measuring " : "simulating ", model_.name,
               " on ", text);
  }

  // Here; what cannot be measured here costs no time.
  static bool is_measured(const std::string& text) {
    const Result<AskedDevice> asked = asked_device(text);
    const Result<const TargetDef*> target = find_target(asked.ok() ? asked->name : text);
    return target.ok() && (*target)->mode == Mode::Measured && check_is_here((*target)->name).ok();
  }

  void tell_left_out(const std::vector<DeviceFigures>& devices) {
    if (!request_.tells || std::exchange(told_, true)) return;
    for (const DeviceFigures& device : devices) {
      if (device.failed.empty()) continue;
      say_on_stderr(str(device.device, " is left out: ", device.failed));
    }
  }

  // Each reason with its device, where there are several.
  static Error failure_of_all(const DeviceComparison& comparison, Error first) {
    if (comparison.devices.size() == 1) return first;
    std::vector<std::string> reasons;
    for (const DeviceFigures& device : comparison.devices) {
      reasons.push_back(str(device.device, ": ", device.failed));
    }
    first.message = str("none of the devices can run it: ", join(reasons, "; "));
    return first;
  }

  // What is wrong with the request, before anything runs.
  Status check() {
    if (request_.devices.empty()) return bad_input("no devices to compare");
    for (const std::string& text : request_.devices) {
      HONE_TRY(const AskedDevice asked, asked_device(text));
      HONE_RETURN_IF_ERROR(open_device(asked.name));
    }
    if (request_.data.empty()) return Done{};
    HONE_TRY(data_, open_data_set(request_.data, model_.graph));
    if (!data_->how.empty()) say_on_stderr(data_->how);
    if (!labelled() && request_.metric.empty()) return Done{};
    HONE_TRY(const MetricChoice choice, choose_metric(request_.metric, *data_, model_.graph));
    return check_metric(choice.name, *data_, model_.graph);
  }

  bool labelled() const { return data_->labels || data_->targets; }

  Status add_device(const std::string& text, DeviceFigures& figures) {
    HONE_TRY(const AskedDevice asked, asked_device(text));
    const std::string& name = asked.name;
    const std::string precision = asked.precision.empty() ? request_.precision : asked.precision;
    HONE_TRY(const std::optional<Device> device, open_device(name));
    HONE_TRY(const TargetDef* target, find_target(name));
    HONE_RETURN_IF_ERROR(check_is_here(name));
    figures.summary = target->summary;
    figures.price = price_of(device);
    figures.usd_per_hour = rate_of(device, given_rate(text));
    figures.copies = copies_of(device, model_.graph);
    const Model* model = &model_;
    CompileOptions options = request_.compile;
    const bool asked_for_floats = !precision.empty() && precision != "int8";
    options.named_precision = asked_for_floats || model_.keeps_types;
    const bool as_its_users = precision.empty() && !model_.keeps_types && runs_halves(device);
    if (asked_for_floats) options.precision = computed_precision(name, precision_named(precision));
    if (as_its_users) options.precision = computed_precision(name, Precision::F16);
    HONE_TRY(Compiled compiled, compile(*model, name, options));
    const bool floats = products_precision(*compiled.program, options.precision) != "int8";
    if (floats) {
      HONE_RETURN_IF_ERROR(check_precision(*target, device, *compiled.program, precision));
    } else if (asked_for_floats) {
      return unsupported("the model is of integers: it computes in int8, not in ", precision);
    }
    const bool quantizes =
        precision == "int8" || integers_alone(device) || wants_integers(*target, *compiled.program);
    if (floats && quantizes) {
      HONE_TRY(model, quantized(*target));
      HONE_TRY(compiled, compile(*model, name, options));
      figures.notes.push_back(how_it_was_quantized());
    }
    figures.model = model->name;
    figures.precision = products_precision(*compiled.program, options.precision);
    if (!precision.empty() && !figures.precision.empty() && figures.precision != precision) {
      figures.notes.push_back(str("computes in ", figures.precision, ", not all in ", precision));
    }
    const bool integers = figures.precision.starts_with("int8");
    if (integers && device && target->integers == nullptr && !is_learned(*device)) {
      figures.notes.emplace_back(kNoInt8Rate);
    }
    if (std::string note = host_note(*compiled.program); !note.empty()) {
      figures.notes.push_back(std::move(note));
    }
    figures.model_size = file_size(*model);
    const std::optional<ModelledRun> run = compiled.program->modelled();
    if (run && !run->latency.value) return unsupported(run->latency.note);
    const HeldMemory held = held_memory(*compiled.program, run ? &*run : nullptr);
    figures.weights = held.weights;
    figures.activations = held.activations;
    if (run) {
      add_modelled(*run, figures);
    } else {
      HONE_RETURN_IF_ERROR(add_measured(compiled, *model, name, options, figures));
    }
    figures.energy_of = energy_of(device, figures.energy);
    if (std::string note = busy_power_note(device, figures.energy); !note.empty()) {
      figures.notes.push_back(std::move(note));
    }
    HONE_RETURN_IF_ERROR(add_accuracy(*model, name, options, figures));
    derive_figures(terms_, figures);
    return Done{};
  }

  std::optional<double> given_rate(const std::string& device) const {
    const auto found = request_.usd_per_hour.find(device);
    return found == request_.usd_per_hour.end() ? std::nullopt : std::optional(found->second);
  }

  // Of a float model.
  static Status check_precision(const TargetDef& target, const std::optional<Device>& device,
                                const Program& program, const std::string& precision) {
    if (precision == "int8" && device && target.integers == nullptr) {
      return unsupported("its device file has no int8 rate");
    }
    if (precision == "int8" && target.integers == nullptr) {
      return unsupported("computes on floats only, not in int8");
    }
    const bool real = !precision.empty() && precision != "int8";
    if (real && (integers_alone(device) || wants_integers(target, program))) {
      return unsupported("computes on integers only, not in ", precision);
    }
    return Done{};
  }

  // Watts are those of networks, one sample at a time, which keep a large device busy in part.
  std::string busy_power_note(const std::optional<Device>& device, const Metric& energy) const {
    constexpr double kMuchMore = 1.5;
    const AnalyticSpec* spec = device ? device->analytic() : nullptr;
    const bool busier = model_.format == "op" || terms_.batch > 1;
    if (spec == nullptr || !spec->power.max_watts || !energy.value || !busier) return "";
    if (spec->power.busy_watts || *spec->power.max_watts < kMuchMore * spec->power.typical_watts) {
      return "";
    }
    return str("power and energy are at ", spec->power.typical_watts,
               " W, typical of networks, one sample at a time; what keeps all of it busy draws up "
               "to ",
               *spec->power.max_watts, " W");
  }

  static Result<Compiled> compile(const Model& model, const std::string& target,
                                  const CompileOptions& options) {
    Model copy;
    copy.name = model.name;
    copy.graph = std::move(*model.graph.clone());
    return compile_model(copy, {.target = target, .compile = options});
  }

  std::string how_it_was_quantized() const {
    if (!data_) return "quantized here for timing; accuracy not judged";
    return str("quantized here, calibrated on samples of ", request_.data,
               request_.accuracy ? "" : " that judge it, too");
  }

  // Once for all devices that compute on the same integers.
  Result<const Model*> quantized(const TargetDef& target) {
    const auto found = quantized_.find(target.integers);
    if (found != quantized_.end()) return &found->second;
    HONE_TRY(Model made, quantize_for_device(model_, target, data_ ? &*data_ : nullptr));
    return &quantized_.emplace(target.integers, std::move(made)).first->second;
  }

  // However long they take: whoever compares waits for one device after the other.
  static constexpr size_t kLeastRuns = 2;

  Status add_measured(const Compiled& compiled, const Model& model, const std::string& name,
                      const CompileOptions& options, DeviceFigures& figures) const {
    // An accelerator's roofs are not this machine's.
    std::optional<DeviceFile> own;
    if (compiled.target->device != nullptr) own = kept_roofs(*compiled.target);
    const DeviceFile* roofs =
        compiled.target->device == nullptr ? request_.roofs : (own ? &*own : nullptr);
    ProfileRequest request{.target = name, .compile = options, .roofs = roofs};
    HONE_TRY(request.inputs,
             data_ ? data_->sample(0, model.graph) : make_inputs(model.graph, {}, request_.seed));
    request.measure.stop = {.seconds = request_.seconds,
                            .least_runs = kLeastRuns,
                            .max_runs = static_cast<size_t>(request_.terms.runs),
                            .interval = 0};
    request.measure.counters = CounterSource::None;
    HONE_TRY(const Profile profile, profile_compiled(compiled, request));
    figures.latency = profile.latency;
    figures.energy = profile.energy[0];
    if (const Metric* inside = find_metric(profile.phases, "on_device")) {
      set_measured_copies(*inside, figures);
    }
    set_total(profile.samples_ms, figures);
    figures.notes.push_back(str("measured on ", profile.device));
    if (own) figures.notes.push_back(share_of_roofs(profile));
    for (const std::string& reason : profile.unstable) {
      figures.notes.push_back("unstable: " + reason);
    }
    return Done{};
  }

  // Of what the steps take on the device: how much its roofs ask for.
  static std::string share_of_roofs(const Profile& profile) {
    double us = 0;
    double roof_us = 0;
    for (const StepProfile& step : profile.steps) {
      if (!step.roof_us) continue;
      us += step.us;
      roof_us += *step.roof_us;
    }
    return str("by its roofs its steps take at least ", fixed(roof_us, 1), " us; they took ",
               fixed(us, 1));
  }

  // A run has its copies in it; the device's own clock tells what is between them.
  static void set_measured_copies(const Metric& inside, DeviceFigures& figures) {
    figures.whole = *figures.typical();
    figures.whole.name = "with_copies";
    figures.whole.note = "copies in and out are part of a run";
    figures.copies = {.name = "copies",
                      .value = std::max(0.0, *figures.whole.value - *inside.value),
                      .unit = "ms",
                      .n = inside.n,
                      .note = "what a run takes besides the kernels: copies and launch"};
  }

  void set_total(const std::vector<double>& samples_ms, DeviceFigures& figures) const {
    const auto made = static_cast<int64_t>(samples_ms.size());
    const double sum = std::accumulate(samples_ms.begin(), samples_ms.end(), 0.0);
    const double runs = static_cast<double>(request_.terms.runs);
    figures.total_time = {.name = "total_time",
                          .value = sum / 1e3 * runs / static_cast<double>(made),
                          .unit = "s",
                          .n = made};
    figures.total_time.note = made == request_.terms.runs ? str("sum of ", made, " runs")
                                                          : str("the mean of ", made, " runs, ",
                                                                request_.terms.runs, " times");
  }

  // Of what was given, not of what was made of it here.
  static void add_given_accuracy(double percent, bool quantized_here, DeviceFigures& figures) {
    figures.accuracy = {
        .name = "accuracy", .value = percent, .unit = "%", .mode = Mode::Given, .n = 0};
    figures.accuracy.note = "of the model as it was given";
    if (!quantized_here) return;
    figures.notes.push_back(
        "accuracy is given for the float model, not for what was quantized here");
  }

  // With the target's own arithmetic. Without labels: how near it is to the model as it was given.
  Status add_accuracy(const Model& model, const std::string& name, const CompileOptions& options,
                      DeviceFigures& figures) {
    figures.accuracy = unavailable("accuracy", "", "no samples to judge it on");
    if (request_.accuracy) add_given_accuracy(*request_.accuracy, &model != &model_, figures);
    if (!data_ || request_.accuracy) return Done{};
    ValidateRequest request{
        .target = name, .compile = options, .data = request_.data, .metric = request_.metric};
    if (!labelled()) request.reference = &model_;
    HONE_TRY(const Validated validated, validate_model(model, request));
    figures.accuracy = validated.validation.metric.value_or(
        unavailable("accuracy", "", "the data set has no labels"));
    figures.accuracy_of_itself = !labelled();
    more_is_better_ = validated.validation.more_is_better;
    if (!validated.validation.metric_why.empty()) {
      figures.accuracy.note = validated.validation.metric_why;
    }
    return Done{};
  }

  const Model& model_;
  const CompareRequest& request_;
  CompareTerms terms_;
  std::optional<DataSet> data_ = {};
  bool more_is_better_ = true;
  bool told_ = false;
  std::map<const IntegerSupport*, Model> quantized_ = {};
};

}  // namespace

Result<AskedDevice> asked_device(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return AskedDevice{text, ""};
  AskedDevice asked{text.substr(0, colon), text.substr(colon + 1)};
  if (std::ranges::count(kComparePrecisions, asked.precision) > 0) return asked;
  if (!find_target(asked.name).ok()) return AskedDevice{text, ""};
  if (is_number(asked.precision)) {
    return bad_input(text, ": there is one ", asked.name,
                     " and no number to choose it by; behind the colon stands a precision: ",
                     join(std::span(kComparePrecisions)));
  }
  return bad_input(text, ": no precision '", asked.precision,
                   "'; there are: ", join(std::span(kComparePrecisions)));
}

Result<DeviceComparison> compare_devices(const Model& model, const CompareRequest& request) {
  HONE_TRY(TriedDevices tried, try_devices(model, request));
  if (tried.failure) return *std::move(tried.failure);
  return std::move(tried.comparison);
}

Result<TriedDevices> try_devices(const Model& model, const CompareRequest& request) {
  HONE_TRY(const std::optional<Model> closed, closed_model(model, request));
  return Comparer(closed ? *closed : model, request).run();
}

}  // namespace hone
