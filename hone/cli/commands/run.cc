#include <algorithm>
#include <cmath>
#include <filesystem>

#include "hone/base/text.h"
#include "hone/cli/options.h"
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

// A name from a file, made safe as a file name.
std::string file_name(std::string name) {
  for (char& c : name) {
    const bool safe =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
    if (!safe) c = '_';
  }
  return name + ".npy";
}

Result<std::vector<std::string>> save_outputs(const std::string& folder,
                                              const std::vector<std::string>& names,
                                              const std::vector<Item>& outputs) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return bad_input(folder, ": cannot be made: ", error.message());
  std::vector<std::string> written;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].is_tensor()) continue;
    const auto path = std::filesystem::path(folder) / file_name(names[i]);
    HONE_RETURN_IF_ERROR(write_npy(outputs[i].tensor, path));
    written.push_back(path.string());
  }
  return written;
}

Json to_json(const Options& options, const std::vector<std::string>& names, const RunResult& result,
             const std::vector<std::string>& written) {
  Json outputs = Json::array();
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
    outputs.push_back(std::move(entry));
  }
  Json json = options.target.to_json();
  json["seed"] = options.seed;
  json["metrics"] = {result.latency};
  if (result.computing) json["metrics"].push_back(*result.computing);
  json["outputs"] = std::move(outputs);
  json["files"] = written;
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
  HONE_TRY(const RunResult result,
           run_model(model, options.target.target, compile, inputs, options.repeat).in(model.name));
  std::vector<std::string> written;
  if (!options.outputs.empty()) {
    HONE_TRY(written, save_outputs(options.outputs, names, result.outputs));
  }
  if (!options.json.to_stdout()) {
    for (size_t i = 0; i < result.outputs.size(); ++i) {
      context.out << names[i] << "  " << describe(result.outputs[i]) << "\n";
    }
    context.out << "latency  " << hone::describe(result.latency) << "\n";
    if (result.computing) {
      context.out << result.computing->name << "  " << hone::describe(*result.computing) << "\n";
    }
    for (const std::string& path : written) context.out << "wrote " << path << "\n";
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
  flags.text("--outputs DIR", options->outputs, "folder to write the outputs to, one .npy each");
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
