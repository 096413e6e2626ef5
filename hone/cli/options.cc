#include "hone/cli/options.h"

#include <algorithm>

#include "hone/base/file.h"
#include "hone/base/hash.h"
#include "hone/base/json_text.h"
#include "hone/base/parallel.h"
#include "hone/base/progress.h"
#include "hone/base/version.h"
#include "hone/profile/result_file.h"
#include "hone/workbench/computed_precision.h"
#include "hone/workbench/operators.h"
#include "hone/workbench/profile_model.h"
#include "hone/zoo/operator_model.h"

namespace hone {

void ModelOptions::declare(Flags& flags) {
  flags
      .text("model,-m,--model MODEL", model,
            "an .onnx or .tflite file, zoo:NAME for a built-in network, or op:NAME:SHAPE for one "
            "operator (`hone zoo` lists both); zoo:NAME:int8 has it quantized, with ranges of "
            "random inputs, and op:NAME:SHAPE:fp16 or :int8 in that type")
      .required();
  declare_reading(flags);
}

void ModelOptions::declare_reading(Flags& flags) {
  flags.texts(
      "--shapes NAME:SHAPE", shapes,
      "input extents, name:1x3x224x224 or name[1,3,224,224]: binds symbolic extents, or gives "
      "a built-in network an input of another size");
  flags.texts("--op NAME=EXPR", ops,
              "what an operator that Hone does not know computes: domain.Name=x*sigmoid(1.7*x); "
              "names are the node's own attributes");
  flags.texts("--ops FILE.toml", op_files,
              "the same from [[operator]] tables of name and expression; those of a device's file "
              "count without it");
}

void name_by_file(Model& model) {
  const std::string stem = std::filesystem::path(model.name).stem().string();
  if (!stem.empty() && !model.name.starts_with("zoo:")) model.graph.name = stem;
}

namespace {

using InputShapes = std::map<std::string, Shape>;

InputShapes input_shapes(const Graph& graph) {
  InputShapes shapes;
  for (const Value* input : graph.inputs()) shapes[input->name] = input->type.tensor.shape;
  return shapes;
}

// The same model `batch` times in one run.
Result<ModelOptions> in_batches(const ModelOptions& reading, const InputShapes& shapes,
                                int64_t batch) {
  ModelOptions larger = reading;
  larger.batch = 0;
  if (reading.model.starts_with(kOperatorModel)) {
    larger.model =
        str(kOperatorModel, batched_operator(reading.model.substr(kOperatorModel.size()), batch));
    return larger;
  }
  larger.shapes.clear();
  for (const auto& [name, shape] : shapes) {
    if (shape.empty()) return bad_input("input '", name, "' has no extent for a batch");
    std::vector<std::string> extents;
    for (const int64_t extent : shape) extents.push_back(str(extent));
    extents[0] = str(shape[0] == kUnknown ? batch : shape[0] * batch);
    larger.shapes.push_back(str(name, ":", join(extents, "x")));
  }
  return larger;
}

}  // namespace

BatchedModel batched_model(const ModelOptions& reading, const Graph& graph) {
  return [reading, shapes = input_shapes(graph)](int64_t batch) -> Result<Model> {
    HONE_TRY(const ModelOptions larger, in_batches(reading, shapes, batch));
    return larger.open();
  };
}

ModelOptions ModelOptions::of(const std::string& spec) const {
  ModelOptions other = *this;
  other.model = spec;
  return other;
}

void ModelOptions::declare_batch(Flags& flags) {
  flags
      .number("--batch N", batch,
              "samples in a run: the first extent of every input, where the model leaves that open "
              "or is a built-in one")
      .range(1, 1 << 20)
      .hide_default();
}

Result<Model> ModelOptions::open(const std::string& target) const {
  HONE_TRY(Model opened, open_as_given(target));
  if (batch == 0) {
    for (const std::string& input : opened.assumed_inputs) {
      say_on_stderr(str("input '", input, "' leaves extents open, taken as ",
                        text_of(opened.graph.find_value(input)->type.tensor.shape),
                        "; --shapes gives others"));
    }
    return opened;
  }
  for (const Value* input : opened.graph.inputs()) {
    const Shape& shape = input->type.tensor.shape;
    if (shape.empty() || model.starts_with(kOperatorModel)) continue;
    if (shape[0] != 1 && shape[0] != kUnknown) {
      return bad_input(opened.name, ": input '", input->name, "' is ", input->type,
                       ": --batch needs a first extent that is open or 1");
    }
    if (std::ranges::count(shape.begin() + 1, shape.end(), kUnknown) > 0) {
      return bad_input(
          opened.name, ": input '", input->name, "' is ", input->type,
          ": --batch gives the first extent, and --shapes with a first extent of 1 the others");
    }
  }
  HONE_TRY(const ModelOptions larger, in_batches(*this, input_shapes(opened.graph), batch));
  return larger.open_as_given(target).in(str("--batch ", batch));
}

Result<Model> ModelOptions::open_as_given(const std::string& target) const {
  LoadOptions options;
  options.other_inputs = one_of_many;
  for (const std::string& text : shapes) {
    HONE_TRY(auto binding, parse_shape_binding(text));
    if (!options.shapes.insert(binding).second) {
      return bad_input("--shapes gives input '", binding.first, "' twice");
    }
  }
  HONE_TRY(Model opened, open_model(model, options));
  HONE_RETURN_IF_ERROR(bind_custom_ops(opened, ops).in(opened.name));
  for (const std::string& file : op_files) {
    HONE_TRY(const std::vector<OperatorEntry> operators, read_operators(file));
    HONE_RETURN_IF_ERROR(bind_operators(opened, operators));
  }
  HONE_TRY(const std::vector<OperatorEntry> operators, device_operators(target));
  HONE_RETURN_IF_ERROR(bind_operators(opened, operators));
  return opened;
}

void JsonOutput::declare(Flags& flags) {
  flags.output("--json FILE", path, "write the result as JSON; - for standard output");
}

Result<Json> about_model(const Model& model, const std::string& spec) {
  Json about;
  about["name"] = model.name;
  about["format"] = model.format;
  about["version"] = model.version;
  about["producer"] = model.producer;
  if (model.file_bytes > 0) {
    HONE_TRY(about["sha256"], sha256_file(spec));
    about["bytes"] = model.file_bytes;
  }
  return about;
}

Status JsonOutput::write(const CommandContext& context, const Model* model,
                         const std::string& model_spec, Json results) const {
  Json about = Json::object();
  if (model != nullptr) {
    HONE_TRY(about["model"], about_model(*model, model_spec));
  }
  return write(context, std::move(about), std::move(results));
}

Status JsonOutput::write(const CommandContext& context, Json about, Json results) const {
  Json document;
  document["schema_version"] = kResultSchema;
  document["tool"] = {{"name", "hone"}, {"version", version()}};
  document["command"] = context.command_line;
  document.update(about);
  document["results"] = std::move(results);
  const std::string text = json_text(document, 2, to_stdout()) + "\n";
  if (to_stdout()) {
    context.document << text;
    return Done{};
  }
  return write_file(path, text);
}

void TargetOptions::declare(Flags& flags, const std::vector<std::string>& arithmetics) {
  declare_target(flags, target);
  flags
      .number("--threads", threads,
              "threads to compute with; 0: as many as this process may use; on a DSP one")
      .range(0, 1024);
  flags
      .text("--precision TYPE", precision,
            "of float arithmetic on the cpu and cuda targets: fp32; fp16; bf16, on cpu of products "
            "alone; tf32, on cuda, of products of fp32 tensors on tensor cores")
      .one_of({"fp32", "tf32", "fp16", "bf16"});
  flags.texts("--disable-pass PASS", disabled_passes,
              "a graph pass to leave out; see `hone passes`");
  flags.text("--arithmetic NAME", arithmetic,
             str("rounding of integer operators: ", join(arithmetic_names()),
                 arithmetics.empty() ? "" : "; products: ", join(arithmetics),
                 "; auto: tflite-reference, and tflite-single for ONNX's Q/DQ pairs"));
  flags
      .text("--hybrid HOW", hybrid,
            "float operators with int8 weights: `integer` quantizes the activations per sample "
            "as TFLite does, `float` expands the weights")
      .one_of({"integer", "float"});
  declare_tuning(flags, tune_seconds);
}

Result<CompileOptions> TargetOptions::resolve() const {
  HONE_TRY(const TargetDef* def, find_target(target));
  HONE_RETURN_IF_ERROR(check_is_here(target));
  CompileOptions options;
  if (arithmetic != "auto") {
    HONE_TRY(options.eval.rounding, find_arithmetic(arithmetic));
    options.qdq_rounds_once = false;
  }
  options.eval.expand_hybrid_weights = hybrid == "float";
  options.threads = threads;
  options.tune_seconds = tune_seconds;
  const Precision asked = precision_named(precision);
  if (const std::string why = why_computed_otherwise(target, asked); !why.empty()) {
    say_on_stderr(why);
  }
  options.precision = computed_precision(target, asked);
  options.named_precision = !precision.empty();
  const bool on_integers = def->mode == Mode::Simulated && def->integers != nullptr;
  if (on_integers && options.precision != Precision::F32) {
    say_on_stderr(str(target, " computes on integers: --precision ", precision,
                      " is that of what is left to its host"));
  }
  options.disabled_passes.insert(disabled_passes.begin(), disabled_passes.end());
  return options;
}

int TargetOptions::used_threads() const {
  return threads == 0 ? hardware_threads() : threads;
}

Json TargetOptions::to_json() const {
  return {{"target", target},
          {"threads", used_threads()},
          {"precision", name_of(computed_precision(target, precision_named(precision)))},
          {"disabled_passes", disabled_passes},
          {"arithmetic", arithmetic},
          {"hybrid", hybrid}};
}

std::string run_flags(const CompileOptions& options) {
  std::string flags;
  if (options.threads > 0) flags += str(" --threads ", options.threads);
  if (options.precision != Precision::F32) {
    flags += str(" --precision ", name_of(options.precision));
  }
  if (!options.qdq_rounds_once) {
    flags += str(" --arithmetic ", arithmetic_name(options.eval.rounding));
  }
  if (options.eval.expand_hybrid_weights) flags += " --hybrid float";
  return flags;
}

void declare_tuning(Flags& flags, double& seconds) {
  const Flag tuning =
      flags
          .seconds("--tune-duration TIME", seconds,
                   "for choosing among the cuda target's kernels by measuring them, for each "
                   "network that is compiled, in seconds or as 500ms; what was measured before is "
                   "remembered")
          .range(0.0, 86400.0);
  flags.old_name(tuning, "--tune-seconds");
}

void declare_target(Flags& flags, std::string& target) {
  flags.text("-d,--device TARGET", target,
             "where to run: a target or a device of `hone targets`, or a device's FILE.toml");
}

Result<std::map<std::string, std::string>> parse_input_files(const std::vector<std::string>& given,
                                                             const Graph& graph) {
  std::map<std::string, std::string> files;
  for (const std::string& text : given) {
    // The name is what comes before the first ':' that ends the name of an input.
    std::string name;
    for (const Value* input : graph.inputs()) {
      const bool fits = text.starts_with(input->name + ":") && input->name.size() >= name.size();
      if (fits) name = input->name;
    }
    if (!name.empty()) {
      files[name] = text.substr(name.size() + 1);
    } else if (graph.inputs().size() == 1 && text.find(':') == std::string::npos) {
      files[graph.inputs()[0]->name] = text;
    } else {
      std::vector<std::string> names;
      for (const Value* input : graph.inputs()) names.push_back(input->name);
      return bad_input("--inputs ", text,
                       ": expected NAME:FILE.npy with a name of the model's: ", join(names));
    }
  }
  return files;
}

}  // namespace hone
