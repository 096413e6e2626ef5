#include <algorithm>
#include <span>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/ops/custom/custom.h"
#include "hone/report/results/inspection.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

using Lines = std::vector<std::string>;

std::string type_text(const Value& value) {
  std::string text = str(value.type);
  for (const std::string& dim : value.dims) {
    if (dim.empty()) continue;
    const size_t unknown = text.find('?');
    if (unknown != std::string::npos) text.replace(unknown, 1, dim);
  }
  const auto& quant = value.type.tensor.quant;
  if (quant && quant->per_tensor()) {
    text += str(" scale ", quant->scale(), " zero point ", quant->zero_point());
  } else if (quant) {
    text += str(" quantized per channel of axis ", quant->axis);
  }
  return text;
}

void add_values(const char* title, std::span<Value* const> values, Lines& lines) {
  for (const Value* value : values) {
    lines.push_back(str(title, "  ", value->name, "  ", type_text(*value)));
  }
}

// Targets that leave out the same nodes for the same reasons are told of together.
void add_support(const Inspection& inspection, HintWords words, Lines& lines) {
  const size_t nodes = inspection.graph->node_count();
  std::vector<const InspectedTarget*> told;
  for (const InspectedTarget& support : inspection.targets) {
    const auto same = [&](const auto& other) { return other.unsupported == support.unsupported; };
    if (std::ranges::any_of(told, [&](const auto* other) { return same(*other); })) continue;
    told.push_back(&support);
    Lines names;
    for (const InspectedTarget& other : inspection.targets) {
      if (same(other)) names.push_back(other.target);
    }
    lines.push_back(str(names.size() == 1 ? "target " : "targets ", join(names),
                        names.size() == 1 ? "  runs " : "  run ",
                        nodes - support.unsupported.size(), " of ", nodes, " nodes"));
    for (const auto& [node, reason] : support.unsupported) {
      lines.push_back(
          str("  not '", node->name, "': ", reason, in_brackets(hint_for_custom(*node), words)));
    }
  }
}

std::string file_line(const Inspection& inspection) {
  std::string text = str(inspection.model, "  ", inspection.format);
  if (!inspection.version.empty()) text += str(" ", inspection.version);
  if (!inspection.producer.empty()) text += str("  made by ", inspection.producer);
  if (inspection.file_bytes > 0) text += str("  ", human_bytes(inspection.file_bytes));
  return text;
}

std::string bound_of(const Inspection& inspection, HintWords words) {
  if (inspection.complete) return "";
  if (!has_open_inputs(*inspection.graph)) {
    return " or more: some of it follows from values, which only a run tells";
  }
  return " or more, depending on extents that are open" + in_brackets({HintKind::Extents}, words);
}

void add_costs(const Inspection& inspection, HintWords words, Lines& lines) {
  lines.push_back(str("parameters  ", human_count(inspection.parameters), " in ",
                      human_bytes(inspection.weight_bytes)));
  lines.push_back(str("work        ", human_count(inspection.macs), " MACs, ",
                      human_count(inspection.flops), " FLOPs", bound_of(inspection, words)));
  Lines ops;
  for (const auto& [op, count] : inspection.ops) ops.push_back(str(op, " ", count));
  lines.push_back(str("operators   ", join(ops)));
}

Blocks model_summary_blocks(const Inspection& inspection, const ShowOptions& show) {
  Lines lines = {file_line(inspection)};
  add_values("input ", inspection.graph->inputs(), lines);
  add_values("output", inspection.graph->outputs(), lines);
  add_costs(inspection, show.words, lines);
  add_support(inspection, show.words, lines);
  const std::string references =
      inspection.not_counted.empty() ? text_of(inspection.references) : inspection.not_counted;
  if (!references.empty()) lines.push_back("references on cpu  " + references);
  return {Sentences{lines}};
}

}  // namespace

extern const SectionDef section_model_summary = {.title = "Model",
                                                 .of_inspection = model_summary_blocks};

}  // namespace hone
