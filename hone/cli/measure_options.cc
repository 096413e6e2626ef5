#include "hone/cli/measure_options.h"

#include <chrono>

#include "hone/workbench/host_roofs.h"

namespace hone {
namespace {

CounterSource counter_source(const std::string& name) {
  if (name == "none") return CounterSource::None;
  return name == "simulated" ? CounterSource::Simulated : CounterSource::Hardware;
}

void declare_stop(CLI::App& app, StopRule& stop) {
  app.add_option("-t,--duration", stop.seconds, "seconds to measure at most")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 86400.0));
  app.add_option_function<size_t>(
         "-n,--iterations",
         [&stop](size_t runs) { stop = {.seconds = 86400, .max_runs = runs, .interval = 0}; },
         "exactly this many runs, whatever they show")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--interval", stop.interval,
                 "stop when the median is known within this part of itself, at 95 %; 0 never")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
}

}  // namespace

void MeasureOptions::declare(CLI::App& app) {
  model.declare(app);
  target.declare(app);
  app.add_option("--inputs", inputs, "a value for an input, name:file.npy")
      ->type_name("NAME:FILE")
      ->expected(1, -1);
  app.add_option("--seed", seed, "for inputs without a file")->capture_default_str();
  declare_stop(app, measure.stop);
  app.add_option("--warmup", measure.warm_ups, "runs that do not count")
      ->capture_default_str()
      ->check(CLI::Range(0, 100000));
  app.add_option("--counters", counters,
                 "cycles and misses per step: from the processor, from Hone's cache model, or none")
      ->check(CLI::IsMember({"hardware", "simulated", "none"}))
      ->capture_default_str();
}

Result<std::unique_ptr<Measurement>> prepare(const MeasureOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  HONE_TRY(Model model, options.model.open());
  auto ready = std::make_unique<Measurement>(Measurement{std::move(model), {}, {}});
  ProfileRequest& request = ready->request;
  request.read_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  request.target = options.target.target;
  request.seed = options.seed;
  request.measure = options.measure;
  request.measure.counters = counter_source(options.counters);
  HONE_TRY(request.compile, options.target.resolve());
  HONE_TRY(const auto files, parse_input_files(options.inputs, ready->model.graph));
  HONE_TRY(request.inputs,
           make_inputs(ready->model.graph, files, options.seed).in(ready->model.name));
  if (options.no_roofs) return ready;
  HONE_TRY(ready->roofs, host_roofs());
  request.roofs = &*ready->roofs;
  return ready;
}

}  // namespace hone
