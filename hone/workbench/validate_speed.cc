#include "hone/workbench/validate_speed.h"

#include "hone/base/text.h"
#include "hone/targets/common/memory_fit.h"
#include "hone/validate/run_rounds.h"
#include "hone/workbench/held_memory.h"
#include "hone/workbench/host_roofs.h"
#include "hone/workbench/profile_model.h"
#include "hone/workbench/run_energy.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

// A program and something to run it on.
struct Timed {
  Compiled compiled;
  std::vector<Item> inputs;

  Contestant contestant() const { return {*compiled.program, inputs}; }
};

Result<Timed> prepare(const Model& model, const ValidateRequest& request, const DataSet* data) {
  Timed timed{.compiled = {.model = model.name}, .inputs = {}};
  HONE_TRY(timed.inputs, data != nullptr ? data->sample(0, model.graph)
                                         : make_inputs(model.graph, {}, request.seed));
  const std::unique_ptr<Graph> graph = model.graph.clone();
  HONE_RETURN_IF_ERROR(close_extents(*graph, timed.inputs).in(model.name));
  HONE_TRY(timed.compiled.target, find_target(request.target));
  HONE_TRY(
      timed.compiled.program,
      timed.compiled.target->open()->compile(std::move(*graph), request.compile).in(model.name));
  return timed;
}

// The model's of a device that is not here; of this machine from meters where there are any, else
// predicted.
Result<Metric> energy_of(const Timed& timed, const ValidateRequest& request) {
  if (const auto run = timed.compiled.program->modelled()) {
    return run->energy.empty() ? unavailable("energy", "mJ", "the device's file has no figures")
                               : run->energy[0];
  }
  EnergyMeters meters;
  if (meters.any()) {
    return measured_energy(meters, *timed.compiled.program, timed.inputs, request.seconds);
  }
  HONE_TRY(const DeviceFile roofs, host_roofs());
  ProfileRequest profile_request{.target = request.target,
                                 .compile = request.compile,
                                 .inputs = timed.inputs,
                                 .roofs = &roofs};
  profile_request.measure.stop.seconds = request.seconds;
  profile_request.measure.counters = CounterSource::None;
  HONE_TRY(const Profile profile, profile_compiled(timed.compiled, profile_request));
  return profile.energy[0];
}

std::string parts_of(const HeldMemory& held) {
  const auto bytes = [](const Metric& part) {
    return human_bytes(static_cast<uint64_t>(part.value.value_or(0)));
  };
  if (held.weights_in_flash) {
    return str("activations; weights, ", bytes(held.weights),
               ", are in flash, and code, stacks and the file are not counted");
  }
  return str("weights as packed ", bytes(held.weights), ", activations ", bytes(held.activations),
             "; code, stacks and the file are not counted");
}

GateRow memory_row(const Timed& timed, double limit) {
  const Program& program = *timed.compiled.program;
  const auto run = program.modelled();
  const HeldMemory held = held_memory(program, run ? &*run : nullptr);
  GateRow row = bytes_row("peak memory", held.working_bytes(), limit, parts_of(held),
                          str("target ", timed.compiled.target->name, " plans no memory"));
  const std::string unknown = unknown_extents(program.steps());
  if (unknown.empty() || row.verdict != Verdict::Pass) return row;
  row.verdict = Verdict::Inconclusive;
  row.reached = "at least " + row.reached;
  row.why = unknown;
  return row;
}

GateRow size_row(const Model& model, double limit) {
  std::optional<uint64_t> bytes;
  if (model.file_bytes > 0) bytes = model.file_bytes;
  return bytes_row("size", bytes, limit, "of the file alone", "a built-in network has no file");
}

// Stored times of other hardware or another target say nothing about this model.
std::string why_not_comparable(const Baseline& baseline, const Validation& validation) {
  if (baseline.samples_ms.empty()) return str(baseline.path, " holds no times of runs");
  if (baseline.target != validation.target) {
    return str(baseline.path, " was measured on target '", baseline.target, "', this on '",
               validation.target, "'");
  }
  if (baseline.device != validation.device) {
    return str(baseline.path, " was measured on ", baseline.device, ", this on ",
               validation.device);
  }
  return "";
}

