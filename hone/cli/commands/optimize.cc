#include "hone/workbench/optimize_model.h"

#include <unistd.h>

#include <filesystem>

#include "hone/analyze/diagnosis_json.h"
#include "hone/base/file.h"
#include "hone/base/peek_file.h"
#include "hone/base/text.h"
#include "hone/cli/measure_options.h"
#include "hone/model/save.h"
#include "hone/passes/pass_def.h"
#include "hone/profile/profile_json.h"

namespace hone {
namespace {

struct Options {
  MeasureOptions measure;
  OptimizeOptions optimize;
  std::string output = "optimized.onnx";
  std::string recipe;
  JsonOutput json;
};

// "net.onnx" -> "net.toml".
std::string recipe_path(const std::string& output) {
  return std::filesystem::path(output).replace_extension(".toml").string();
}

// How the result is to be run: "--threads 1 --precision bf16".
std::string run_flags(const CompileOptions& options) {
  std::string flags;
  if (options.threads > 0) flags += str(" --threads ", options.threads);
  if (options.precision == Precision::F16) flags += " --precision fp16";
  if (options.precision == Precision::BF16) flags += " --precision bf16";
  return flags;
}

Status write_results(Graph& graph, const Recipe& recipe, const std::string& output) {
  HONE_RETURN_IF_ERROR(optimize(graph, {}));
  HONE_RETURN_IF_ERROR(save_onnx(graph, output));
  return write_file(recipe_path(output), recipe_text(recipe));
}

Json ledger_json(const std::vector<LedgerEntry>& ledger) {
  Json list = Json::array();
  for (const LedgerEntry& entry : ledger) {
    list.push_back({{"rule", entry.rule},
                    {"title", entry.title},
                    {"action", entry.remedy},
                    {"predicted_ms", entry.predicted_ms},
                    {"obtained_ms", entry.obtained_ms},
                    {"error", entry.error},
                    {"kept", entry.kept},
                    {"why", entry.why}});
  }
  return list;
}

void print(const Optimization& result, std::ostream& out) {
  const double before = median_ms(result.before);
  const double after = median_ms(result.after);
  out << result.before.model << " on " << result.before.target << ", " << result.before.device
      << ": " << fixed(before, 3) << " -> " << fixed(after, 3) << " ms, "
      << fixed(before / after, 2) << " times as fast (" << mode_name(result.after.mode);
  if (result.after.mode == Mode::Measured) {
    out << ", medians of " << result.before.samples_ms.size() << " and "
        << result.after.samples_ms.size() << " runs";
  }
  out << ")\n\n";
  if (result.ledger.empty()) {
    out << "nothing that optimize can do by itself; `hone diagnose` says what you can\n";
    return;
  }
  Table table({"remedy", "for", "predicted ms", "obtained ms", "", "why"});
  for (const LedgerEntry& entry : result.ledger) {
    table.add({entry.remedy, entry.rule,
               entry.predicted_ms > 0 ? fixed(entry.predicted_ms, 3) : std::string("-"),
               fixed(entry.obtained_ms, 3), entry.kept ? "kept" : "reverted", entry.why});
  }
  out << table.to_string();
}

Result<Exit> replay(const Options& options, Measurement& ready, const CommandContext& context) {
  HONE_TRY(const std::string text, read_text(options.recipe));
  HONE_TRY(const Recipe recipe, parse_recipe(text, options.recipe));
  HONE_TRY(const std::vector<std::string> unused, apply_recipe(recipe, ready.model.graph));
  HONE_RETURN_IF_ERROR(write_results(ready.model.graph, recipe, options.output));
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(
        options.json.write(context, &ready.model, options.measure.model.model,
                           {{"kind", "replay"}, {"file", options.output}, {"unused", unused}}));
  }
  if (options.json.to_stdout()) return Exit::Pass;
  for (const std::string& remedy : unused) {
    context.out << remedy << "  found nothing to do in this model\n";
  }
  context.out << "wrote " << options.output << "; run it with -d " << recipe.target
              << run_flags(recipe.options) << "\n";
  return Exit::Pass;
}

Result<Exit> run(const Options& options, const CommandContext& context) {
  if (!options.output.ends_with(".onnx")) {
    return bad_input(options.output, ": expected a file name that ends in .onnx");
  }
  HONE_TRY(const std::unique_ptr<Measurement> ready, prepare(options.measure));
  if (!options.recipe.empty()) return replay(options, *ready, context);
  const auto progress = [&](const std::string& what) {
    if (isatty(STDERR_FILENO) != 0) context.err << "optimize: " << what << "\n";
  };
  HONE_TRY(Optimization result,
           optimize_model(ready->model, ready->request, options.optimize, progress)
               .in(ready->model.name));
  HONE_RETURN_IF_ERROR(write_results(result.graph, result.recipe, options.output));
  if (options.json.wanted()) {
    Json results = {{"kind", "optimization"}};
    results["before"] = profile_to_json(result.before);
    results["after"] = profile_to_json(result.after);
    results["findings"] = findings_to_json(result.findings);
    results["ledger"] = ledger_json(result.ledger);
    HONE_RETURN_IF_ERROR(options.json.write(context, &ready->model, options.measure.model.model,
                                            std::move(results)));
  }
  if (options.json.to_stdout()) return Exit::Pass;
  print(result, context.out);
  context.out << "wrote " << options.output << " and " << recipe_path(options.output)
              << "; run it with -d " << result.recipe.target << run_flags(result.recipe.options)
              << "\n";
  if (options.json.wanted()) context.out << "wrote " << options.json.path << "\n";
  return Exit::Pass;
}

CommandDef::Action declare(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<Options>();
  options->measure.declare(flags);
  flags.text("-o,--output FILE.onnx", options->output,
             "the model to write; the recipe goes beside it, as .toml");
  flags.text("--recipe FILE.toml", options->recipe,
             "do again what a recipe says, without measuring");
  flags
      .number("--max-error", options->optimize.max_error,
              "how far results may move, as part of the largest output")
      .range(0.0, 1.0);
  flags.toggle("--allow-approximation", options->optimize.approximate,
               "try remedies after which the model should be trained again");
  flags
      .number("--least", options->optimize.least_part,
              "part of the run that a remedy must gain to be kept")
      .range(0.0, 1.0);
  options->json.declare(flags);
  return [options, &context] { return run(*options, context); };
}

}  // namespace

extern const CommandDef command_optimize = {
    .name = "optimize",
    .summary = "Tries what can be done about each finding, measures it, keeps what helps.",
    .examples = {"hone optimize model.onnx -o fast.onnx --threads 1",
                 "hone optimize model.tflite --max-error 0 --json result.json",
                 "hone optimize model.onnx --recipe fast.toml -o again.onnx"},
    .declare = declare,
};

}  // namespace hone
