#include "hone/base/text.h"
#include "hone/cli/options.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

struct Options {
  std::string filter;
  JsonOutput json;
};

Strings onnx_names(const OpDef& op) {
  Strings names;
  for (const OnnxRule& rule : op.onnx) {
    names.push_back(rule.domain.empty() ? std::string(rule.op_type)
                                        : str(rule.domain, ".", rule.op_type));
  }
  return names;
}

Strings tflite_names(const OpDef& op) {
  Strings names;
  for (const TfliteRule& rule : op.tflite) names.emplace_back(rule.op);
  return names;
}

Result<Exit> run(const Options& options, const CommandContext& context) {
  Table table({"operator", "runs on ref", "ONNX", "TFLite", "what"});
  Json list = Json::array();
  for (const OpDef* op : all_ops()) {
    if (op->name.find(options.filter) == std::string_view::npos) continue;
    const bool runs = op->eval != nullptr;
    table.add({std::string(op->name), runs ? "yes" : "no", join(onnx_names(*op)),
               join(tflite_names(*op)), std::string(op->summary)});
    list.push_back({{"name", op->name},
                    {"summary", op->summary},
                    {"ref", runs},
                    {"quantized", op->quantized},
                    {"onnx", onnx_names(*op)},
                    {"tflite", tflite_names(*op)}});
  }
  if (list.empty()) return bad_input("no operator whose name contains '", options.filter, "'");
  if (!options.json.to_stdout()) context.out << table.to_string();
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(options.json.write(context, nullptr, "", {{"operators", list}}));
  }
  return Exit::Pass;
}

CommandDef::Action declare(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<Options>();
  flags.text("filter TEXT", options->filter, "only operators whose name contains it");
  options->json.declare(flags);
  return [options, &context] { return run(*options, context); };
}

}  // namespace

extern const CommandDef command_ops = {
    .name = "ops",
    .summary = "The operators Hone knows, with their ONNX and TFLite names.",
    .examples = {"hone ops", "hone ops pool"},
    .declare = declare,
};

}  // namespace hone
