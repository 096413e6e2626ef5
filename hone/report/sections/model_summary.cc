#include <algorithm>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/results/inspection.h"
#include "hone/report/section_def.h"
#include "hone/report/sections/inspected_text.h"

namespace hone {
namespace {

using Lines = std::vector<std::string>;

void add_values(const char* title, const std::vector<InspectedValue>& values, Lines& lines) {
  for (const InspectedValue& value : values) {
    lines.push_back(str(title, "  ", value.name, "  ", value.text));
  }
}

void add_support(const Inspection& inspection, HintWords words, Lines& lines) {
  const size_t nodes = inspection.layers.size();
  for (const AlikeTargets& alike : alike_targets(inspection)) {
    const bool one = alike.names.size() == 1;
    const std::vector<UnsupportedLayer>& unsupported = *alike.unsupported;
    lines.push_back(str(one ? "target " : "targets ", join(alike.names), one ? "  runs " : "  run ",
                        nodes - unsupported.size(), " of ", nodes, " nodes"));
    for (const UnsupportedLayer& layer : unsupported) {
      lines.push_back(
          str("  not '", layer.node, "': ", layer.reason, in_brackets(layer.hint, words)));
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
  if (!inspection.open_inputs) {
    return " or more: some of it follows from values, which only a run tells";
  }
  return " or more, depending on extents that are open" +
         in_brackets({HintKind::Extents, inspection.example_shapes}, words);
}

std::string parameters_text(const Inspection& inspection) {
  return str(human_count(inspection.parameters), " in ", human_bytes(inspection.weight_bytes));
}

std::string work_text(const Inspection& inspection, HintWords words) {
  return str(human_count(inspection.macs), " MACs, ", human_count(inspection.flops), " FLOPs",
             bound_of(inspection, words));
}

std::string work_for_page(const Inspection& inspection, HintWords words) {
  if (!waits_for_extents(inspection)) return work_text(inspection, words);
  return "known once extents are given" + in_brackets({HintKind::Extents}, words);
}

std::string operators_text(const Inspection& inspection) {
  Lines ops;
  for (const auto& [op, count] : inspection.ops) ops.push_back(str(op, " ", count));
  return join(ops);
}

std::string references_text(const Inspection& inspection) {
  return inspection.references ? text_of(*inspection.references) : inspection.not_counted;
}

// A page names the file and its format among what the result comes from, and has a section for
// targets and one for operators.
Blocks facts_for_page(const Inspection& inspection, const ShowOptions& show) {
  Facts facts;
  const auto add_each = [&](const char* title, const std::vector<InspectedValue>& values) {
    for (const InspectedValue& value : values) {
      facts.items.push_back({str(title, " ", value.name), value.text});
    }
  };
  add_each("input", inspection.inputs);
  add_each("output", inspection.outputs);
  facts.items.push_back({"parameters", parameters_text(inspection)});
  facts.items.push_back({"work of a run", work_for_page(inspection, show.words)});
  const size_t layers = layers_of_file(inspection), nodes = inspection.layers.size();
  facts.items.push_back(
      {"layers", layers == nodes ? str(layers) : str(layers, ", as ", nodes, " nodes")});
  const std::string references = references_text(inspection);
  if (!references.empty()) facts.items.push_back({"references on cpu", references});
  return {facts};
}

Blocks model_summary_blocks(const Inspection& inspection, const ShowOptions& show) {
  if (show.page) return facts_for_page(inspection, show);
  Lines lines;
  if (!inspection.format.empty()) lines.push_back(file_line(inspection));
  add_values("input ", inspection.inputs, lines);
  add_values("output", inspection.outputs, lines);
  lines.push_back("parameters  " + parameters_text(inspection));
  lines.push_back("work        " + work_text(inspection, show.words));
  lines.push_back("operators   " + operators_text(inspection));
  add_support(inspection, show.words, lines);
  const std::string references = references_text(inspection);
  if (!references.empty()) lines.push_back("references on cpu  " + references);
  return {Sentences{lines}};
}

}  // namespace

extern const SectionDef section_model_summary = {.title = "Model",
                                                 .of_inspection = model_summary_blocks};

}  // namespace hone
