#include "hone/targets/analytic/learned_program.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "hone/base/text.h"
#include "hone/targets/analytic/analytic_memory.h"
#include "hone/targets/analytic/device_program.h"
#include "hone/targets/analytic/learned_costs.h"
#include "hone/targets/analytic/predict.h"
#include "hone/targets/common/memory_fit.h"
#include "hone/targets/common/modelled_metrics.h"

namespace hone {
namespace {

// Of the time in families that the class has not seen: more of it is a guess.
constexpr double kMostUnseen = 0.25;
// Of an interval, either way.
constexpr double kMostFactor = 10;

StepFamily step_family(std::string_view family) {
  if (family.empty()) return StepFamily::Nothing;
  if (family == "pass") return StepFamily::Other;
  return family == "depthwise" ? StepFamily::Depthwise : StepFamily::Product;
}

FamilyWork begin_of_run() {
  FamilyWork work = {};
  work[family_index("run")] = 1;
  return work;
}

// Of a class's precisions.
std::span<const std::string_view> wider_than(std::string_view precision) {
  static constexpr std::string_view kWidestFirst[] = {"fp32", "fp16", "int8"};
  const auto found = std::ranges::find(kWidestFirst, precision);
  return {std::begin(kWidestFirst),
          found == std::end(kWidestFirst) ? std::begin(kWidestFirst) : found};
}

std::string devices_text(int devices) {
  return str(devices, devices == 1 ? " device" : " devices");
}

std::string classes_text(const DeviceClass& a, const DeviceClass& b) {
  return a.name == b.name ? str("class ", a.name) : str("classes ", a.name, ", ", b.name);
}

std::string widening_text(double widening) {
  if (widening == 1) return "";
  return str(", which agree less than its devices do: interval ", fixed(widening, 1),
             " times as wide");
}

// Empty where the class was learned from devices of about such a peak.
std::string peak_text(const LearnedCosts& learned) {
  const double beyond = beyond_peaks(*learned.of, learned.gops);
  if (beyond < kSamePeaks && beyond > 1 / kSamePeaks) return "";
  return str("its peak of ", fixed(learned.gops, 1), " GOP/s is ",
             fixed(beyond > 1 ? beyond : 1 / beyond, 0), " times ",
             beyond > 1 ? "the highest" : "less than the lowest", " of the devices that class ",
             learned.of->name, " was learned from; a multiply-add counts as two, a GOP/s is 1e9");
}

// The time of a run and how well it is known: steps of several precisions have costs of several
// classes, which err together.
struct RunEstimate {
  double us = 0;
  double log_factor = 0;    // Of the interval, either way.
  double unseen = 0;        // Part of the time in families that no class has seen.
  std::string family = {};  // The last of those.
};

class LearnedProgram final : public Program {
 public:
  LearnedProgram(std::unique_ptr<Program> computes, DeviceProgram program, const Device& device)
      : computes_(std::move(computes)), program_(std::move(program)), device_(device) {
    for (const DeviceStep& step : program_.steps) add_costs(step.precision);
    main_ = main_precision(program_);
    if (!costs_.contains(main_)) main_ = device_.analytic()->membership->runs;
    add_costs(main_);
    network_ = work_of(program_);
    for (const auto& [precision, learned] : costs_) {
      effects_.emplace(precision, effect_of(*learned.of, network_));
    }
  }

  std::unique_ptr<Session> open() const override { return computes_->open(); }
  const Graph& graph() const override { return program_.graph; }

  std::vector<StepInfo> steps() const override {
    std::vector<StepInfo> infos;
    for (const DeviceStep& step : program_.steps) {
      StepInfo info{.node = step.node, .cost = step.cost};
      info.kind = {.family = step_family(step.family),
                   .work = step.fused            ? "fused"
                           : step.family.empty() ? "view"
                                                 : std::string(step.family),
                   .variant = step.precision,
                   .precision = arithmetic_named(step.precision).value_or(Arithmetic::Unknown)};
      infos.push_back(std::move(info));
    }
    return infos;
  }

