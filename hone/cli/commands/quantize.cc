#include <cmath>
#include <filesystem>

#include "hone/base/file.h"
#include "hone/base/peek_file.h"
#include "hone/base/progress.h"
#include "hone/base/text.h"
#include "hone/cli/options.h"
#include "hone/cli/output_paths.h"
#include "hone/model/save.h"
#include "hone/passes/half_precision.h"
#include "hone/quantize/float_weights.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/report/results/changed_io.h"
#include "hone/targets/firmware_program.h"
#include "hone/workbench/full_integers.h"
#include "hone/workbench/quantize_model.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

struct QuantizeArguments {
  ModelOptions model;
  JsonOutput json;
  std::string data;
  std::string judge;
  std::string output = "quantized.onnx";
  std::string target = "cpu";
  std::string type = "int8";
  bool per_tensor = false;
  bool symmetric = false;
  bool reduce_range = false;
  bool power_of_two = false;
  int block_size = 0;
  std::string method = "minmax";
  double percentile = 99.99;
  int subset_size = 100;
  std::vector<std::string> exclude;
  std::vector<std::string> op_types;
  std::string wide = "float";
  std::string recipe;
  std::string max_drop;
  QuantizeRequest request;
};

// "conv" of "Conv": the words of the file, or Hone's own.
Result<std::string> op_named(const std::string& name) {
  if (find_op(name) != nullptr) return name;
  if (const auto match = find_onnx_op(name, "")) return std::string(match->op->name);
  return bad_input("no operator '", name, "'; `hone ops` lists them");
}

Status read_recipe(const QuantizeArguments& options, QuantizeRecipe& recipe) {
  HONE_TRY(const std::string text, read_text(options.recipe));
  HONE_TRY(recipe, parse_quantize_recipe(text, options.recipe));
  return Done{};
}

Status fill_recipe(const QuantizeArguments& options, QuantizeRecipe& recipe) {
  HONE_TRY(const std::optional<Scheme> scheme, scheme_named(options.type));
  if (!scheme) return bad_input("--type float leaves nothing to quantize");
  recipe.target = options.target;
  recipe.plan.scheme = *scheme;
  recipe.plan.scheme.per_channel = !options.per_tensor;
  recipe.plan.scheme.symmetric = scheme->symmetric || options.symmetric;
  recipe.plan.scheme.reduce_range = options.reduce_range;
  recipe.plan.scheme.power_of_two = options.power_of_two;
  recipe.plan.scheme.block_size = options.block_size;
  for (const std::string& scope : options.exclude) {
    recipe.plan.rules.push_back({scope, std::nullopt});
  }
  for (const std::string& op : options.op_types) {
    HONE_TRY(std::string name, op_named(op));
    recipe.plan.op_types.push_back(std::move(name));
  }
  HONE_TRY(recipe.method, range_method_named(options.method));
  recipe.percentile = options.percentile;
  recipe.subset_size = options.subset_size;
  recipe.recovery = options.request.recipe.recovery;
  return Done{};
}

Result<QuantizeRequest> request_of(const QuantizeArguments& options) {
  QuantizeRequest request = options.request;
  if (!options.recipe.empty()) {
    HONE_RETURN_IF_ERROR(read_recipe(options, request.recipe));
  } else {
    HONE_RETURN_IF_ERROR(fill_recipe(options, request.recipe));
  }
  HONE_TRY(request.wide, scheme_named(options.wide));
  if (!options.max_drop.empty()) {
    HONE_TRY(request.max_drop, parse_drop(options.max_drop).in("--max-drop"));
  }
  if ((request.automatic || request.mixed) && !request.max_drop) {
    return bad_input("--auto and --mixed need --max-drop: how much may be lost?");
  }
  return request;
}

std::string recipe_path_quantize(const std::string& output) {
  return std::filesystem::path(output).replace_extension(".toml").string();
}

