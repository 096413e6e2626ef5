#include "hone/base/text.h"
#include "hone/cli/options.h"
#include "hone/tensor/compare.h"
#include "hone/wire/npy.h"

namespace hone {
namespace {

struct Options {
  ModelOptions model;
  JsonOutput json;
  TargetOptions target;
  std::string data;
  std::string metric;
  std::string expected;
  double rtol = 0;
  std::string outputs;
};

// A folder, or a single .npy file of samples.
Result<DataSet> read_data(const std::string& path, const Graph& graph) {
  if (!path.ends_with(".npy")) return read_data_set(path, graph);
  HONE_TRY(Tensor samples, read_npy(path));
  return data_set_of(std::move(samples), graph).in(path);
}

struct Agreement {
  int64_t samples = 0;
  int64_t equal = 0;     // Samples whose every element is the same.
  double max_error = 0;  // Relative to the largest magnitude of the expected tensor.
  bool within = false;   // Of --rtol; equal everywhere for integers.
};

Result<Agreement> compare_outputs(const Tensor& outputs, const Tensor& expected, double rtol) {
  if (outputs.dtype() != expected.dtype() || outputs.elements() != expected.elements()) {
    return bad_input("holds ", expected.type(), ", but the model gives ", outputs.type());
  }
  const Difference difference = compare(outputs.reshaped(expected.shape()), expected);
  Agreement agreement;
  agreement.samples = expected.shape().empty() ? 1 : expected.shape()[0];
  if (difference.max_magnitude > 0) {
    agreement.max_error = difference.max_abs / difference.max_magnitude;
  }
  const std::vector<double> a = to_doubles(outputs), e = to_doubles(expected);
  const size_t per_sample = a.size() / static_cast<size_t>(std::max<int64_t>(agreement.samples, 1));
  for (size_t s = 0; s < static_cast<size_t>(agreement.samples); ++s) {
    const auto begin = static_cast<std::ptrdiff_t>(s * per_sample);
    const auto end = begin + static_cast<std::ptrdiff_t>(per_sample);
    agreement.equal += std::equal(a.begin() + begin, a.begin() + end, e.begin() + begin) ? 1 : 0;
  }
  agreement.within =
      difference.equal() || (kFloat.contains(outputs.dtype()) && agreement.max_error <= rtol);
  return agreement;
}

struct Outcome {
  std::optional<Metric> metric;
  std::optional<Agreement> agreement;
};

Result<Outcome> measure(const Options& options, const Model& model, const DataSet& data,
                        const Predictions& predictions) {
  Outcome outcome;
  if (!options.expected.empty()) {
    HONE_TRY(const Tensor expected, read_npy(options.expected));
    HONE_TRY(outcome.agreement,
             compare_outputs(predictions.outputs[0], expected, options.rtol).in(options.expected));
  }
  const bool can_score = data.labels || data.targets || !options.metric.empty();
  if (can_score || !outcome.agreement) {
    HONE_TRY(outcome.metric, evaluate(options.metric, predictions, data, model.graph));
  }
  return outcome;
}

void print(const Outcome& outcome, std::ostream& out) {
  if (outcome.metric) {
    out << outcome.metric->name << "  " << fixed(*outcome.metric->value, 4) << "  ("
        << mode_name(outcome.metric->mode) << ", n " << outcome.metric->n << ")\n";
  }
  if (outcome.agreement) {
    const Agreement& agreement = *outcome.agreement;
    out << "expected outputs  " << agreement.equal << " of " << agreement.samples
        << " samples equal, largest error " << agreement.max_error
        << " of the largest magnitude: " << (agreement.within ? "pass" : "FAIL") << "\n";
  }
}

Json to_json(const Options& options, const Outcome& outcome) {
  Json result = options.target.to_json();
  result["data"] = options.data;
  result["metrics"] = Json::array();
  if (outcome.metric) result["metrics"].push_back(*outcome.metric);
  if (outcome.agreement) {
    result["expected"] = {{"samples", outcome.agreement->samples},
                          {"equal", outcome.agreement->equal},
                          {"max_error", outcome.agreement->max_error},
                          {"within", outcome.agreement->within}};
  }
  return result;
}

Result<Exit> run(const Options& options, const CommandContext& context) {
  HONE_TRY(CompileOptions compile, options.target.resolve());
  compile.threads = 1;  // Samples run side by side instead.
  HONE_TRY(const TargetDef* def, find_target(options.target.target));
  HONE_TRY(const Model model, options.model.open());
  HONE_TRY(const DataSet data, read_data(options.data, model.graph));
  const std::unique_ptr<Target> target = def->open();
  HONE_TRY(const std::unique_ptr<Program> program,
           target->compile(std::move(*model.graph.clone()), compile).in(model.name));
  HONE_TRY(const Predictions predictions,
           predict(*program, model.graph, data, options.target.threads).in(model.name));
  HONE_TRY(const Outcome outcome, measure(options, model, data, predictions));
  if (!options.outputs.empty()) {
    HONE_RETURN_IF_ERROR(write_npy(predictions.outputs[0], options.outputs));
  }
  if (!options.json.to_stdout()) {
    print(outcome, context.out);
    if (!options.outputs.empty()) context.out << "wrote " << options.outputs << "\n";
  }
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(
        options.json.write(context, &model, options.model.model, to_json(options, outcome)));
  }
  return outcome.agreement && !outcome.agreement->within ? Exit::GateFailed : Exit::Pass;
}

CommandDef::Action declare(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<Options>();
  options->model.declare(flags);
  flags
      .text("--data DIR", options->data,
            "a folder with inputs.npy and labels.npy or targets.npy, or a .npy of samples")
      .required();
  flags.text("--metric NAME", options->metric,
             str(join(metric_names()), "; chosen from the data when left out"));
  flags.text("--expected FILE.npy", options->expected,
             "outputs to agree with, [N, ...]; integers bit for bit, floats within --rtol; exit "
             "code 1 when they do not");
  flags.number("--rtol", options->rtol,
               "largest error of float outputs, relative to the largest magnitude");
  flags.text("--outputs FILE.npy", options->outputs,
             "write the first output of every sample, stacked");
  options->target.declare(flags);
  options->json.declare(flags);
  return [options, &context] { return run(*options, context); };
}

}  // namespace

extern const CommandDef command_validate = {
    .name = "validate",
    .summary = "Runs a data set through a model and prints its accuracy.",
    .examples = {"hone validate model.tflite --data kws",
                 "hone validate model.onnx --data samples.npy --expected outputs.npy --rtol 1e-4"},
    .declare = declare,
};

}  // namespace hone
