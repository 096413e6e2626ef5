#include "hone/workbench/bench.h"
#include "hone/base/progress.h"
#include "hone/base/text.h"
#include "hone/cli/options.h"

namespace hone {
namespace {

struct Options {
  std::string what = "models";
  std::vector<std::string> models;
  std::string filter;
  double seconds = 2;
  std::vector<std::string> shapes;
  TargetOptions target;
  JsonOutput json;
};

// Those asked for with --models, or the standard ones, that contain the filter.
std::vector<BenchCase> cases_of(const Options& options) {
  std::vector<BenchCase> cases;
  for (const std::string& model : options.models)
    cases.push_back({model, options.target.precision});
  if (cases.empty()) cases = standard_bench_cases();
  std::erase_if(cases, [&](const BenchCase& one) {
    return str(one.model, " ", one.precision).find(options.filter) == std::string::npos;
  });
  return cases;
}

Json to_json(const BenchCase& which, const BenchResult& result) {
  return {{"model", which.model},
          {"precision", result.precision},
          {"metrics", {result.latency}},
          {"gmacs", result.gmacs},
          {"gops_per_second", result.rate()},
          {"arena_bytes", result.arena_bytes},
          {"reference_ops", result.reference_ops}};
}

// By runs on this machine; otherwise the device's model gives one time, perhaps with an interval.
bool is_timed(Mode mode) {
  return mode == Mode::Measured;
}

std::vector<std::string> header_of(Mode mode) {
  if (is_timed(mode)) {
    return {"network", "type", "min ms", "median ms", "max ms", "runs", "GOP/s", "arena"};
  }
  return {"network", "type", "ms", "from", "to", "GOP/s", "arena"};
}

std::vector<std::string> row_of(const BenchCase& which, const BenchResult& result) {
  const auto ms = [](const std::optional<double>& value) { return value ? millis(*value) : "-"; };
  const Metric& latency = result.latency;
  const std::string rate = fixed(result.rate(), 1), arena = human_bytes(result.arena_bytes);
  if (is_timed(latency.mode)) {
    return {which.model,
            result.precision,
            ms(latency.low),
            ms(latency.value),
            ms(latency.high),
            str(latency.n),
            rate,
            arena};
  }
  return {which.model, result.precision, ms(latency.value), ms(latency.low), ms(latency.high), rate,
          arena};
}

// What was timed, and what could not be.
struct Results {
  Table table;
  Json networks = Json::array();
  std::vector<std::string> failures = {};  // A line each.
  std::optional<Error> first_error = {};
};

Result<Results> time_all(const Options& options, const std::vector<BenchCase>& cases, Mode mode) {
  HONE_TRY(const CompileOptions compile, options.target.resolve());
  std::map<std::string, Shape> shapes;
  for (const std::string& text : options.shapes) {
    HONE_TRY(auto binding, parse_shape_binding(text));
    shapes.insert(std::move(binding));
  }
  Results results{.table = Table(header_of(mode))};
  Progress progress("bench", cases.size());
  for (const BenchCase& which : cases) {
    const Result<BenchResult> result =
        bench_model(which, options.target.target, compile, options.seconds, shapes);
    progress.step();
    if (result.ok()) {
      results.table.add(row_of(which, *result));
      results.networks.push_back(to_json(which, *result));
      continue;
    }
    if (!results.first_error) results.first_error = result.error();
    const std::string& why = result.error().message;
    // What opens a model names it already.
    results.failures.push_back(why.starts_with(which.model) ? why : str(which.model, ": ", why));
    results.networks.push_back({{"model", which.model}, {"error", result.error().message}});
  }
  return results;
}

Result<Exit> run(const Options& options, const CommandContext& context) {
  const std::vector<BenchCase> cases = cases_of(options);
  if (cases.empty()) return bad_input("no network matches --filter ", options.filter);
  HONE_TRY(const TargetDef* target, find_target(options.target.target));
  HONE_TRY(Results results, time_all(options, cases, target->mode));
  if (results.failures.size() == cases.size() && cases.size() == 1) {
    return Error{results.first_error->kind, results.failures[0]};
  }
  if (!options.json.to_stdout()) {
    context.out << "target " << options.target.target;
    if (is_timed(target->mode)) context.out << ", threads " << options.target.to_json()["threads"];
    context.out << ", batch 1, " << mode_name(target->mode)
                << "; GOP/s counts two operations per multiply-accumulate\n"
                << results.table.to_string();
    for (const std::string& failure : results.failures)
      context.out << "failed: " << failure << "\n";
  }
  if (options.json.wanted()) {
    Json json = options.target.to_json();
    json["networks"] = std::move(results.networks);
    HONE_RETURN_IF_ERROR(options.json.write(context, nullptr, "", std::move(json)));
  }
  return results.failures.empty() ? Exit::Pass : Exit::GateFailed;
}

CommandDef::Action declare(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<Options>();
  flags.text("what", options->what, "`models`: whole runs of networks").one_of({"models"});
  flags.texts("--models MODEL", options->models,
              "models instead of the standard list, in --precision; zoo:NAME:int8 quantizes");
  flags.texts(
      "--shapes NAME:SHAPE", options->shapes,
      "extents of inputs, name:1x3x224x224, for the models that have an input of that name");
  flags.text("--filter TEXT", options->filter, "only networks whose name and type contain this");
  flags.number("--seconds", options->seconds, "how long to run each network").range(0.0, 3600.0);
  options->target.declare(flags);
  options->json.declare(flags);
  return [options, &context] { return run(*options, context); };
}

}  // namespace

extern const CommandDef command_bench = {
    .name = "bench",
    .summary =
        "Times networks, whole, and prints a table; exit code 1 when some of them could not be "
        "timed.",
    .examples = {"hone bench models --threads 1", "hone bench models --filter int8 --json out.json",
                 "hone bench models --models model.onnx zoo:resnet18"},
    .declare = declare,
};

}  // namespace hone
