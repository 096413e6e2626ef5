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
          {"precision", which.precision},
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
  const auto ms = [](const std::optional<double>& value) { return value ? fixed(*value, 3) : "-"; };
  const Metric& latency = result.latency;
  const std::string rate = fixed(result.rate(), 1), arena = human_bytes(result.arena_bytes);
  if (is_timed(latency.mode)) {
    return {which.model,
            which.precision,
            ms(latency.low),
            ms(latency.value),
            ms(latency.high),
            str(latency.n),
            rate,
            arena};
  }
  return {which.model, which.precision, ms(latency.value), ms(latency.low), ms(latency.high), rate,
          arena};
}

Result<Exit> run(const Options& options, const CommandContext& context) {
  HONE_TRY(const CompileOptions compile, options.target.resolve());
  const std::vector<BenchCase> cases = cases_of(options);
  if (cases.empty()) return bad_input("no network matches --filter ", options.filter);
  HONE_TRY(const TargetDef* target, find_target(options.target.target));
  Table table(header_of(target->mode));
  Json list = Json::array();
  Progress progress("bench", cases.size());
  for (const BenchCase& which : cases) {
    HONE_TRY(const BenchResult result,
             bench_model(which, options.target.target, compile, options.seconds).in(which.model));
    table.add(row_of(which, result));
    list.push_back(to_json(which, result));
    progress.step();
  }
  if (!options.json.to_stdout()) {
    context.out << "target " << options.target.target;
    if (is_timed(target->mode)) context.out << ", threads " << options.target.to_json()["threads"];
    context.out << ", batch 1, " << mode_name(target->mode)
                << "; GOP/s counts two operations per multiply-accumulate\n"
                << table.to_string();
  }
  if (options.json.wanted()) {
    Json results = options.target.to_json();
    results["networks"] = std::move(list);
    HONE_RETURN_IF_ERROR(options.json.write(context, nullptr, "", std::move(results)));
  }
  return Exit::Pass;
}

CommandDef::Action declare(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<Options>();
  flags.text("what", options->what, "`models`: whole runs of networks").one_of({"models"});
  flags.texts("--models MODEL", options->models,
              "models instead of the standard list, in --precision; zoo:NAME:int8 quantizes");
  flags.text("--filter TEXT", options->filter, "only networks whose name and type contain this");
  flags.number("--seconds", options->seconds, "how long to run each network").range(0.0, 3600.0);
  options->target.declare(flags);
  options->json.declare(flags);
  return [options, &context] { return run(*options, context); };
}

}  // namespace

extern const CommandDef command_bench = {
    .name = "bench",
    .summary = "Times networks, whole, and prints a table.",
    .examples = {"hone bench models --threads 1", "hone bench models --filter int8 --json out.json",
                 "hone bench models --models model.onnx zoo:resnet18"},
    .declare = declare,
};

}  // namespace hone