  std::optional<ModelledRun> modelled() const override {
    ModelledRun run{.device = device_.name, .tracks = {device_.name}};
    double us = us_of(main_, begin_of_run());
    for (const DeviceStep& step : program_.steps) {
      const double step_us = step.family.empty() ? 0 : us_of(step.precision, step.work);
      run.steps.push_back({.start_us = us, .us = step_us});
      us += step_us;
    }
    const RunEstimate estimate = estimate_run();
    run.latency =
        with_interval(predicted_metric("latency", us / 1e3, "ms"), estimate, class_note());
    leave_start_open(estimate, run);
    hold_to_roofs(run);
    run.energy = {
        run_energy(device_.analytic()->power, run.latency, network_work(computes_->steps()).macs)};
    add_analytic_memory(*computes_, device_, run);
    run.notes.emplace_back("results are computed on this CPU; times are predicted");
    if (device_.fit) run.notes.push_back(fit_text(device_));
    for (const std::string& text : class_notes()) run.notes.push_back(text);
    if (std::string text = measured_text(); !text.empty()) run.notes.push_back(std::move(text));
    add_guessed_precisions(run);
    add_shared_levels(run);
    add_known_network(run);
    add_faster_precisions(estimate, run);
    refuse_the_unknown(estimate, run);
    withhold_times(computes_->steps(), run);
    return run;
  }

 private:
  void add_costs(const std::string& precision) {
    if (costs_.contains(precision)) return;
    costs_.emplace(precision, learned_costs(*device_.analytic(), precision));
  }

  const LearnedCosts& main_costs() const { return costs_.at(main_); }

  double us_of(const std::string& precision, const FamilyWork& work) const {
    return 1e3 * predict_costs(costs_.at(precision).costs, work, effects_.at(precision)).ms;
  }

  RunEstimate estimate_run() const {
    std::map<std::string, FamilyWork> by_precision;
    by_precision[main_] = begin_of_run();
    for (const DeviceStep& step : program_.steps) {
      FamilyWork& work = by_precision[step.precision];
      for (size_t i = 0; i < kFamilyCount; ++i) work[i] += step.work[i];
    }
    RunEstimate estimate;
    for (const auto& [precision, work] : by_precision) {
      const LearnedCosts& learned = costs_.at(precision);
      const CostPrediction prediction = predict_costs(learned.costs, work, effects_.at(precision));
      estimate.us += 1e3 * prediction.ms;
      for (size_t i = 0; i < kFamilyCount; ++i) {
        if (prediction.shares[i] == 0 || !learned.of->unseen.contains(kKernelFamilies[i])) continue;
        estimate.unseen += 1e3 * prediction.ms * prediction.shares[i];
        estimate.family = kKernelFamilies[i];
      }
      estimate.log_factor +=
          1e3 * prediction.ms * log_width_of(learned, network_, prediction.deviation);
    }
    estimate.log_factor /= estimate.us;
    estimate.unseen /= estimate.us;
    return estimate;
  }

  // Null where there are several that take time, or none.
  const DeviceStep* only_step() const {
    const DeviceStep* only = nullptr;
    for (const DeviceStep& step : program_.steps) {
      if (step.family.empty()) continue;
      if (only != nullptr) return nullptr;
      only = &step;
    }
    return only;
  }

  // What begins a run is known together with all that networks do behind it. Before one operator it may
  // be far less.
  void leave_start_open(const RunEstimate& estimate, ModelledRun& run) const {
    const DeviceStep* only = only_step();
    if (only == nullptr) return;
    const double alone_ms = us_of(only->precision, only->work) / 1e3;
    const double low = alone_ms / std::exp(estimate.log_factor);
    if (low >= *run.latency.low) return;
    run.latency.low = low;
    run.latency.note += "; what begins a run is not known of one operator alone";
  }

  // Classes were learned from networks, whose values stay in caches and whose rare families are
  // known together with others. Of one operator alone the data sheet knows better: it multiplies no
  // faster than the peak, and reads and writes no faster than memory does. Winograd's form is spared
  // multiplications.
  double least_us() const {
    const DeviceStep* only = only_step();
    if (only == nullptr) return 0;
    const AnalyticSpec& spec = *device_.analytic();
    const double bytes_each = only->precision == "int8" ? 1 : only->precision == "fp16" ? 2 : 4;
    double elements = 0;
    for (const char* moved : {"pass", "move", "weights"}) {
      elements += only->work[family_index(moved)];
    }
    const double macs = only->family == "window" ? 0 : static_cast<double>(only->cost.macs);
    return 1e6 * std::max(2 * macs / peak_of(spec, only->precision),
                          bytes_each * elements / spec.bytes_per_second);
  }

