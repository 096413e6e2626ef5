#include "hone/workbench/bench.h"

#include <algorithm>
#include <memory>
#include <set>

#include "hone/base/progress.h"
#include "hone/cli/hint_words.h"
#include "hone/cli/options.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/report/results/bench_run.h"
#include "hone/workbench/computed_precision.h"
#include "hone/workbench/profile_model.h"

namespace hone {
namespace {

struct BenchArguments {
  std::string what = "models";
  std::vector<std::string> models;
  std::string filter;
  double seconds = 2;
  std::vector<std::string> shapes;
  TargetOptions target;
  JsonOutput json;
};

// The standard ones, those in fp32 in `precision` instead.
std::vector<BenchCase> standard_cases_in(const std::string& precision) {
  std::vector<BenchCase> cases;
  for (BenchCase one : standard_bench_cases()) {
    if (one.precision == "fp32") one.precision = precision;
    if (std::ranges::find(cases, one) == cases.end()) cases.push_back(std::move(one));
  }
  return cases;
}

// Those asked for with --models, or the standard ones, that contain the filter.
std::vector<BenchCase> cases_of(const BenchArguments& options) {
  std::vector<BenchCase> cases;
  for (const std::string& model : options.models)
    cases.push_back({model, options.target.precision});
  if (cases.empty()) cases = standard_cases_in(options.target.precision);
  std::erase_if(cases, [&](const BenchCase& one) {
    return str(one.model, " ", one.precision).find(options.filter) == std::string::npos;
  });
  return cases;
}

// Of the standard networks that have precisions of their own; that of --precision was told.
void tell_bench_precisions(const TargetOptions& asked, const std::vector<BenchCase>& cases) {
  std::set<std::string> reasons;
  for (const BenchCase& which : cases) {
    if (which.precision == asked.precision) continue;
    reasons.insert(why_computed_otherwise(asked.target, precision_named(which.precision)));
  }
  reasons.erase("");
  for (const std::string& why : reasons) say_on_stderr(why);
}

Result<BenchRun> time_all(const BenchArguments& options, const std::vector<BenchCase>& cases) {
  HONE_TRY(const TargetDef* target, find_target(options.target.target));
  HONE_TRY(const CompileOptions compile, options.target.resolve());
  if (options.models.empty()) tell_bench_precisions(options.target, cases);
  std::map<std::string, Shape> shapes;
  for (const std::string& text : options.shapes) {
    HONE_TRY(auto binding, parse_shape_binding(text));
    shapes.insert(std::move(binding));
  }
  BenchRun run{.target = options.target.target,
               .mode = target->mode,
               .threads = options.target.used_threads()};
  if (run.mode == Mode::Measured) run.machine = machine_name(*target, run.threads);
  std::unique_ptr<Progress> bar;
  std::vector<Result<BenchResult>> results = bench_models(
      cases, options.target.target, compile, options.seconds, shapes, [&](size_t, size_t total) {
        if (bar == nullptr) bar = std::make_unique<Progress>("bench", total);
        bar->step();
      });
  for (size_t i = 0; i < cases.size(); ++i) {
    BenchedNetwork& network = run.networks.emplace_back();
    network.model = cases[i].model;
    if (results[i].ok()) {
      network.result = *std::move(results[i]);
    } else {
      network.error = std::move(results[i]).error();
    }
  }
  return run;
}

Result<Exit> run_bench(const BenchArguments& options, const CommandContext& context) {
  if (options.what != "models") {
    return bad_input("'", options.what,
                     "' is not `models`, all that there is to time; networks follow ", "--models");
  }
  const std::vector<BenchCase> cases = cases_of(options);
  if (cases.empty()) return bad_input("no network matches --filter ", options.filter);
  HONE_TRY(const BenchRun run, time_all(options, cases));
  const bool all_timed =
      std::ranges::all_of(run.networks, [](const auto& each) { return each.result.has_value(); });
  if (!all_timed && cases.size() == 1) {
    const BenchedNetwork& failed = run.networks[0];
    return Error{failed.error->kind, failure_of(failed), failed.error->hint};
  }
  if (!options.json.to_stdout())
    context.out << document_text(document_of(run, {.words = hint_words}));
  if (options.json.wanted()) {
    Json json = bench_to_json(run);
    json.update(options.target.to_json());
    HONE_RETURN_IF_ERROR(options.json.write(context, nullptr, "", std::move(json)));
  }
  return all_timed ? Exit::Pass : Exit::GateFailed;
}

CommandDef::Action declare_bench(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<BenchArguments>();
  flags.text("what", options->what, "`models`: whole runs of networks");
  flags.texts("--models MODEL", options->models,
              "models instead of the standard list; zoo:NAME:int8 quantizes");
  flags.texts(
      "--shapes NAME:SHAPE", options->shapes,
      "extents of inputs, name:1x3x224x224, for the models that have an input of that name");
  flags.text("--filter TEXT", options->filter, "only networks whose name and type contain this");
  const Flag duration = flags
                            .seconds("-t,--duration TIME", options->seconds,
                                     "to run each network, in seconds or as 500ms")
                            .range(0.0, 3600.0);
  flags.old_name(duration, "--seconds");
  options->target.declare(flags);
  options->json.declare(flags);
  return [options, &context] { return run_bench(*options, context); };
}

}  // namespace

extern const CommandDef command_bench = {
    .name = "bench",
    .summary =
        "Times networks, whole, and prints a table; exit code 1 when some of them could not be "
        "timed.",
    .examples = {"hone bench models --threads 1", "hone bench models --filter int8 --json out.json",
                 "hone bench models --models model.onnx zoo:resnet18"},
    .declare = declare_bench,
};

}  // namespace hone
