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
constexpr size_t kFewestRuns = 10;

// In ms, in their order.
Result<std::vector<double>> time_runs(Session& session, const std::vector<Item>& inputs,
                                      double seconds) {
  std::vector<Item> outputs;
  for (int i = 0; i < kWarmUps; ++i) HONE_RETURN_IF_ERROR(session.run(inputs, outputs));
  std::vector<double> times;
  const auto begin = std::chrono::steady_clock::now();
  while (times.size() < kFewestRuns || seconds_since(begin) < seconds) {
    const auto start = std::chrono::steady_clock::now();
    HONE_RETURN_IF_ERROR(session.run(inputs, outputs));
    times.push_back(1e3 * seconds_since(start));
  }
  return times;
}

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

// A network made ready to be timed.
struct Prepared {
  std::unique_ptr<Program> program;
  std::vector<Item> inputs;
  Precision floats = Precision::F32;
  double gmacs = 0;
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

Status measure_latency(const Prepared& ready, double seconds, BenchResult& result) {
  HONE_RETURN_IF_ERROR(check_room_for_run(*ready.program));
  const std::unique_ptr<Session> session = ready.program->open();
  HONE_TRY(const std::vector<double> times, time_runs(*session, ready.inputs, seconds));
  result.latency = {.name = "latency",
                    .value = median(times),
                    .unit = "ms",
                    .n = static_cast<int64_t>(times.size()),
                    .low = std::ranges::min(times),
                    .high = std::ranges::max(times),
                    .note = "median of whole runs"};
  const Interval interval = median_interval(times);
  result.median_low = interval.low;
  result.median_high = interval.high;
  return Done{};
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

Result<BenchResult> bench_model(const BenchCase& which, const std::string& target,
                                CompileOptions options, double seconds,
                                const std::map<std::string, Shape>& shapes) {
  HONE_TRY(Prepared ready, prepare(which, target, std::move(options), shapes));
  BenchResult result;
  result.precision = ran_in(*ready.program, ready.floats);
  result.gmacs = ready.gmacs;
  if (const auto run = ready.program->modelled()) {
    result.latency = run->latency;
  } else {
    HONE_RETURN_IF_ERROR(measure_latency(ready, seconds, result));
  }
  if (const auto memory = ready.program->memory()) result.arena_bytes = memory->arena_bytes;
  result.reference_ops = reference_ops(*ready.program);
  result.plain_kernels = plain_kernels(*ready.program);
  return result;
}

}  // namespace hone