class Speed {
 public:
  Speed(const Model& model, const ValidateRequest& request, const DataSet* data,
        Validation& validation)
      : model_(model), request_(request), data_(data), validation_(validation) {}

  Status check() {
    const Budgets& budgets = request_.budgets;
    const bool timed = budgets.latency || budgets.slowdown;
    HONE_TRY(const TargetDef* target, find_target(request_.target));
    // Of a device that is not here every budget asks whether it could run there at all.
    const bool must_fit = target->mode != Mode::Measured && (budgets.size || budgets.drop);
    if (timed || budgets.peak_memory || budgets.energy || must_fit) {
      HONE_TRY(timed_, prepare(model_, request_, data_));
      run_ = timed_.compiled.program->modelled();
      if (!fits()) add(fit_row(run_->misfit));
    }
    if (timed) HONE_RETURN_IF_ERROR(check_times());
    if (budgets.peak_memory) add(memory_row(timed_, *budgets.peak_memory));
    if (budgets.size) add(size_row(model_, *budgets.size));
    if (budgets.energy) {
      HONE_TRY(const Metric energy, energy_of(timed_, request_));
      GateRow row = energy_row(energy, *budgets.energy);
      add(fits() ? std::move(row) : without_fit(std::move(row)));
    }
    return Done{};
  }

 private:
  void add(GateRow row) { validation_.gate.push_back(std::move(row)); }
  Mode mode() const { return timed_.compiled.target->mode; }
  bool fits() const { return !run_ || run_->misfit.empty(); }

  Status check_times() {
    if (run_) return check_modelled(run_->latency);
    const Model* base = base_model();
    if (base != nullptr) {
      HONE_RETURN_IF_ERROR(compare_with(*base));
    } else {
      HONE_TRY(const Rounds rounds, run_rounds(timed_.contestant(), nullptr, request_.seconds));
      if (request_.budgets.slowdown) compare_with_stored(rounds);
      keep_latency(rounds.base, noise_of(rounds));
    }
    return Done{};
  }

  // A model gives the same time every time: nothing has to be run.
  Status check_modelled(const Metric& latency) {
    const Budgets& budgets = request_.budgets;
    validation_.latency = latency;
    if (latency.value) validation_.samples_ms = {*latency.value};
    if (budgets.slowdown) HONE_RETURN_IF_ERROR(compare_modelled(latency));
    if (!budgets.latency) return Done{};
    GateRow row = modelled_latency_row(latency, *budgets.latency, doubts_of(*run_));
    add(fits() ? std::move(row) : without_fit(std::move(row)));
    return Done{};
  }

  Status compare_modelled(const Metric& latency) {
    const SlowdownLimits& limits = *request_.budgets.slowdown;
    Slowdown slowdown;
    slowdown.why = latency.note;
    const Model* base = base_model();
    const std::string how = base != nullptr ? str("against ", base_text(*base))
                                            : str("against the time in ", request_.baseline->path);
    if (!latency.value) {
      // Unknown, for the reason that is there already.
    } else if (base != nullptr) {
      HONE_TRY(const Timed other, prepare(*base, base_request(*base), data_));
      const std::optional<ModelledRun> run = other.compiled.program->modelled();
      slowdown.why = str(base->name, ": ", run->latency.note);
      if (run->latency.value) {
        slowdown = judge_modelled(*run->latency.value, *latency.value, limits);
        keep_open(doubts_of(*run), base->name, slowdown);
      }
    } else if (slowdown.why = why_not_comparable(*request_.baseline, validation_);
               slowdown.why.empty()) {
      slowdown = judge_modelled(request_.baseline->samples_ms[0], *latency.value, limits);
    }
    keep_open(doubts_of(*run_), model_.name, slowdown);
    GateRow row = slowdown_row(slowdown, limits, how, latency.mode);
    if (slowdown.verdict == Verdict::Inconclusive) row.reached = "unknown";
    add(fits() ? std::move(row) : without_fit(std::move(row)));
    return Done{};
  }

