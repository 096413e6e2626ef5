#include "hone/cli/reference_pages.h"

#include <sstream>

#include "hone/base/text.h"
#include "hone/cli/command_def.h"
#include "hone/graph/attr.h"
#include "hone/ops/op_def.h"
#include "hone/passes/pass_def.h"
#include "hone/report/result_schemas.h"
#include "hone/targets/device_kind.h"
#include "hone/targets/devices.h"
#include "hone/targets/target.h"
#include "hone/zoo/operator_model.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr std::string_view kNotice = "<!-- Written by `hone docs`; do not edit. -->\n\n";

// Trailing spaces of generated help, and `|` inside a table's cell, are not wanted.
std::string tidy_lines(const std::string& text) {
  std::istringstream in(text);
  std::string result, line;
  while (std::getline(in, line)) {
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  }
  return result;
}

std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string commands_page() {
  std::string page = str("# Commands\n\n", kNotice);
  const std::vector<std::string> helps = command_helps();
  for (size_t i = 0; i < helps.size(); ++i) {
    page +=
        str("## hone ", all_commands()[i]->name, "\n\n```text\n", tidy_lines(helps[i]), "```\n\n");
  }
  return page;
}

std::string input_text(const InputDef& input) {
  const bool optional = input.presence == kOptional || input.presence == kOptionalVariadic;
  const bool many = input.presence == kVariadic || input.presence == kOptionalVariadic;
  return str(input.name, many ? "..." : "", optional ? "?" : "");
}

std::string default_text(const AttrDef& attr) {
  if (attr.presence == kRequired) return str(attr.name);
  if (attr.presence == kAbsent) return str(attr.name, "?");
  if (const auto* integer = std::get_if<int64_t>(&attr.value)) {
    return str(attr.name, "=", *integer);
  }
  if (const auto* real = std::get_if<double>(&attr.value)) return str(attr.name, "=", *real);
  if (const auto* text = std::get_if<std::string>(&attr.value)) {
    return str(attr.name, "=\"", *text, "\"");
  }
  if (const auto* dtype = std::get_if<DType>(&attr.value)) return str(attr.name, "=", *dtype);
  return str(attr.name, "=", kind_of(attr.value));
}

std::string names_of(const OpDef& op) {
  std::vector<std::string> onnx;
  std::vector<std::string_view> tflite;
  for (const OnnxRule& rule : op.onnx) {
    onnx.push_back(str(rule.domain, rule.domain.empty() ? "" : ".", rule.op_type));
  }
  for (const TfliteRule& rule : op.tflite) tflite.push_back(rule.op);
  return str(join(onnx), " | ", join(tflite));
}

std::string ops_page() {
  std::string page = str(
      "# Operators\n\n", kNotice,
      "The form of an operator is that of its newest ONNX version. `?` marks what may be left out, "
      "`...` what may repeat. Int: computes with TFLite's integers on quantized types.\n\n"
      "| operator | inputs | attributes | int | ONNX | TFLite | what "
      "|\n|---|---|---|---|---|---|---|\n");
  for (const OpDef* op : all_ops()) {
    std::vector<std::string> inputs, attrs;
    for (const InputDef& input : op->inputs) inputs.push_back(input_text(input));
    for (const AttrDef& attr : op->attrs) attrs.push_back(cell(default_text(attr)));
    page += str("| ", op->name, " | ", join(inputs), " | ", join(attrs), " | ",
                op->quantized ? "yes" : "", " | ", names_of(*op), " | ", cell(op->summary),
                op->eval == nullptr ? " Not run." : "", " |\n");
  }
  return page;
}

std::string targets_page() {
  std::string page =
      str("# Targets\n\n", kNotice, "| target | numbers are | what |\n|---|---|---|\n");
  for (const TargetDef* target : all_targets()) {
    page += str("| ", target->name, " | ", mode_name(target->mode), " | ", target->summary, " |\n");
  }
  page +=
      "\n## Devices\n\n`hone targets NAME` shows the figures and their sources.\n\n"
      "| device | kind | numbers are | what |\n|---|---|---|---|\n";
  for (const Device& device : device_catalog()) {
    page += str("| ", device.name, " | ", device.kind, " | ", mode_name(kind_of(device).mode),
                " | ", cell(device.summary), " |\n");
  }
  return page;
}

std::string passes_page() {
  std::string page = str("# Passes\n\n", kNotice,
                         "In the order they run. Stage clean is good for every reader and what "
                         "`hone convert --optimize` runs; engine is for target cpu.\n\n"
                         "| pass | stage | what |\n|---|---|---|\n");
  for (const PassDef* pass : all_passes()) {
    page += str("| ", pass->name, " | ", name_of(pass->stage), " | ", pass->summary, " |\n");
  }
  return page;
}

std::string operators_part() {
  std::string part = str(
      "\n## Operators\n\n`op:NAME:SHAPE` is a model of one operator, of fp32, or of `fp16` or "
      "`int8` where that stands behind it: `op:matmul:512x512x512:fp16`. What it computes on is "
      "the model's inputs; weights are constant. With int8 inputs and outputs are integers, too, "
      "with scales of random numbers.\n\n| operator | such as | what |\n|---|---|---|\n");
  for (const OperatorForm& form : operator_forms()) {
    part += str("| `op:", form.kind, ":", form.spelling, "` | `op:", form.kind, ":", form.example,
                "` | ", cell(form.summary), " |\n");
  }
  return part +
         str("\nWith a shape that all inputs have, and defaults for the rest (`op:add:8x128`): ",
             join(operators_of_a_shape()), ".\n");
}

std::string networks_page() {
  std::string page = str("# Built-in networks\n\n", kNotice,
                         "Open one as `zoo:NAME`. Published figures at the default input; "
                         "`--shapes` takes other batches and sizes. `zoo:nas201:CELL` is the "
                         "network of a NAS-Bench-201 cell, written as the benchmark writes it: "
                         "`|OP~0|+|OP~0|OP~1|+|OP~0|OP~1|OP~2|`, in quotes in a shell; or short, "
                         "a digit for each of the six operators (none 0, skip_connect 1, "
                         "nor_conv_1x1 2, nor_conv_3x3 3, avg_pool_3x3 4): `zoo:nas201:333132`.\n\n"
                         "| network | parameters | MACs | what |\n|---|---|---|---|\n");
  const auto figure = [](double value) {
    return value == 0 ? std::string() : human_count(static_cast<int64_t>(value));
  };
  for (const NetworkDef* network : all_networks()) {
    page += str("| ", network->name, " | ", figure(network->published_parameters), " | ",
                figure(network->published_macs), " | ", cell(network->summary), " |\n");
  }
  return page + operators_part();
}

}  // namespace

std::vector<ReferencePage> reference_pages() {
  std::vector<ReferencePage> pages = {{"commands.md", commands_page()},
                                      {"ops.md", ops_page()},
                                      {"passes.md", passes_page()},
                                      {"targets.md", targets_page()},
                                      {"networks.md", networks_page()}};
  for (const ResultSchema& schema : result_schemas()) {
    pages.push_back({schema.kind + ".schema.json", schema.text});
  }
  return pages;
}

}  // namespace hone
