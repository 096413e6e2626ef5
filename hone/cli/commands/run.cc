#include <filesystem>

#include "hone/base/file_names.h"
#include "hone/base/output_file.h"
#include "hone/base/progress.h"
#include "hone/cli/options.h"
#include "hone/cli/output_paths.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/report/results/model_run.h"
#include "hone/wire/npy.h"

namespace hone {
namespace {

struct RunArguments {
  ModelOptions model;
  JsonOutput json;
  TargetOptions target;
  std::vector<std::string> inputs;
  uint64_t seed = 0;
  std::string outputs;
  int repeat = 1;
};

std::vector<std::filesystem::path> output_files(const std::filesystem::path& folder,
                                                const std::vector<std::string>& names) {
  std::vector<std::filesystem::path> files;
  for (const std::string& name : file_names(names, "output"))
    files.push_back(folder / (name + ".npy"));
  return files;
}

// Outputs that are no tensors have no file.
Status save_outputs(const std::string& folder, const std::vector<std::string>& names,
                    std::vector<ModelOutput>& outputs) {
  return write_folder(folder, [&]() -> Status {
    const std::vector<std::filesystem::path> files = output_files(folder, names);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].item.is_tensor()) continue;
      HONE_RETURN_IF_ERROR(write_npy(outputs[i].item.tensor, files[i]));
      outputs[i].file = files[i].string();
    }
    return Done{};
  });
}

ModelRun model_run_of(RunResult result, const std::vector<std::string>& names) {
  ModelRun run{.latency = std::move(result.latency),
               .computing = std::move(result.computing),
               .references = std::move(result.references)};
  for (size_t i = 0; i < names.size(); ++i) {
    run.outputs.push_back({.name = names[i], .item = std::move(result.outputs[i])});
  }
  return run;
}

Json to_json(const RunArguments& options, const ModelRun& run) {
  Json json = options.target.to_json();
  json["seed"] = options.seed;
  json.update(model_run_to_json(run));
  return json;
}

Result<Exit> run_run(const RunArguments& options, const CommandContext& context) {
  HONE_TRY(const CompileOptions compile, options.target.resolve());
  HONE_TRY(Model model, options.model.open(options.target.target));
  HONE_TRY(const auto files, parse_input_files(options.inputs, model.graph));
  HONE_TRY(const std::vector<Item> inputs,
           make_inputs(model.graph, files, options.seed).in(model.name));
  std::vector<std::string> names;
  for (const Value* output : model.graph.outputs()) names.push_back(output->name);
  if (!options.outputs.empty()) {
    for (const std::filesystem::path& path : output_files(options.outputs, names)) {
      HONE_RETURN_IF_ERROR(check_output(context, path));
    }
  }
  HONE_TRY(RunResult result,
           run_model(model, options.target.target, compile, inputs, options.repeat).in(model.name));
  ModelRun ran = model_run_of(std::move(result), names);
  if (ran.references.count > 0) say_on_stderr(str("references  ", text_of(ran.references)));
  if (!options.outputs.empty()) {
    HONE_RETURN_IF_ERROR(save_outputs(options.outputs, names, ran.outputs));
  }
  if (!options.json.to_stdout()) context.out << document_text(document_of(ran));
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(
        options.json.write(context, &model, options.model.model, to_json(options, ran)));
  }
  return Exit::Pass;
}

CommandDef::Action declare_run(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<RunArguments>();
  options->model.declare(flags);
  options->model.declare_batch(flags);
  flags.texts("--inputs NAME:FILE.npy", options->inputs,
              "an input's elements; the others come from the seed");
  flags.number("--seed", options->seed, "seed of the inputs that have no file");
  flags.text("--outputs DIR", options->outputs,
             "folder to write the outputs to, one .npy each, named after the output as far as that "
             "is safe");
  const Flag runs =
      flags.number("-n,--runs N", options->repeat, "how many times to run").range(1, 1'000'000);
  flags.old_name(runs, "--repeat");
  options->target.declare(flags);
  options->json.declare(flags);
  return [options, &context] { return run_run(*options, context); };
}

}  // namespace

extern const CommandDef command_run = {
    .name = "run",
    .summary = "Runs a model once or more and shows or saves its outputs.",
    .examples = {"hone run zoo:ds_cnn_kws --seed 1 --outputs out",
                 "hone run model.tflite --inputs input:x.npy",
                 "hone run model.onnx --shapes x:1x3x224x224 -n 10"},
    .declare = declare_run,
};

}  // namespace hone
