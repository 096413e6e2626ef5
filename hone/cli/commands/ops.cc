#include "hone/cli/options.h"
#include "hone/report/catalogs.h"
#include "hone/report/document/writers.h"

namespace hone {
namespace {

struct OpsArguments {
  std::string filter;
  JsonOutput json;
};

Result<Exit> run_ops(const OpsArguments& options, const CommandContext& context) {
  std::vector<const OpDef*> ops = all_ops();
  std::erase_if(ops, [&](const OpDef* op) {
    return op->name.find(options.filter) == std::string_view::npos;
  });
  if (ops.empty()) return bad_input("no operator whose name contains '", options.filter, "'");
  if (!options.json.to_stdout()) context.out << document_text(operators_document(ops));
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(
        options.json.write(context, nullptr, "", {{"operators", operators_to_json(ops)}}));
  }
  return Exit::Pass;
}

CommandDef::Action declare_ops(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<OpsArguments>();
  flags.text("filter TEXT", options->filter, "only operators whose name contains it");
  options->json.declare(flags);
  return [options, &context] { return run_ops(*options, context); };
}

}  // namespace

extern const CommandDef command_ops = {
    .name = "ops",
    .summary = "The operators Hone knows, with their ONNX and TFLite names.",
    .examples = {"hone ops", "hone ops pool"},
    .declare = declare_ops,
};

}  // namespace hone