// None: equal.
std::optional<double> finite(double sqnr_db) {
  return std::isinf(sqnr_db) ? std::nullopt : std::optional(sqnr_db);
}

std::optional<SparedLayers> spared_of(const QuantizedModel& result) {
  const auto target = find_target(result.recipe.target);
  if (!result.mixed || !target.ok()) return std::nullopt;
  return SparedLayers{.spared = result.mixed->wide,
                      .evaluations = static_cast<int64_t>(result.mixed->trials.size()),
                      .gain_given_up_us = result.mixed->lost_us,
                      .mode = (*target)->mode};
}

// `file` is what was written, if anything was.
QuantizationResult quantization_of(const QuantizedModel& result, const std::string& model,
                                   const std::string& file) {
  QuantizationResult told{.model = model,
                          .target = result.recipe.target,
                          .file = file,
                          .metric = result.metric,
                          .reference = result.reference,
                          .calibrated_on = result.calibrated_on,
                          .judged_on = result.judged_on,
                          .judged_on_calibration = result.judged_on_calibration,
                          .notes = result.notes,
                          .layers = result.layers,
                          .float_layers = result.float_layers,
                          .in_float = result.in_float,
                          .bytes_before = result.weight_bytes_before,
                          .bytes_after = result.weight_bytes_after,
                          .holds = result.holds,
                          .mixed = spared_of(result)};
  for (const QuantizeTrial& trial : result.trials) {
    told.trials.push_back({.tried = trial.what,
                           .metric = trial.score.metric,
                           .drop = trial.score.drop,
                           .agreement = trial.score.agreement,
                           .sqnr_db = finite(trial.score.sqnr_db),
                           .seconds = trial.seconds});
  }
  for (const LayerSensitivity& layer : result.sensitivity) {
    told.sensitivity.push_back({layer.layer, layer.op, finite(layer.sqnr_db)});
  }
  return told;
}

bool writes_tflite(const QuantizeArguments& options) {
  return options.output.ends_with(".tflite");
}

// What a .tflite file has in other words than the pairs that it was made of.
struct TfliteFacts {
  IoChange io = {};
  FileAgreement agreement = {};
};

constexpr int64_t kComparedSamples = 16;

// Inputs and outputs become integers; the rest of the file is what the pairs say.
Result<WrittenModel> write_full_integers(const std::string& output, const Graph& pairs,
                                         const DataSet& data, TfliteFacts& facts) {
  const std::unique_ptr<Graph> graph = pairs.clone();
  facts.io = use_full_integers(*graph);
  HONE_RETURN_IF_ERROR(save_model(*graph, output));
  HONE_TRY(Model file, load_model(output));
  HONE_TRY(facts.agreement,
           compare_with_file(*graph, file.graph, facts.io, data, pairs, kComparedSamples));
  return WrittenModel{std::move(file.graph), facts.io};
}

std::string facts_text(const TfliteFacts& facts, const Graph& graph) {
  const FileAgreement& agreement = facts.agreement;
  const std::string apart = agreement.in_steps
                                ? str(static_cast<int64_t>(agreement.largest), " steps")
                                : str(agreement.largest);
  return str(
      integers_text(facts.io.integers, graph), channels_last_text(facts.io.channels_last, graph),
      "on ", agreement.samples, " samples ", fixed(100 * agreement.changed, 1),
      " % of the file's outputs are not those of the Q/DQ pairs that it was made of, by at most ",
      apart, "; ", agreement.same_class, " have the same largest output (measured)\n");
}

Json facts_json(const TfliteFacts& facts, const Graph& graph) {
  const FileAgreement& agreement = facts.agreement;
  Json json = changed_io_to_json(facts.io, graph);
  json["file_agreement"] = {{"samples", agreement.samples},
                            {"same_largest_output", agreement.same_class},
                            {"changed_part", agreement.changed},
                            {"largest_change", agreement.largest},
                            {"unit", agreement.in_steps ? "steps" : "value"},
                            {"mode", mode_name(Mode::Measured)}};
  return json;
}

