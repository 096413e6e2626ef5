#include <algorithm>

#include "hone/base/text.h"
#include "hone/cli/hint_words.h"
#include "hone/cli/options.h"
#include "hone/cli/output_paths.h"
#include "hone/cli/pages.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/validate/validation_json.h"
#include "hone/wire/npy.h"
#include "hone/workbench/validate_model.h"

namespace hone {
namespace {

struct ValidateArguments {
  ModelOptions model;
  JsonOutput json;
  TargetOptions target;
  ValidateRequest request;
  std::string reference;
  std::string baseline_model;
  std::string baseline;
  // Budgets as they were written.
  std::string drop, latency, slowdown, slowdown_time = "5us", memory, size, energy;
  uint64_t layer_samples = 8;
  uint64_t rows = 20;
  std::string outputs;
  std::string report;
};

// One that is not given asks for nothing.
template <class T>
Status read_limit(const std::string& text, const char* flag, Result<T> (*parse)(const std::string&),
                  std::optional<T>& limit) {
  if (text.empty()) return Done{};
  HONE_TRY(limit, parse(text).in(flag));
  return Done{};
}

Result<Budgets> budgets_of(const ValidateArguments& options) {
  Budgets budgets;
  std::optional<double> part;
  HONE_RETURN_IF_ERROR(read_limit(options.drop, "--max-drop", parse_drop, budgets.drop));
  HONE_RETURN_IF_ERROR(
      read_limit(options.latency, "--max-latency", parse_seconds, budgets.latency));
  HONE_RETURN_IF_ERROR(read_limit(options.slowdown, "--max-slowdown", parse_part, part));
  HONE_RETURN_IF_ERROR(
      read_limit(options.memory, "--max-peak-memory", parse_size, budgets.peak_memory));
  HONE_RETURN_IF_ERROR(read_limit(options.size, "--max-size", parse_size, budgets.size));
  HONE_RETURN_IF_ERROR(read_limit(options.energy, "--max-energy", parse_joules, budgets.energy));
  HONE_TRY(const double seconds, parse_seconds(options.slowdown_time).in("--min-slowdown-time"));
  if (part) budgets.slowdown = SlowdownLimits{.part = *part, .ms = 1e3 * seconds};
  return budgets;
}

// The models besides the one that is validated.
struct Others {
  std::optional<Model> reference;
  std::optional<Model> baseline;
};

Status open_other(const ValidateArguments& options, const std::string& spec,
                  std::optional<Model>& model) {
  if (spec.empty()) return Done{};
  HONE_TRY(model, options.model.of(spec).open(options.target.target));
  return Done{};
}

// Arithmetic that targets do not have is compared on the reference only.
Status take_arithmetic(TargetOptions& target, ValidateRequest& request) {
  const std::string usual = TargetOptions().arithmetic;
  if (target.arithmetic == usual) return Done{};
  const auto is_one_of = [&](const std::vector<std::string>& names) {
    return std::ranges::find(names, target.arithmetic) != names.end();
  };
  if (!is_one_of(known_arithmetics())) {
    return bad_input("no arithmetic '", target.arithmetic, "'",
                     did_you_mean(target.arithmetic, known_arithmetics()),
                     "; there are: ", join(known_arithmetics()));
  }
  request.arithmetic = target.arithmetic;
  if (!is_one_of(arithmetic_names())) target.arithmetic = usual;
  return Done{};
}

Result<ValidateRequest> request_of(const ValidateArguments& options, const Others& others) {
  ValidateRequest request = options.request;
  if (!options.outputs.empty() && request.data.empty()) {
    return bad_input("--outputs needs --data DIR");
  }
  TargetOptions target = options.target;
  HONE_RETURN_IF_ERROR(take_arithmetic(target, request));
  HONE_TRY(request.compile, target.resolve());
  request.target = target.target;
  request.layer_samples = static_cast<int64_t>(options.layer_samples);
  HONE_TRY(request.budgets, budgets_of(options));
  if (others.reference) request.reference = &*others.reference;
  if (others.baseline) request.baseline_model = &*others.baseline;
  if (!options.baseline.empty()) {
    HONE_TRY(request.baseline, read_baseline(options.baseline));
  }
  return request;
}

Status write_validate_results(const Validated& validated, const Model& model,
                              const ValidateArguments& options, const CommandContext& context) {
  if (!options.outputs.empty()) {
    HONE_TRY(const Tensor outputs, stacked(validated.predictions, 0));
    HONE_RETURN_IF_ERROR(write_npy(outputs, options.outputs));
  }
  if (!options.report.empty()) {
    HONE_RETURN_IF_ERROR(
        write_page(options.report, document_of(validated.validation, provenance_of(context, &model),
                                               {.rows = options.rows, .page = true})));
  }
  if (options.json.wanted()) {
    Json results = validation_to_json(validated.validation);
    results.update(options.target.to_json());
    results["data"] = options.request.data;
    HONE_RETURN_IF_ERROR(
        options.json.write(context, &model, options.model.model, std::move(results)));
  }
  if (options.json.to_stdout()) return Done{};
  context.out << document_text(
      document_of(validated.validation, {}, {.rows = options.rows, .words = hint_words}));
  if (options.request.layers && options.target.precision != TargetOptions().precision) {
    context.notes() << "errors of layers are those of the operators' references in fp32, whatever "
                       "--precision is\n";
  }
  for (const std::string& path : {options.outputs, options.report, options.json.path}) {
    if (!path.empty()) context.notes() << "wrote " << path << "\n";
  }
  return Done{};
}

// Files of the data set are read, too.
Status check_validated_outputs(const ValidateArguments& options, const CommandContext& context) {
  if (options.outputs.empty() || options.request.data.empty()) return Done{};
  std::error_code error;
  CommandContext with_data = context;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(options.request.data, error)) {
    with_data.inputs.push_back(entry.path().string());
  }
  return check_output(with_data, options.outputs);
}

Result<Exit> run_validate(const ValidateArguments& options, const CommandContext& context) {
  HONE_RETURN_IF_ERROR(check_page(options.report));
  HONE_RETURN_IF_ERROR(check_validated_outputs(options, context));
  HONE_TRY(const Model model, options.model.open(options.target.target));
  Others others;
  HONE_RETURN_IF_ERROR(open_other(options, options.reference, others.reference));
  HONE_RETURN_IF_ERROR(open_other(options, options.baseline_model, others.baseline));
  HONE_TRY(const ValidateRequest request, request_of(options, others));
  HONE_TRY(const Validated validated, validate_model(model, request));
  HONE_RETURN_IF_ERROR(write_validate_results(validated, model, options, context));
  switch (verdict_of(validated.validation)) {
    case Verdict::Pass:
      return Exit::Pass;
    case Verdict::Fail:
      return Exit::GateFailed;
    case Verdict::Inconclusive:
      return Exit::Inconclusive;
  }
  HONE_CHECK(false, "no such verdict");
}

// Those that no target has.
std::vector<std::string> product_arithmetics() {
  std::vector<std::string> names = known_arithmetics();
  std::erase_if(names, [](const std::string& name) {
    return std::ranges::find(arithmetic_names(), name) != arithmetic_names().end();
  });
  return names;
}

void declare_budgets(Flags& flags, ValidateArguments& options) {
  flags.text("--max-drop LIMIT", options.drop,
             "of the metric against the reference: 1% of its value, 0.5pt percentage points, or "
             "0.01 in its own unit");
  flags.text("--max-latency TIME", options.latency, "of the median run, such as 5ms");
  flags.text("--max-slowdown PART", options.slowdown,
             "against --baseline-model, --baseline or --reference, such as 5%");
  flags.text("--min-slowdown-time TIME", options.slowdown_time, "a slowdown of less never counts");
  flags.text("--max-peak-memory SIZE", options.memory,
             "of arena and packed weights, such as 200KB (1000 B) or 200KiB (1024 B)");
  flags.text("--max-size SIZE", options.size, "of the model's file, such as 1MB");
  flags.text("--max-energy ENERGY", options.energy,
             "of a run, such as 5mJ: from meters, or predicted where there are none");
  flags.text("--baseline FILE.json", options.baseline,
             "an earlier result of `hone profile` or `hone validate` on this machine");
  flags.text("--baseline-model MODEL", options.baseline_model,
             "runs in turn with the model: far stronger than a stored time");
  flags
      .seconds("-t,--duration TIME", options.request.seconds,
               "of timed runs, in seconds or as 500ms")
      .range(0.0, 86400.0);
  flags.number("--seed", options.request.seed, "for timed inputs where there is no data");
}

CommandDef::Action declare_validate(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<ValidateArguments>();
  options->model.declare(flags);
  flags.text(
      "--data DIR", options->request.data,
      "a folder with inputs.npy and labels.npy or targets.npy, a .npy of samples, or a folder "
      "of .png and .jpg files by class");
  flags.text("--metric NAME", options->request.metric,
             str(join(metric_names()), "; chosen from the data when left out"));
  flags.text("--expected FILE.npy", options->request.expected,
             "outputs to agree with, [N, ...]; integers bit for bit, floats within --rtol; exit "
             "code 1 when they do not");
  flags
      .number("--rtol", options->request.rtol,
              "largest error of float outputs, relative to the largest magnitude")
      .range(0.0, 1.0);
  flags.output("--outputs FILE.npy", options->outputs,
               "write the first output of every sample, stacked");
  flags.text("--reference MODEL", options->reference,
             "the model that is taken for right, computed in fp32");
  flags.toggle("--layers", options->request.layers,
               "how far each layer is from the reference's, alone and with errors before it");
  flags.number("--layer-samples N", options->layer_samples, "samples to compare layers on")
      .range(1, 1000000);
  flags
      .number("--min-sqnr DB", options->request.breaks.least_db,
              "local SQNR under which a layer counts as broken")
      .range(-1000.0, 1000.0);
  flags.number("--rows", options->rows, "layers that are shown; 0 for all");
  declare_budgets(flags, *options);
  flags.output("--report FILE", options->report,
               "write the result as a page, .html, or Markdown, .md");
  options->target.declare(flags, product_arithmetics());
  options->json.declare(flags);
  return [options, &context] { return run_validate(*options, context); };
}

}  // namespace

extern const CommandDef command_validate = {
    .name = "validate",
    .summary =
        "Runs a data set through a model: its accuracy, how far it is from a reference, and "
        "whether it is within budget. Exit code 1 when it is not, 2 when that is unclear.",
    .examples = {"hone validate model.tflite --data kws",
                 "hone validate int8.tflite --data kws --reference fp32.tflite --layers",
                 "hone validate int8.onnx --data kws --reference fp32.onnx --max-drop 1% "
                 "--max-latency 5ms --max-peak-memory 200KB",
                 "hone validate new.onnx --baseline-model old.onnx --max-slowdown 5%",
                 "hone validate int8.tflite --data kws --arithmetic u8s8-saturating",
                 "hone validate model.onnx --data samples.npy --expected outputs.npy --rtol 1e-4"},
    .declare = declare_validate,
};

}  // namespace hone
