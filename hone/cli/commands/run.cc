#include <algorithm>
#include <cmath>
#include <filesystem>

#include "hone/base/file.h"
#include "hone/base/file_names.h"
#include "hone/base/printable.h"
#include "hone/base/progress.h"
#include "hone/base/text.h"
#include "hone/cli/options.h"
#include "hone/cli/output_paths.h"
#include "hone/report/results/references_json.h"
#include "hone/wire/npy.h"

namespace hone {
namespace {

struct Options {
  ModelOptions model;
  JsonOutput json;
  TargetOptions target;
  std::vector<std::string> inputs;
  uint64_t seed = 0;
  std::string outputs;
  int repeat = 1;
};

struct OutputSummary {
  double smallest = 0, largest = 0, mean = 0;
};

OutputSummary summarize(const std::vector<double>& values) {
  OutputSummary summary;
  if (values.empty()) return summary;
  summary.smallest = *std::ranges::min_element(values);
  summary.largest = *std::ranges::max_element(values);
  for (const double value : values) summary.mean += value / static_cast<double>(values.size());
  return summary;
}

// "min -1.2 max 3.4 mean 0.1  first 0.3 0.5 ...".
std::string describe(const Item& item) {
  if (item.absent()) return "nothing";
  if (item.is_sequence()) return str("sequence of ", item.sequence.size(), " tensors");
  const Tensor& tensor = item.tensor;
  if (tensor.dtype() == DType::String) return str(tensor.type());
  const std::vector<double> values = to_doubles(tensor);
  const OutputSummary summary = summarize(values);
  std::string text = str(tensor.type(), "  min ", summary.smallest, " max ", summary.largest,
                         " mean ", summary.mean, "  first");
  for (size_t i = 0; i < std::min<size_t>(values.size(), 4); ++i) text += str(" ", values[i]);
  return text;
}

std::vector<std::filesystem::path> output_files(const std::filesystem::path& folder,
                                                const std::vector<std::string>& names) {
  std::vector<std::filesystem::path> files;
  for (const std::string& name : file_names(names, "output"))
    files.push_back(folder / (name + ".npy"));
  return files;
}

// Where each output was written; empty for those that are no tensors.
Result<std::vector<std::string>> save_outputs(const std::string& folder,
                                              const std::vector<std::string>& names,
                                              const std::vector<Item>& outputs) {
  HONE_RETURN_IF_ERROR(make_folder(folder));
  const std::vector<std::filesystem::path> files = output_files(folder, names);
  std::vector<std::string> written(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].is_tensor()) continue;
    HONE_RETURN_IF_ERROR(write_npy(outputs[i].tensor, files[i]));
    written[i] = files[i].string();
  }
  return written;
}

Json to_json(const Options& options, const std::vector<std::string>& names, const RunResult& result,
             const std::vector<std::string>& written) {
  Json outputs = Json::array(), files = Json::array();
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    const Item& item = result.outputs[i];
    Json entry{{"name", names[i]}};
    if (item.is_tensor()) {
      entry["type"] = name_of(item.tensor.dtype());
      entry["shape"] = item.tensor.shape();
      if (item.tensor.dtype() != DType::String) {
        const OutputSummary summary = summarize(to_doubles(item.tensor));
        entry["min"] = summary.smallest;
        entry["max"] = summary.largest;
        entry["mean"] = summary.mean;
      }
    }
    if (!written[i].empty()) {
      entry["file"] = written[i];
      files.push_back(written[i]);
    }
    outputs.push_back(std::move(entry));
  }
  Json json = options.target.to_json();
  json["seed"] = options.seed;
  json["metrics"] = {result.latency};
  if (result.computing) json["metrics"].push_back(*result.computing);
  if (result.references.count > 0) json["references"] = references_json(result.references);
  json["outputs"] = std::move(outputs);
  json["files"] = std::move(files);
  return json;
}

Result<Exit> run(const Options& options, const CommandContext& context) {
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
  HONE_TRY(const RunResult result,
           run_model(model, options.target.target, compile, inputs, options.repeat).in(model.name));
  if (result.references.count > 0) {
    say_on_stderr(str("references  ", text_of(result.references)));
  }
  std::vector<std::string> written(names.size());
  if (!options.outputs.empty()) {
    HONE_TRY(written, save_outputs(options.outputs, names, result.outputs));
  }
  if (!options.json.to_stdout()) {
    for (size_t i = 0; i < result.outputs.size(); ++i) {
      context.out << printable(names[i]) << "  " << describe(result.outputs[i]) << "\n";
    }
    context.out << "latency  " << hone::describe(result.latency) << "\n";
    if (result.computing) {
      context.out << result.computing->name << "  " << hone::describe(*result.computing) << "\n";
    }
    for (size_t i = 0; i < written.size(); ++i) {
      if (written[i].empty()) continue;
      context.out << "wrote " << written[i];
      // Where the file could not be called what the output is.
      const bool same = std::filesystem::path(written[i]).stem() == names[i];
      if (!same) context.out << ", output '" << printable(names[i]) << "'";
      context.out << "\n";
    }
  }
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(options.json.write(context, &model, options.model.model,
                                            to_json(options, names, result, written)));
  }
  return Exit::Pass;
}

CommandDef::Action declare(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<Options>();
  options->model.declare(flags);
  flags.texts("--inputs NAME:FILE.npy", options->inputs,
              "an input's elements; the others come from the seed");
  flags.number("--seed", options->seed, "seed of the inputs that have no file");
  flags.text("--outputs DIR", options->outputs,
             "folder to write the outputs to, one .npy each, named after the output as far as that "
             "is safe");
  flags.number("-n,--repeat", options->repeat, "how many times to run").range(1, 1'000'000);
  options->target.declare(flags);
  options->json.declare(flags);
  return [options, &context] { return run(*options, context); };
}

}  // namespace

extern const CommandDef command_run = {
    .name = "run",
    .summary = "Runs a model once or more and shows or saves its outputs.",
    .examples = {"hone run zoo:ds_cnn_kws --seed 1 --outputs out",
                 "hone run model.tflite --inputs input:x.npy",
                 "hone run model.onnx --shapes x:1x3x224x224 -n 10"},
    .declare = declare,
};

}  // namespace hone