Status write_quantize_results(const QuantizationResult& result, const Model& model,
                              const QuantizeArguments& options, const CommandContext& context,
                              const std::optional<TfliteFacts>& tflite = {}) {
  if (options.json.wanted()) {
    Json json = quantization_to_json(result);
    if (tflite) json.update(facts_json(*tflite, model.graph));
    HONE_RETURN_IF_ERROR(options.json.write(context, &model, options.model.model, json));
  }
  if (!options.json.to_stdout()) context.out << document_text(document_of(result, {}));
  return Done{};
}

// fp16 and bf16 need no data: the type of floats changes.
Result<Exit> narrow_floats(const QuantizeArguments& options, Model& model,
                           const CommandContext& context) {
  HONE_RETURN_IF_ERROR(prepare_for_quantization(model.graph).in(model.name));
  const int changed = options.type == "fp16" ? use_half_precision(model.graph)
                                             : store_weights_as(model.graph, DType::BF16);
  HONE_RETURN_IF_ERROR(save_onnx(model.graph, options.output).in(model.name));
  const QuantizationResult result{.model = model.name,
                                  .file = options.output,
                                  .changed = changed,
                                  .changed_to = options.type == "fp16"
                                                    ? "nodes compute in float16"
                                                    : "constants are stored as bfloat16"};
  HONE_RETURN_IF_ERROR(write_quantize_results(result, model, options, context));
  if (!options.json.to_stdout()) context.notes() << "wrote " << options.output << "\n";
  return Exit::Pass;
}

// Nothing is run, so that nothing is judged.
Status check_unjudged(const QuantizeArguments& options) {
  const std::pair<const char*, bool> given[] = {{"--data", !options.data.empty()},
                                                {"--validation-data", !options.judge.empty()},
                                                {"--metric", !options.request.metric.empty()},
                                                {"--max-drop", !options.max_drop.empty()},
                                                {"--auto", options.request.automatic},
                                                {"--sensitivity", options.request.sensitivity}};
  for (const auto& [flag, is_given] : given) {
    if (!is_given) continue;
    return bad_input("--type ", options.type,
                     " changes the type of floats and judges nothing: ", flag,
                     " says nothing of it; `hone validate` judges what it writes");
  }
  return Done{};
}

Status check_output_format(const QuantizeArguments& options) {
  if (!names_model_file(options.output)) {
    return bad_input(options.output, ": expected a file name that ends in .onnx or .tflite");
  }
  const bool integers =
      options.type == "int8" || options.type == "uint8" || options.type == "int16";
  if (!writes_tflite(options) || integers) return Done{};
  return bad_input("--type ", options.type,
                   " is written as .onnx alone; .tflite takes int8, uint8 ", "and int16");
}

// A .tflite file has extents fixed: those of the samples, from before anything is decided by them.
// Says which, where the model leaves any open.
Result<std::string> fix_extents(const DataSet& data, Graph& graph) {
  HONE_TRY(const std::unique_ptr<Graph> closed, with_extents_of(graph, data));
  const std::string inputs = closed_inputs_text(graph, *closed);
  graph = std::move(*closed);
  if (inputs.empty()) return inputs;
  return str("a .tflite file has extents fixed; these are those of the samples: ", inputs);
}

// Why no firmware of the device can be written of what is in the file; empty where it can, and for
// others than microcontrollers.
Result<std::string> why_no_firmware(const QuantizeArguments& options) {
  HONE_TRY(const TargetDef* target, find_target(options.target));
  if (!target->makes_firmware) return std::string();
  HONE_TRY(Model written, load_model(options.output));
  const auto program = target->open()->compile(std::move(written.graph), {});
  const Status writable = program.ok() ? check_firmware(**program) : Status(program.error());
  if (writable.ok()) return std::string();
  return str("Hone writes no firmware of it for ", target->name, ": ", writable.error().message);
}