  // Why a modelled time may be further off than its interval says.
  static std::vector<std::string> doubts_of(const ModelledRun& run) {
    std::vector<std::string> doubts = run.uncovered;
    doubts.insert(doubts.end(), run.guessed.begin(), run.guessed.end());
    return doubts;
  }

  // What a time guessed at seems to hold is not known to.
  static void keep_open(const std::vector<std::string>& uncovered, const std::string& name,
                        Slowdown& slowdown) {
    if (uncovered.empty() || slowdown.verdict != Verdict::Pass) return;
    slowdown.verdict = Verdict::Inconclusive;
    slowdown.why = str(name, ": ", join(uncovered, "; "));
  }

  void keep_latency(const std::vector<double>& samples_ms, double noise) {
    const Latency latency = latency_of(samples_ms, noise);
    validation_.samples_ms = samples_ms;
    validation_.latency = Metric{.name = "median",
                                 .value = latency.ms,
                                 .unit = "ms",
                                 .mode = mode(),
                                 .n = latency.n,
                                 .low = latency.low,
                                 .high = latency.high,
                                 .note = "of whole runs; what it may be, noise included"};
    if (request_.budgets.latency) add(latency_row(latency, *request_.budgets.latency, mode()));
  }

  const Model* base_model() const {
    if (!request_.budgets.slowdown) return nullptr;
    if (request_.baseline_model != nullptr) return request_.baseline_model;
    return request_.baseline ? nullptr : request_.reference;
  }

  // The reference runs in fp32.
  ValidateRequest base_request(const Model& base) const {
    ValidateRequest request = request_;
    if (&base == request_.reference) request.compile.precision = Precision::F32;
    return request;
  }

  // With the precision that it ran in, where one was asked of the model.
  std::string base_text(const Model& base) const {
    if (request_.compile.precision == Precision::F32) return base.name;
    return str(base.name, " in ", name_of(base_request(base).compile.precision));
  }

  // Rounds in which the model is the candidate; what the base differs from itself by is its noise,
  // too.
  Status compare_with(const Model& base) {
    HONE_TRY(const Timed other, prepare(base, base_request(base), data_));
    const Contestant candidate = timed_.contestant();
    HONE_TRY(const Rounds rounds, run_rounds(other.contestant(), &candidate, request_.seconds));
    const SlowdownLimits& limits = *request_.budgets.slowdown;
    add(slowdown_row(judge_slowdown(rounds, limits), limits, str("in turn with ", base_text(base)),
                     mode()));
    keep_latency(rounds.candidate, noise_of(rounds));
    return Done{};
  }

  void compare_with_stored(const Rounds& rounds) {
    const Baseline& baseline = *request_.baseline;
    const SlowdownLimits& limits = *request_.budgets.slowdown;
    const std::string how = str("against the times in ", baseline.path);
    const std::string obstacle = why_not_comparable(baseline, validation_);
    if (obstacle.empty()) {
      add(slowdown_row(judge_against_stored(baseline.samples_ms, rounds, limits), limits, how,
                       mode()));
      return;
    }
    Slowdown unknown;
    unknown.why = obstacle;
    GateRow row = slowdown_row(unknown, limits, how, mode());
    row.reached = "unknown";
    add(std::move(row));
  }

  const Model& model_;
  const ValidateRequest& request_;
  const DataSet* data_;
  Validation& validation_;
  Timed timed_;
  std::optional<ModelledRun> run_ = {};  // Of a device that is not here.
};

}  // namespace

Status check_budgets(const Model& model, const ValidateRequest& request, const DataSet* data,
                     Validation& validation) {
  return Speed(model, request, data, validation).check();
}

}  // namespace hone
