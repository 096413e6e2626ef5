#include "hone/base/text.h"
#include "hone/cli/options.h"

namespace hone {
namespace {

Result<Exit> run(const JsonOutput& json, const CommandContext& context) {
  Table table({"target", "numbers are", "what"});
  Json list = Json::array();
  for (const TargetDef* target : all_targets()) {
    table.add({std::string(target->name), std::string(mode_name(target->mode)),
               std::string(target->summary)});
    list.push_back(
        {{"name", target->name}, {"mode", mode_name(target->mode)}, {"summary", target->summary}});
  }
  if (!json.to_stdout()) context.out << table.to_string();
  if (json.wanted()) {
    HONE_RETURN_IF_ERROR(json.write(context, nullptr, "", {{"targets", list}}));
  }
  return Exit::Pass;
}

CommandDef::Action declare(Flags& flags, CommandContext& context) {
  auto json = std::make_shared<JsonOutput>();
  json->declare(flags);
  return [json, &context] { return run(*json, context); };
}

}  // namespace

extern const CommandDef command_targets = {
    .name = "targets",
    .summary = "The places to run a model, and where their numbers come from.",
    .examples = {"hone targets"},
    .declare = declare,
};

}  // namespace hone