  void hold_to_roofs(ModelledRun& run) const {
    const double least_ms = least_us() / 1e3;
    Metric& latency = run.latency;
    if (*latency.low >= least_ms) return;
    const double either_way = *latency.high / *latency.value;
    latency.value = std::max(*latency.value, least_ms);
    latency.low = std::max(*latency.low, least_ms);
    latency.high = *latency.value * either_way;
    latency.note += "; not below what the peak and the memory's rate allow";
    for (size_t s = 0; s < run.steps.size(); ++s) {
      if (!program_.steps[s].family.empty())
        run.steps[s].us = std::max(run.steps[s].us, 1e3 * least_ms);
    }
  }

  static Metric with_interval(Metric metric, const RunEstimate& estimate, std::string note) {
    metric.low = *metric.value / std::exp(estimate.log_factor);
    metric.high = *metric.value * std::exp(estimate.log_factor);
    metric.note = std::move(note);
    return metric;
  }

  std::string class_note() const {
    const LearnedCosts& learned = main_costs();
    const ClassNetwork* known = find_network(*learned.of, network_);
    return str("nine of ten expected within; class ", learned.of->name, ", learned from ",
               devices_text(learned.of->evidence.devices),
               known == nullptr ? "" : str(", where others ran ", known->name),
               ", points of this device: ", learned.points, widening_text(learned.widening));
  }

  // Of every class that steps are priced by, once.
  std::set<std::string> class_notes() const {
    std::set<std::string> notes;
    for (const auto& [precision, learned] : costs_) {
      notes.insert(own_class_text(*learned.of));
      notes.insert(few_devices_text(*learned.of));
      notes.insert(peak_text(learned));
    }
    notes.erase("");
    return notes;
  }

  // What a user measured is better than what is predicted from it; empty where this was not.
  std::string measured_text() const {
    const auto found = costs_.find(main_precision(program_));
    if (found == costs_.end() || found->second.precision != found->first) return "";
    std::vector<std::string> times;
    for (const OwnPoint& point : found->second.own) {
      if (!is_same_network(point.work, network_)) continue;
      const MeasuredPoint& measured = device_.analytic()->membership->points[point.place];
      times.push_back(str(fixed(measured.ms, measured.ms < 1 ? 4 : 2), " ms",
                          point.left_out.is_odd ? ", which is odd" : ""));
    }
    return times.empty()
               ? ""
               : str("measured, of a network with these layers: ", join(times), " (your points)");
  }

  // "its steps are", "3 of its 60 steps are".
  std::string steps_in(std::string_view precision) const {
    const auto timed = [](const DeviceStep& step) { return !step.family.empty(); };
    const auto all = std::ranges::count_if(program_.steps, timed);
    const auto some = std::ranges::count_if(program_.steps, [&](const DeviceStep& step) {
      return timed(step) && step.precision == precision;
    });
    return some == all ? "its steps are"
                       : str(some, " of its ", all, some == 1 ? " steps is" : " steps are");
  }

  // Of a few steps it is said that they are few: the network may be in another precision.
  void add_guessed_precisions(ModelledRun& run) const {
    for (const auto& [precision, learned] : costs_) {
      if (precision == learned.precision) continue;
      if (runs_integers_as_fp32(*device_.analytic(), precision)) {
        run.notes.emplace_back(kNoInt8Rate);
        continue;
      }
      run.notes.push_back(str("such devices were not measured in ", precision, ": ",
                              steps_in(precision), " priced by the peak, from what ",
                              learned.precision, " takes"));
      if (precision == main_) run.guessed.push_back(run.notes.back());
    }
  }

  void add_shared_levels(ModelledRun& run) const {
    for (const auto& [precision, learned] : costs_) {
      if (learned.shared.precision.empty()) continue;
      run.notes.push_back(str("no points in ", learned.precision, ": its times are ",
                              fixed(learned.shared.factor, 2), " times what the class says, as ",
                              "points in ", learned.shared.precision, " tell in part"));
    }
  }

  void add_known_network(ModelledRun& run) const {
    const DeviceClass& of = *main_costs().of;
    if (const ClassNetwork* known = find_network(of, network_)) {
      run.notes.push_back(str("other devices of class ", of.name, " were measured with ",
                              known->name, "; what is its own is in the time"));
    } else if (const ClassNetwork* resized = find_resized_network(of, network_)) {
      run.notes.push_back(str("other devices of class ", of.name, " were measured with ",
                              resized->name, ", of another batch or size; what is its own is in ",
                              "the time, less surely"));
    }
  }

