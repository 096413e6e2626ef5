#include "hone/cli/options.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/report/results/conformance_json.h"

namespace hone {
namespace {

struct ConformanceArguments {
  std::string folder;
  std::string target = "ref";
  ConformanceOptions conformance;
  bool verbose = false;
  JsonOutput json;
};

Result<Exit> run_conformance(const ConformanceArguments& options, const CommandContext& context) {
  HONE_RETURN_IF_ERROR(check_is_here(options.target));
  HONE_TRY(const TargetDef* def, find_target(options.target));
  HONE_TRY(const ConformanceResult result,
           run_conformance(options.folder, *def->open(), options.conformance));
  if (!options.json.to_stdout()) {
    context.out << document_text(document_of(result, {.passed = options.verbose}));
  }
  if (options.json.wanted()) {
    Json json = {{"target", options.target}, {"folder", options.folder}};
    json.update(conformance_to_json(result));
    HONE_RETURN_IF_ERROR(options.json.write(context, nullptr, "", std::move(json)));
  }
  return result.count(ConformanceCase::Outcome::Failed) == 0 ? Exit::Pass : Exit::GateFailed;
}

CommandDef::Action declare_conformance(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<ConformanceArguments>();
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
  return [options, &context] { return run_conformance(*options, context); };
}

}  // namespace

extern const CommandDef command_conformance = {
    .name = "conformance",
    .summary = "Runs ONNX backend tests: model.onnx with recorded inputs and outputs.",
    .examples = {"hone conformance /usr/share/libonnx-testdata/data/node",
                 "hone conformance tests --filter conv -d ref --json result.json"},
    .declare = declare_conformance,
};

}  // namespace hone
