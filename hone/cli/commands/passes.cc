#include "hone/base/text.h"
#include "hone/cli/options.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

Result<Exit> run(const JsonOutput& json, const CommandContext& context) {
  Table table({"pass", "stage", "what"});
  Json list = Json::array();
  for (const PassDef* pass : all_passes()) {
    table.add(
        {std::string(pass->name), std::string(name_of(pass->stage)), std::string(pass->summary)});
    list.push_back(
        {{"name", pass->name}, {"stage", name_of(pass->stage)}, {"summary", pass->summary}});
  }
  if (!json.to_stdout()) context.out << table.to_string();
  if (json.wanted()) {
    HONE_RETURN_IF_ERROR(json.write(context, nullptr, "", {{"passes", list}}));
  }
  return Exit::Pass;
}

CommandDef::Action declare(Flags& flags, CommandContext& context) {
  auto json = std::make_shared<JsonOutput>();
  json->declare(flags);
  return [json, &context] { return run(*json, context); };
}

}  // namespace

extern const CommandDef command_passes = {
    .name = "passes",
    .summary = "The graph rewrites, in the order they run.",
    .examples = {"hone passes"},
    .declare = declare,
};

}  // namespace hone