Result<Exit> run_quantize(const QuantizeArguments& options, const CommandContext& context) {
  HONE_RETURN_IF_ERROR(check_output_format(options));
  const bool narrows = options.type == "fp16" || options.type == "bf16";
  if (!narrows && !options.request.sensitivity) {
    HONE_RETURN_IF_ERROR(check_unnamed_output(context, recipe_path_quantize(options.output)));
  }
  HONE_TRY(Model model, options.model.open(options.target));
  if (narrows) {
    HONE_RETURN_IF_ERROR(check_unjudged(options));
    return narrow_floats(options, model, context);
  }
  HONE_TRY(QuantizeRequest request, request_of(options));
  std::vector<std::string> dense;
  if (writes_tflite(options) && options.recipe.empty()) {
    dense = give_dense_one_scale(request.recipe.plan, model.graph);
  }
  if (options.data.empty()) {
    return bad_input("--data is missing: a folder with inputs.npy, or pictures, to calibrate on");
  }
  HONE_TRY(const DataSet data, open_data_set(options.data, model.graph));
  std::string extents;
  if (writes_tflite(options)) {
    HONE_TRY(extents, fix_extents(data, model.graph).in(model.name));
  }
  std::optional<DataSet> judge;
  if (!options.judge.empty()) {
    HONE_TRY(judge, open_data_set(options.judge, model.graph));
    request.judge_on = &*judge;
  }
  Progress work("quantize");
  const auto progress = [&](const std::string& what) { work.begin(what); };
  const bool writes = !request.sensitivity;
  std::optional<TfliteFacts> tflite;
  if (writes && writes_tflite(options)) {
    request.write = [&](const Graph& pairs) {
      return write_full_integers(options.output, pairs, data, tflite.emplace());
    };
  }
  HONE_TRY(QuantizedModel result, quantize_model(model, data, request, progress).in(model.name));
  if (!data.how.empty()) result.notes.push_back(data.how);
  if (!extents.empty()) result.notes.push_back(extents);
  if (!dense.empty()) {
    result.notes.push_back(str("one weight scale for all channels of ", join(dense),
                               ": older readers of TFLite have no others for FULLY_CONNECTED"));
  }
  if (writes && !tflite) {
    HONE_RETURN_IF_ERROR(save_onnx(result.graph, options.output).in(model.name));
  }
  if (writes) {
    HONE_RETURN_IF_ERROR(
        write_file(recipe_path_quantize(options.output), quantize_recipe_text(result.recipe)));
    HONE_TRY(std::string no_firmware, why_no_firmware(options));
    if (!no_firmware.empty()) result.notes.push_back(std::move(no_firmware));
  }
  const QuantizationResult quantization =
      quantization_of(result, model.name, writes ? options.output : "");
  HONE_RETURN_IF_ERROR(write_quantize_results(quantization, model, options, context, tflite));
  if (!options.json.to_stdout()) {
    if (tflite) context.out << facts_text(*tflite, model.graph);
    if (writes) {
      context.notes() << "wrote " << options.output << " and "
                      << recipe_path_quantize(options.output) << "\n";
    }
    if (!result.holds) {
      context.out << "the drop is over --max-drop " << options.max_drop << "\n";
    }
  }
  return result.holds ? Exit::Pass : Exit::GateFailed;
}

void declare_scheme(Flags& flags, QuantizeArguments& options) {
  flags.text("--type TYPE", options.type, str("what numbers become: ", join(scheme_names())))
      .one_of(scheme_names());
  flags.toggle("--per-tensor", options.per_tensor,
               "one weight scale for a whole tensor; default: one per channel");
  flags.toggle("--symmetric", options.symmetric, "activations without zero point");
  flags.toggle("--reduce-range", options.reduce_range,
               "7-bit weights, for CPUs that add products in 16 bits");
  flags.toggle("--power-of-two", options.power_of_two, "scales are 2^n");
  flags
      .number("--block-size", options.block_size,
              "4-bit weights with a scale for every so many inputs; 0: per channel")
      .range(0, 4096);
  flags.texts("--nodes-to-exclude REGEX", options.exclude,
              "layers that stay float, found by RE2's regular expressions");
  flags.texts("--op-types OP", options.op_types,
              "quantize only these operators; default: what the target computes on integers");
}