  // Narrower arithmetic is not always faster where libraries differ: a class for each was learned
  // from what was published. Said where they are further apart than the wider is known.
  void add_faster_precisions(const RunEstimate& estimate, ModelledRun& run) const {
    const AnalyticSpec& spec = *device_.analytic();
    const std::string runs = main_precision(program_);
    for (const std::string_view wider : wider_than(runs)) {
      const auto of_wider = spec.membership->classes.find(wider);
      if (of_wider == spec.membership->classes.end()) continue;
      const LearnedCosts learned = learned_costs(spec, wider);
      const CostPrediction expected =
          predict_costs(learned.costs, network_, effect_of(*learned.of, network_));
      const double us = 1e3 * expected.ms;
      if (std::log(estimate.us / us) <= expected.deviation) continue;
      run.notes.push_back(str("slower in ", runs, " than in ", wider, ", which would take ",
                              millis(us / 1e3),
                              " ms, by what networks like it took on other devices (",
                              classes_text(*costs_.at(runs).of, *learned.of), ")"));
    }
  }

  static std::string_view why_so_wide(const LearnedCosts& learned) {
    if (learned.widening > 1) {
      return "the points of this device agree neither with its class nor with one another";
    }
    if (learned.costs.scale > 1) return "the points of this device are far from its class";
    return "too little was measured on such devices";
  }

  // Why a time would say nothing; empty where it says something.
  std::string why_unknown(const RunEstimate& estimate) const {
    if (device_.analytic()->membership->integers_only && main_precision(program_) != "int8") {
      return "it computes on integers only, and this model multiplies floats: quantize it first";
    }
    if (estimate.unseen > kMostUnseen) {
      return str("nothing measured on such devices tells what ", estimate.family, " layers take, ",
                 fixed(100 * estimate.unseen, 0),
                 " % of this one's time by what they would be guessed at");
    }
    if (estimate.us > 1e3 * longest_told_ms(main_costs())) {
      return "it is far larger than the networks that were measured on such devices";
    }
    const double factor = std::exp(estimate.log_factor);
    if (factor <= kMostFactor) return "";
    return str(why_so_wide(main_costs()), ": the interval would be a factor of ",
               fixed(std::min(factor, 1e6), 0), " either way");
  }

  void refuse_the_unknown(const RunEstimate& estimate, ModelledRun& run) const {
    const std::string why = why_unknown(estimate);
    if (why.empty()) return;
    withhold(run.latency, why);
    withhold(run.energy[0], why);
  }

  std::unique_ptr<Program> computes_;
  DeviceProgram program_;
  Device device_;
  std::map<std::string, LearnedCosts> costs_ = {};  // By precision.
  std::string main_ = {};                           // What most of its arithmetic is in.
  std::map<std::string, NetworkEffect> effects_ = {};
  FamilyWork network_ = {};  // All of it, in whatever precisions.
};

std::vector<std::string> precisions_of(const ClassMembership& membership) {
  std::vector<std::string> names;
  for (const auto& [precision, of_class] : membership.classes) names.push_back(precision);
  return names;
}

}  // namespace

Status check_has_figures(const Device& device, Precision precision) {
  if (precision != Precision::TF32 && precision != Precision::BF16) return Done{};
  return unsupported(
      "the model of ", device.name, " has no ", name_of(precision), " figures; ",
      precision == Precision::TF32 ? "target cuda runs it" : "targets cpu and cuda run it");
}

Result<std::unique_ptr<Program>> make_learned_program(std::unique_ptr<Program> computes,
                                                      Graph graph, const Device& device,
                                                      const CompileOptions& options) {
  const ClassMembership& membership = *device.analytic()->membership;
  const bool named = options.named_precision || options.precision != Precision::F32;
  const std::string_view floats = named ? name_of(options.precision) : float_precision(membership);
  if (named && !membership.classes.contains(floats)) {
    return unsupported("such devices were measured in ", join(precisions_of(membership)),
                       ", not in ", floats);
  }
  HONE_TRY(DeviceProgram program,
           device_program(std::move(graph), {.floats = floats,
                                             .runtime = runtime_of(*device.analytic()),
                                             .disabled = options.disabled_passes}));
  return {std::make_unique<LearnedProgram>(std::move(computes), std::move(program), device)};
}

}  // namespace hone
