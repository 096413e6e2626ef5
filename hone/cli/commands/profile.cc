#include "hone/base/file.h"
#include "hone/base/progress.h"
#include "hone/cli/firmware_options.h"
#include "hone/cli/hint_words.h"
#include "hone/cli/import_options.h"
#include "hone/profile/import/lay_on_model.h"
#include "hone/profile/profile_json.h"
#include "hone/profile/roofs.h"
#include "hone/report/profile_text.h"
#include "hone/workbench/compare_devices.h"
#include "hone/workbench/computed_precision.h"
#include "hone/workbench/quantize_for_device.h"

namespace hone {
namespace {

struct ProfileArguments {
  MeasureOptions measure;
  bool estimate = false;
  FirmwareFlags firmware;
  ImportSource import;
  ShowOptions show = {.words = hint_words};
  std::string trace;
  std::string csv;
  JsonOutput json;
};

Status write_profile_results(const Profile& profile, const Model* model,
                             const ProfileArguments& options, const CommandContext& context) {
  if (!options.trace.empty()) {
    HONE_RETURN_IF_ERROR(write_file(options.trace, chrome_trace(profile)));
  }
  if (!options.csv.empty()) HONE_RETURN_IF_ERROR(write_file(options.csv, profile_csv(profile)));
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(
        options.json.write(context, model, options.measure.model.model, profile_to_json(profile)));
  }
  if (options.json.to_stdout()) return Done{};
  context.out << profile_text(profile, options.show);
  for (const std::string& path : {options.json.path, options.trace, options.csv}) {
    if (!path.empty()) context.notes() << "wrote " << path << "\n";
  }
  return Done{};
}

Status import(const ProfileArguments& options, const CommandContext& context) {
  HONE_TRY(Profile profile, options.import.read());
  if (options.measure.model.model.empty())
    return write_profile_results(profile, nullptr, options, context);
  HONE_TRY(const Model model, options.measure.model.open());
  HONE_TRY(const auto roofs, options.import.roofs(options.measure.target.threads));
  profile.model = model.name;
  profile.threads = options.measure.target.threads;
  HONE_RETURN_IF_ERROR(lay_on_model(model.graph, profile).in(options.import.file));
  if (roofs) apply_roofs(*roofs, profile);
  return write_profile_results(profile, &model, options, context);
}

// NAME:int8 has a float model quantized, as `hone compare` does.
Status quantize_if_float(Measurement& ready) {
  HONE_TRY(const TargetDef* target, find_target(ready.request.target));
  if (target->integers == nullptr) {
    return unsupported(ready.request.target, " does not compute in int8");
  }
  Model copy;
  copy.name = ready.model.name;
  copy.graph = std::move(*ready.model.graph.clone());
  HONE_TRY(const Compiled compiled, compile_model(copy, ready.request));
  if (products_precision(*compiled.program, Precision::F32) == "int8") return Done{};
  HONE_TRY(ready.model, quantize_for_device(ready.model, *target, nullptr));
  say_on_stderr("quantized here for timing; accuracy not judged");
  return Done{};
}

Result<Exit> measure(const ProfileArguments& options, const CommandContext& context) {
  if (options.measure.model.model.empty()) {
    return bad_input("expected a MODEL to measure, or --import FILE");
  }
  MeasureOptions how = options.measure;
  how.no_roofs = how.no_roofs || options.estimate;  // They are this machine's.
  HONE_TRY(const AskedDevice asked, asked_device(how.target.target));
  how.target.target = asked.name;
  if (!asked.precision.empty() && asked.precision != "int8") {
    how.target.precision = asked.precision;
  }
  HONE_TRY(const std::unique_ptr<Measurement> ready, prepare(how));
  if (asked.precision == "int8") {
    HONE_RETURN_IF_ERROR(quantize_if_float(*ready).in(ready->model.name));
  }
  HONE_TRY(ready->request.compile.firmware, options.firmware.resolve(ready->request.target));
  ready->request.compile.estimate_only = options.estimate;
  Progress work("profile");
  work.begin(str("measuring ", ready->model.name, " on ", ready->request.target));
  HONE_TRY(const Profile profile,
           profile_model(ready->model, ready->request).in(ready->model.name));
  HONE_RETURN_IF_ERROR(write_profile_results(profile, &ready->model, options, context));
  const Metric* latency = find_metric(profile.latency, "median");
  const bool misfit = latency != nullptr && latency->note.starts_with("does not fit");
  return misfit ? Exit::Resource : Exit::Pass;
}

Result<Exit> run_profile(const ProfileArguments& options, const CommandContext& context) {
  if (!options.import.given()) return measure(options, context);
  HONE_RETURN_IF_ERROR(import(options, context));
  return Exit::Pass;
}

CommandDef::Action declare_profile(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<ProfileArguments>();
  options->measure.declare(flags);
  flags.find("--model").required(false);  // --import does without.
  flags.toggle("--no-roofs", options->measure.no_roofs,
               "without this machine's roofs, which are measured once if `hone calibrate` has not");
  flags.toggle("--estimate", options->estimate,
               "of a device that is not here: an analytic estimate at once, without simulating or "
               "running");
  options->firmware.declare(flags);
  options->import.declare(flags);
  flags.number("--rows", options->show.rows, "rows of the table; 0 for all");
  flags.toggle("--steps", options->show.steps, "the program's steps instead of the model's layers");
  flags.toggle("--in-order", options->show.in_order, "in running order instead of by time");
  flags.output("--trace FILE", options->trace, "write a Chrome trace, which Perfetto opens");
  flags.output("--csv FILE", options->csv, "write one line per step");
  options->json.declare(flags);
  return [options, &context] { return run_profile(*options, context); };
}

}  // namespace

extern const CommandDef command_profile = {
    .name = "profile",
    .summary = "Measures where the time of a model goes, layer by layer.",
    .examples = {"hone profile zoo:mobilenet_v2 --threads 1",
                 "hone profile model.tflite -d cpu --json profile.json --trace trace.json",
                 "hone profile model.onnx --steps --rows 0 --counters simulated",
                 "hone profile model_int8.onnx -d ethos-u55-128 --estimate",
                 "hone profile model_int8.tflite -d cortex-m7 --in-order --csv layers.csv",
                 "hone profile model_int8.tflite -d cortex-m7 --max-ram 64KiB",
                 "hone profile --import onnxruntime_profile.json --json theirs.json",
                 "hone profile model.onnx --import onnxruntime_profile.json"},
    .declare = declare_profile,
};

}  // namespace hone