void declare_calibration(Flags& flags, QuantizeArguments& options) {
  flags
      .text("--calibrate-method NAME", options.method,
            str("how ranges of activations are chosen: ", join(range_method_names())))
      .one_of(range_method_names());
  flags.number("--percentile", options.percentile, "of the values that stay inside the range")
      .range(50.0, 100.0);
  flags
      .number("--subset-size", options.subset_size,
              "samples to calibrate on, spread over the set; the others judge; 0: all do both")
      .range(0, 1 << 30);
}

void declare_recovery(Flags& flags, QuantizeArguments& options) {
  Recovery& recovery = options.request.recipe.recovery;
  flags.toggle("--equalize", recovery.equalize,
               "even out channels' ranges between layers (cross-layer equalization)");
  flags.toggle("--smooth-quant", recovery.smooth_quant,
               "move outliers of transformers' activations into the weights");
  flags.toggle("--bias-correction", recovery.correct_bias,
               "take what rounding adds on average out of the biases");
  flags.toggle("--adaround", recovery.adaround,
               "round weights up or down as the layer's result wants it");
  flags.toggle("--auto", options.request.automatic,
               "try these in order of cost, then mixed precision, until --max-drop holds");
  flags.toggle("--mixed", options.request.mixed,
               "spare the layers that cost most accuracy for the speed they gain");
  flags.text("--spare TYPE", options.wide, "what spared layers get: float or int16")
      .one_of({"float", "int16"});
  flags.text(
      "--max-drop DROP", options.max_drop,
      "what the metric may lose: 1% of its value, 0.5pt percentage points, or 0.01 in its own "
      "unit; exit code 1 when it loses more");
  flags
      .number("--evaluations", options.request.evaluations,
              "of the whole network that mixed precision may make")
      .range(1, 100000);
  flags.toggle("--sensitivity", options.request.sensitivity,
               "only print what each layer costs when it alone is quantized");
}

CommandDef::Action declare_quantize(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<QuantizeArguments>();
  options->model.declare(flags);
  flags.text("--data DIR", options->data,
             "a folder with inputs.npy, and labels.npy or targets.npy where there are any; a .npy "
             "of samples; or a folder of .png and .jpg files by class");
  flags.text("--validation-data DIR", options->judge,
             "samples to judge accuracy on; default: those of --data that do not calibrate");
  flags.output("-o,--output FILE", options->output,
               "the model to write: .onnx with Q/DQ pairs, or .tflite with integers from input to "
               "output; the recipe goes beside it, as .toml, where nothing else is");
  declare_target(flags, options->target);
  declare_scheme(flags, *options);
  declare_calibration(flags, *options);
  declare_recovery(flags, *options);
  flags.text("--metric NAME", options->request.metric,
             str(join(metric_names()), "; chosen from the data when left out"));
  flags.text("--recipe FILE.toml", options->recipe, "do again what a recipe says");
  options->json.declare(flags);
  return [options, &context] { return run_quantize(*options, context); };
}

}  // namespace

extern const CommandDef command_quantize = {
    .name = "quantize",
    .summary = "Makes a smaller, faster model of integers, and says what it costs in accuracy.",
    .examples =
        {"hone quantize model.onnx --data calibration -o int8.onnx",
         "hone quantize model.onnx --data calibration -o int8.tflite",
         "hone quantize model.onnx --data train --validation-data test --auto --max-drop 0.5pt",
         "hone quantize model.onnx --data kws --type int4-weights --block-size 32",
         "hone quantize model.onnx --data kws --sensitivity"},
    .declare = declare_quantize,
};

}  // namespace hone
