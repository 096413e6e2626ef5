#include "hone/workbench/bench.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "hone/base/seconds_since.h"
#include "hone/profile/memory_room.h"
#include "hone/profile/profile_program.h"
#include "hone/profile/statistics.h"
#include "hone/workbench/computed_precision.h"
#include "hone/workbench/profile_model.h"
#include "hone/workbench/summary.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

constexpr int kWarmUps = 3;
// Enough for an interval of 95 % around the median of what turns say.
constexpr int kBenchTurns = 10;

std::vector<std::string> reference_ops(const Program& program) {
  std::set<std::string> ops;
  for (const StepInfo& step : program.steps()) {
    if (step.kind.reference || step.kind.on_host) ops.insert(step.node->op);
  }
  return {ops.begin(), ops.end()};
}

std::vector<std::string> plain_kernels(const Program& program) {
  std::set<std::string> works;
  for (const StepInfo& step : program.steps()) {
    if (runs_plain_kernel(step.kind)) works.insert(step.kind.work);
  }
  return {works.begin(), works.end()};
}

std::string ran_in(const Program& program, Precision floats) {
  std::vector<StepProfile> steps;
  for (const StepInfo& step : program.steps()) steps.push_back(describe_step(step));
  return precision_label(steps, name_of(floats));
}

// A network made ready to be timed, and its times so far, in ms.
struct Prepared {
  std::unique_ptr<Program> program;
  std::vector<Item> inputs;
  Precision floats = Precision::F32;
  double gmacs = 0;
  std::unique_ptr<Session> session = nullptr;  // From the first turn on.
  std::vector<Item> outputs = {};
  std::vector<double> runs = {};
  std::vector<double> turns = {};  // The median of each.
};

Result<Prepared> prepare(const BenchCase& which, const std::string& target, CompileOptions options,
                         const std::map<std::string, Shape>& shapes) {
  HONE_TRY(const TargetDef* def, find_target(target));
  options.precision = computed_precision(target, precision_named(which.precision));
  const bool quantized = which.precision == "int8";
  HONE_TRY(Model model, open_model(quantized ? which.model + ":int8" : which.model,
                                   {.shapes = shapes, .other_inputs = true}));
  Prepared ready;
  HONE_TRY(ready.inputs, make_inputs(model.graph, {}, 0));
  ready.floats = options.precision;
  ready.gmacs = static_cast<double>(summarize(model.graph).macs) / 1e9;
  HONE_TRY(ready.program, def->open()->compile(std::move(model.graph), options));
  return ready;
}

// Where others have run since the last turn, a run brings the weights back into the caches.
Status take_turn(Prepared& ready, double seconds, bool among_others) {
  int warm_ups = among_others ? 1 : 0;
  if (ready.session == nullptr) {
    HONE_RETURN_IF_ERROR(check_room_for_run(*ready.program));
    ready.session = ready.program->open();
    warm_ups = kWarmUps;
  }
  const auto run = [&] { return ready.session->run(ready.inputs, ready.outputs); };
  for (int i = 0; i < warm_ups; ++i) HONE_RETURN_IF_ERROR(run());
  std::vector<double> times;
  const auto begin = std::chrono::steady_clock::now();
  do {
    const auto start = std::chrono::steady_clock::now();
    HONE_RETURN_IF_ERROR(run());
    times.push_back(1e3 * seconds_since(start));
  } while (seconds_since(begin) < seconds);
  ready.turns.push_back(median(times));
  ready.runs.insert(ready.runs.end(), times.begin(), times.end());
  return Done{};
}

// The interval is that of the turns' medians: runs of one turn are alike, however many there are, and a
// machine that slows down for a second is no sample of a thousand.
void tell_latency(const Prepared& ready, BenchResult& result) {
  const double middle = median(ready.runs);
  result.latency = {.name = "latency",
                    .value = middle,
                    .unit = "ms",
                    .n = static_cast<int64_t>(ready.runs.size()),
                    .low = std::ranges::min(ready.runs),
                    .high = std::ranges::max(ready.runs),
                    .note = "median of whole runs"};
  const Interval interval = median_interval(ready.turns);
  result.median_low = std::min(interval.low, middle);
  result.median_high = std::max(interval.high, middle);
}

BenchResult result_of(const Prepared& ready) {
  BenchResult result;
  result.precision = ran_in(*ready.program, ready.floats);
  result.gmacs = ready.gmacs;
  if (const auto memory = ready.program->memory()) result.arena_bytes = memory->arena_bytes;
  if (const auto run = ready.program->modelled()) {
    result.latency = run->latency;
    return result;
  }
  tell_latency(ready, result);
  // Of what is measured: kernels of this machine take no part in a modelled time.
  result.reference_ops = reference_ops(*ready.program);
  result.plain_kernels = plain_kernels(*ready.program);
  return result;
}

}  // namespace

const std::vector<BenchCase>& standard_bench_cases() {
  static const std::vector<BenchCase> kCases = {
      {"zoo:mobilenet_v2"},         {"zoo:mobilenet_v3_large"}, {"zoo:resnet50"},
      {"zoo:efficientnet_b0"},      {"zoo:ds_cnn_kws"},         {"zoo:mobilenet_v2", "fp16"},
      {"zoo:mobilenet_v2", "int8"}, {"zoo:resnet50", "int8"},   {"zoo:ds_cnn_kws", "int8"},
  };
  return kCases;
}

std::vector<Result<BenchResult>> bench_models(const std::vector<BenchCase>& cases,
                                              const std::string& target,
                                              const CompileOptions& options, double seconds,
                                              const std::map<std::string, Shape>& shapes,
                                              const BenchProgress& progress) {
  const size_t steps = cases.size() * (1 + kBenchTurns);
  size_t done = 0;
  const auto step = [&] {
    if (progress) progress(++done, steps);
  };
  std::vector<Result<Prepared>> networks;
  for (const BenchCase& which : cases) {
    networks.push_back(prepare(which, target, options, shapes));
    step();
  }
  for (int turn = 0; turn < kBenchTurns; ++turn) {
    for (Result<Prepared>& network : networks) {
      if (network.ok() && !network->program->modelled()) {
        Status status = take_turn(*network, seconds / kBenchTurns, cases.size() > 1);
        if (!status.ok()) network = std::move(status).error();
      }
      step();
    }
  }
  std::vector<Result<BenchResult>> results;
  for (Result<Prepared>& network : networks) {
    if (network.ok()) {
      results.emplace_back(result_of(*network));
    } else {
      results.emplace_back(std::move(network).error());
    }
  }
  return results;
}

}  // namespace hone
