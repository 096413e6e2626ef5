#include "hone/base/printable.h"
#include "hone/cli/options.h"

namespace hone {
namespace {

using Outcome = ConformanceCase::Outcome;

struct Options {
  std::string folder;
  std::string target = "ref";
  ConformanceOptions conformance;
  bool verbose = false;
  JsonOutput json;
};

const char* name_of_outcome(Outcome outcome) {
  switch (outcome) {
    case Outcome::Passed:
      return "passed";
    case Outcome::Failed:
      return "failed";
    case Outcome::Unsupported:
      break;
  }
  return "unsupported";
}

void print(const ConformanceResult& result, bool verbose, std::ostream& out) {
  for (const ConformanceCase& test : result.cases) {
    if (test.outcome == Outcome::Passed && !verbose) continue;
    out << name_of_outcome(test.outcome) << "  " << test.name;
    if (!test.why.empty()) out << ": " << printable(test.why);
    out << "\n";
  }
  out << result.count(Outcome::Passed) << " passed, " << result.count(Outcome::Failed)
      << " failed, " << result.count(Outcome::Unsupported) << " unsupported\n";
}

Json to_json(const Options& options, const ConformanceResult& result) {
  Json cases = Json::array();
  for (const ConformanceCase& test : result.cases) {
    cases.push_back(
        {{"name", test.name}, {"outcome", name_of_outcome(test.outcome)}, {"why", test.why}});
  }
  return {{"target", options.target},
          {"folder", options.folder},
          {"passed", result.count(Outcome::Passed)},
          {"failed", result.count(Outcome::Failed)},
          {"unsupported", result.count(Outcome::Unsupported)},
          {"cases", cases}};
}

Result<Exit> run(const Options& options, const CommandContext& context) {
  HONE_TRY(const TargetDef* def, find_target(options.target));
  HONE_TRY(const ConformanceResult result,
           run_conformance(options.folder, *def->open(), options.conformance));
  if (!options.json.to_stdout()) print(result, options.verbose, context.out);
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(options.json.write(context, nullptr, "", to_json(options, result)));
  }
  return result.count(Outcome::Failed) == 0 ? Exit::Pass : Exit::GateFailed;
}

CommandDef::Action declare(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<Options>();
  flags.text("folder DIR", options->folder, "a folder of ONNX backend tests, searched through")
      .required();
  declare_target(flags, options->target);
  flags.text("--filter TEXT", options->conformance.filter, "only tests whose name contains it");
  flags.number("--threads", options->conformance.threads, "0: as many as the hardware has")
      .range(0, 1024);
  flags.toggle("--round-trip", options->conformance.round_trip,
               "write each model as ONNX first and run what is read back");
  flags.toggle("-v,--verbose", options->verbose, "list the tests that passed too");
  options->json.declare(flags);
  return [options, &context] { return run(*options, context); };
}

}  // namespace

extern const CommandDef command_conformance = {
    .name = "conformance",
    .summary = "Runs ONNX backend tests: model.onnx with recorded inputs and outputs.",
    .examples = {"hone conformance /usr/share/libonnx-testdata/data/node",
                 "hone conformance tests --filter conv -d ref --json result.json"},
    .declare = declare,
};

}  // namespace hone
