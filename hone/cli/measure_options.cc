#include "hone/cli/measure_options.h"

#include <chrono>

#include "hone/base/progress.h"
#include "hone/workbench/host_roofs.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

CounterSource counter_source(const std::string& name) {
  if (name == "none") return CounterSource::None;
  return name == "simulated" ? CounterSource::Simulated : CounterSource::Hardware;
}

}  // namespace

void MeasureOptions::declare(Flags& flags) {
  model.declare(flags);
  model.declare_batch(flags);
  target.declare(flags);
  flags.texts("--inputs NAME:FILE", inputs, "a value for an input, name:file.npy");
  flags.number("--seed", seed, "for inputs without a file");
  flags
      .seconds("-t,--duration TIME", measure.stop.seconds,
               "to measure at most, in seconds or as 500ms")
      .range(0.0, 86400.0);
  const Flag exactly =
      flags.number("-n,--runs N", runs, "exactly this many runs, whatever they show")
          .range(1, 1000000)
          .hide_default();
  flags.old_name(exactly, "--iterations");
  flags
      .part("--interval PART", measure.stop.interval,
            "stop when the median is known within this part of itself, at 95 %; 0 never")
      .range(0.0, 1.0);
  flags.number("--warmup", measure.warm_ups, "runs that do not count").range(0, 100000);
  flags
      .text("--counters", counters,
            "cycles and misses per step: from the processor, from Hone's cache model, or none")
      .one_of({"hardware", "simulated", "none"});
}

namespace {

// Layers of a model that leaves extents open have kernels only once the inputs tell them.
Status take_extents(const std::vector<Item>& inputs, Graph& graph) {
  std::vector<const Value*> open;
  for (const Value* input : graph.inputs()) {
    if (input->type.is_tensor() && !input->type.tensor.known()) open.push_back(input);
  }
  HONE_RETURN_IF_ERROR(close_extents(graph, inputs));
  for (const Value* input : open) {
    say_on_stderr(str("input '", input->name,
                      "' leaves extents open, taken as its file has them: ", input->type.tensor));
  }
  return Done{};
}

}  // namespace

Result<std::unique_ptr<Measurement>> prepare(const MeasureOptions& options) {
  HONE_RETURN_IF_ERROR(check_is_here(options.target.target));
  const auto begin = std::chrono::steady_clock::now();
  HONE_TRY(Model model, options.model.open(options.target.target));
  auto ready = std::make_unique<Measurement>(Measurement{std::move(model), {}, {}});
  ProfileRequest& request = ready->request;
  request.read_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  request.target = options.target.target;
  request.seed = options.seed;
  request.measure = options.measure;
  if (options.runs > 0) {
    request.measure.stop = {.seconds = 86400, .max_runs = options.runs, .interval = 0};
  }
  request.measure.counters = counter_source(options.counters);
  HONE_TRY(request.compile, options.target.resolve());
  HONE_TRY(const auto files, parse_input_files(options.inputs, ready->model.graph));
  HONE_TRY(request.inputs,
           make_inputs(ready->model.graph, files, options.seed).in(ready->model.name));
  HONE_RETURN_IF_ERROR(take_extents(request.inputs, ready->model.graph).in(ready->model.name));
  // A machine that is not here has its own roofs; those of an accelerator are used where they are
  // known.
  HONE_TRY(const TargetDef* target, find_target(request.target));
  if (options.no_roofs || target->mode != Mode::Measured) return ready;
  if (target->device != nullptr) {
    ready->roofs = kept_roofs(*target);
  } else {
    HONE_TRY(ready->roofs, host_roofs());
  }
  request.roofs = ready->roofs ? &*ready->roofs : nullptr;
  return ready;
}

}  // namespace hone
