#include "hone/workbench/optimize_model.h"

#include <algorithm>
#include <filesystem>

#include "hone/base/file.h"
#include "hone/base/peek_file.h"
#include "hone/base/progress.h"
#include "hone/base/text.h"
#include "hone/cli/hint_words.h"
#include "hone/cli/measure_options.h"
#include "hone/cli/output_paths.h"
#include "hone/cli/shell_words.h"
#include "hone/model/save.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/report/results/changed_io.h"
#include "hone/report/results/run_json.h"

namespace hone {
namespace {

struct OptimizeArguments {
  MeasureOptions measure;
  OptimizeOptions optimize;
  std::string output = "optimized.onnx";
  std::string recipe;
  std::string data;
  std::string judge;
  std::string metric;
  std::string max_drop = "1pt";
  JsonOutput json;
};

// "net.onnx" -> "net.toml".
std::string recipe_path_optimize(const std::string& output) {
  return std::filesystem::path(output).replace_extension(".toml").string();
}

std::vector<ReportAttempt> attempts_of(const std::vector<LedgerEntry>& ledger, Mode mode) {
  std::vector<ReportAttempt> list;
  for (const LedgerEntry& entry : ledger) {
    ReportAttempt& attempt = list.emplace_back();
    attempt.rule = entry.rule;
    attempt.title = entry.title;
    attempt.action = entry.remedy;
    attempt.predicted_ms = entry.predicted_ms;
    attempt.mode = mode;
    attempt.drop = entry.drop;
    attempt.kept = entry.kept;
    attempt.why = entry.why + in_brackets(entry.hint, hint_words);
    if (!entry.tried) continue;
    attempt.obtained_ms = entry.obtained_ms;
    attempt.error = entry.error;
  }
  return list;
}

Report report_of_optimization(const Optimization& result, const std::string& output) {
  const Comparison& compared = result.compared;
  Report report;
  report.runs = {{.label = "before", .profile = result.before},
                 {.label = "after", .profile = result.after}};
  report.runs[0].findings = report_findings(result.findings, hint_words);
  report.runs[1].compared = {.before_ms = compared.ms_a,
                             .after_ms = compared.ms_b,
                             .change = std::string(name_of(compared.change)),
                             .mode = compared.mode,
                             .n = compared.n};
  report.comparisons = {diff_profiles(result.before, result.after)};
  report.runs[1].ledger = attempts_of(result.ledger, result.after.mode);
  report.runs[1].outcome = ReportOutcome{.file = result.written ? output : "",
                                         .error = result.error,
                                         .metric = result.metric,
                                         .metric_before = result.metric_before,
                                         .metric_after = result.metric_after};
  return report;
}

void print_changed_io(const IoChange& io, const Graph& graph, std::ostream& out) {
  if (!io.integers.inputs.empty() || !io.integers.outputs.empty()) {
    out << integers_text(io.integers, graph);
  }
  out << channels_last_text(io.channels_last, graph);
}

// What the model itself is to be read with once more; a file that was written has it in itself.
std::string reading_flags(const ModelOptions& model) {
  std::string flags;
  const auto add = [&](const char* flag, const std::vector<std::string>& values) {
    if (!values.empty()) flags += str(" ", flag, " ", shell_line(values));
  };
  add("--shapes", model.shapes);
  add("--op", model.ops);
  add("--ops", model.op_files);
  if (model.batch > 0) flags += str(" --batch ", model.batch);
  return flags;
}

void print_written(const Optimization& result, const ModelOptions& model, const std::string& output,
                   std::ostream& out) {
  const std::string flags = str("-d ", result.recipe.target, run_flags(result.recipe.options));
  if (result.written) {
    out << "wrote " << output << " and " << recipe_path_optimize(output) << "; run it with "
        << flags << "\n";
    return;
  }
  std::error_code ignored;
  const bool stale = std::filesystem::exists(output, ignored);
  out << "wrote " << recipe_path_optimize(output) << ", but no model"
      << (stale ? str(" (", output, " is of an earlier run)") : std::string()) << ": run "
      << result.before.model << " itself with " << flags << reading_flags(model) << "\n";
}

void print_untried(const std::optional<Metric>& int8, std::ostream& out) {
  if (!int8) return;
  out << "--data DIR, with samples, lets int8 be tried";
  if (int8->value) {
    out << (int8->mode == Mode::Measured ? ": with made-up scales it saves "
                                         : ": predicted to save ")
        << millis(*int8->value) << " ms of a run";
  }
  out << "\n";
}

void print(const Optimization& result, const Report& report, const Graph& given,
           const OptimizeArguments& options, std::ostream& out) {
  out << document_text(document_of(report, {.only = {"Before and after", "What was done"}}));
  print_changed_io(result.io, given, out);
  print_written(result, options.measure.model, options.output, out);
  print_untried(result.untried_int8, out);
}

Json result_json(const Optimization& result, const Report& report, const Graph& given) {
  Json json = optimization_to_json(report);
  if (result.untried_int8) {
    const std::optional<double>& gain = result.untried_int8->value;
    json["untried_int8"] = {{"predicted_ms", gain ? Json(*gain) : Json()},
                            {"mode", mode_name(result.untried_int8->mode)}};
  }
  json.update(changed_io_to_json(result.io, given));
  return json;
}

// Sets that --data and --validation-data name, as long as the optimization lasts.
struct Samples {
  DataSet calibrate;
  std::optional<DataSet> judge;
};

Result<std::optional<Samples>> open_samples(const OptimizeArguments& options, const Graph& graph) {
  if (options.data.empty()) return std::optional<Samples>();
  Samples samples;
  HONE_TRY(samples.calibrate, open_data_set(options.data, graph));
  if (!samples.calibrate.how.empty()) say_on_stderr(samples.calibrate.how);
  if (!options.judge.empty()) {
    HONE_TRY(samples.judge, open_data_set(options.judge, graph));
  }
  return std::optional(std::move(samples));
}

Result<std::optional<OptimizeData>> data_of(const OptimizeArguments& options,
                                            const std::optional<Samples>& samples) {
  if (!samples) return std::optional<OptimizeData>();
  OptimizeData data{.calibrate_on = &samples->calibrate,
                    .judge_on = samples->judge ? &*samples->judge : nullptr,
                    .metric = options.metric,
                    .max_drop = {}};
  HONE_TRY(data.max_drop, parse_drop(options.max_drop).in("--max-drop"));
  return std::optional(data);
}

Result<OptimizeOptions> complete_optimization(const OptimizeArguments& options,
                                              const Measurement& ready,
                                              const std::optional<Samples>& samples) {
  OptimizeOptions complete = options.optimize;
  complete.output = options.output;
  constexpr uint64_t kMoreInputs = 3;
  for (uint64_t i = 1; i <= kMoreInputs && options.measure.inputs.empty(); ++i) {
    HONE_TRY(complete.more_inputs.emplace_back(),
             make_inputs(ready.model.graph, {}, options.measure.seed + i));
  }
  HONE_TRY(complete.data, data_of(options, samples));
  return complete;
}

// Of one that was written without a model, nothing does.
bool changes_model(const Recipe& recipe) {
  return std::ranges::any_of(recipe.entries, [](const Recipe::Entry& entry) {
    const RemedyDef* remedy = find_remedy(entry.remedy);
    return remedy == nullptr || remedy->touches == Touches::Model;
  });
}

Result<Exit> replay(const OptimizeArguments& options, Measurement& ready,
                    const CommandContext& context) {
  HONE_TRY(const std::string text, read_text(options.recipe));
  HONE_TRY(const Recipe recipe, parse_recipe(text, options.recipe));
  if (!changes_model(recipe)) {
    return bad_input(options.recipe, ": leaves the model as it is: run it with -d ", recipe.target,
                     run_flags(recipe.options));
  }
  HONE_TRY(const std::optional<Samples> samples, open_samples(options, ready.model.graph));
  HONE_TRY(const std::optional<OptimizeData> data, data_of(options, samples));
  HONE_TRY(const Replay replay, apply_recipe(recipe, ready.model.graph, data));
  HONE_RETURN_IF_ERROR(save_model(ready.model.graph, options.output));
  HONE_RETURN_IF_ERROR(write_file(recipe_path_optimize(options.output), recipe_text(recipe)));
  if (options.json.wanted()) {
    Json json = {{"kind", "replay"}, {"file", options.output}, {"unused", replay.unused}};
    json.update(changed_io_to_json(replay.io, ready.model.graph));
    HONE_RETURN_IF_ERROR(
        options.json.write(context, &ready.model, options.measure.model.model, json));
  }
  if (options.json.to_stdout()) return Exit::Pass;
  for (const std::string& remedy : replay.unused) {
    context.out << remedy << "  found nothing to do in this model\n";
  }
  print_changed_io(replay.io, ready.model.graph, context.out);
  context.notes() << "wrote " << options.output << " and " << recipe_path_optimize(options.output)
                  << "; run it with -d " << recipe.target << run_flags(recipe.options) << "\n";
  return Exit::Pass;
}

Result<Exit> run_optimize(const OptimizeArguments& options, const CommandContext& context) {
  if (!names_model_file(options.output)) {
    return bad_input(options.output, ": expected a file name that ends in .onnx or .tflite");
  }
  HONE_RETURN_IF_ERROR(check_unnamed_output(context, recipe_path_optimize(options.output)));
  HONE_TRY(const std::unique_ptr<Measurement> ready, prepare(options.measure));
  if (!options.recipe.empty()) return replay(options, *ready, context);
  HONE_TRY(const std::optional<Samples> samples, open_samples(options, ready->model.graph));
  HONE_TRY(const OptimizeOptions optimize, complete_optimization(options, *ready, samples));
  Progress work("optimize");
  const auto progress = [&](const std::string& what) { work.begin(what); };
  HONE_TRY(const Optimization result,
           optimize_model(ready->model, ready->request, optimize, progress).in(ready->model.name));
  HONE_RETURN_IF_ERROR(
      write_file(recipe_path_optimize(options.output), recipe_text(result.recipe)));
  const Report report = report_of_optimization(result, options.output);
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(options.json.write(context, &ready->model, options.measure.model.model,
                                            result_json(result, report, ready->model.graph)));
  }
  if (options.json.to_stdout()) return Exit::Pass;
  print(result, report, ready->model.graph, options, context.out);
  if (options.json.wanted()) context.notes() << "wrote " << options.json.path << "\n";
  return Exit::Pass;
}

CommandDef::Action declare_optimize(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<OptimizeArguments>();
  // There are several measurements, and what is tried takes turns besides.
  options->measure.measure.stop.max_runs = 1500;
  options->measure.declare(flags);
  flags.output(
      "-o,--output FILE", options->output,
      "the model to write, as .onnx or .tflite; the recipe goes beside it, as .toml, where "
      "nothing else is");
  flags.text("--recipe FILE.toml", options->recipe,
             "do again what a recipe says, without measuring; int8 needs --data again");
  const Flag data =
      flags.text("--data DIR", options->data,
                 "a folder with inputs.npy and labels.npy, or of .png and .jpg files by class: "
                 "accuracy decides, and int8 is tried");
  flags
      .text("--validation-data DIR", options->judge,
            "samples to judge on; default: those of --data")
      .needs(data);
  flags.text("--metric NAME", options->metric, "of --data; chosen from the data when left out")
      .needs(data);
  flags
      .text("--max-drop", options->max_drop,
            "how much of the metric may be lost: 1%, 0.5pt (percentage points) or 0.01")
      .needs(data);
  flags
      .part("--max-error PART", options->optimize.max_error,
            "without --data: how far results may move, of the largest output, such as 1% or 0.01")
      .range(0.0, 1.0);
  flags.toggle("--allow-approximation", options->optimize.approximate,
               "try remedies after which the model should be trained again");
  flags.toggle("--allow-io-change", options->optimize.change_io,
               "try remedies that take inputs and give outputs in another type or order: integers, "
               "channels last");
  flags
      .part("--least PART", options->optimize.least_part,
            "of the run that a remedy must gain to be kept, such as 1% or 0.01")
      .range(0.0, 1.0);
  options->json.declare(flags);
  return [options, &context] { return run_optimize(*options, context); };
}

}  // namespace

extern const CommandDef command_optimize = {
    .name = "optimize",
    .summary =
        "Tries what makes a model faster, keeps what helps, writes it and measures the file.",
    .examples = {"hone optimize model.onnx -o fast.onnx --threads 1",
                 "hone optimize model.onnx --data samples --max-drop 0.5pt -o int8.onnx",
                 "hone optimize model.tflite --max-error 0 --json result.json",
                 "hone optimize model.tflite -d cortex-m7 -o fast.tflite",
                 "hone optimize int8.onnx -d ethos-u55-128 --allow-io-change -o device.onnx",
                 "hone optimize model.onnx --recipe fast.toml -o again.onnx"},
    .declare = declare_optimize,
};

}  // namespace hone
