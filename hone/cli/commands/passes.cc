#include "hone/cli/options.h"
#include "hone/report/catalogs.h"
#include "hone/report/document/writers.h"

namespace hone {
namespace {

Result<Exit> run_passes(const JsonOutput& json, const CommandContext& context) {
  if (!json.to_stdout()) context.out << document_text(passes_document());
  if (json.wanted()) {
    HONE_RETURN_IF_ERROR(json.write(context, nullptr, "", {{"passes", passes_to_json()}}));
  }
  return Exit::Pass;
}

CommandDef::Action declare_passes(Flags& flags, CommandContext& context) {
  auto json = std::make_shared<JsonOutput>();
  json->declare(flags);
  return [json, &context] { return run_passes(*json, context); };
}

}  // namespace

extern const CommandDef command_passes = {
    .name = "passes",
    .summary = "The graph rewrites, in the order they run.",
    .examples = {"hone passes"},
    .declare = declare_passes,
};

}  // namespace hone
