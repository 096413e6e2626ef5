#include "hone/report/catalogs.h"

#include <nlohmann/json.hpp>

#include "hone/analyze/rule_def.h"
#include "hone/base/printable.h"
#include "hone/base/str.h"
#include "hone/device/class_file.h"
#include "hone/passes/pass_def.h"
#include "hone/targets/devices.h"
#include "hone/targets/npu/placement.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

Cell cell(std::string_view text) {
  return std::string(text);
}

Document document_of(const char* title, DataTable table) {
  Document document{.title = title};
  document.sections.push_back({.title = title, .blocks = {std::move(table)}});
  return document;
}

std::vector<std::string> onnx_names(const OpDef& op) {
  std::vector<std::string> names;
  for (const OnnxRule& rule : op.onnx) {
    names.push_back(str(rule.domain, rule.domain.empty() ? "" : ".", rule.op_type));
  }
  return names;
}

std::vector<std::string> tflite_names(const OpDef& op) {
  std::vector<std::string> names;
  for (const TfliteRule& rule : op.tflite) names.emplace_back(rule.op);
  return names;
}

// "not here: no NVIDIA driver"; empty where it is.
std::string why_not_here(const TargetDef& target) {
  const Result<std::string> found = target.probe == nullptr ? std::string() : target.probe();
  return found.ok() ? "" : str("not here: ", found.error().message);
}

Json json_of(const TargetDef& target) {
  Json json = {
      {"name", target.name}, {"mode", mode_name(target.mode)}, {"summary", target.summary}};
  if (const std::string why = why_not_here(target); !why.empty()) json["not_here"] = why;
  return json;
}

// For JSON, which has the sources beside them.
std::string figures_of(Device device) {
  device.sources.clear();
  return device_text(device);
}

std::vector<std::string> groups_of(const DeviceClass& of) {
  std::vector<std::string> groups;
  for (const auto& [group, factors] : of.groups) groups.push_back(group);
  return groups;
}

DataTable classes_table() {
  DataTable table{
      .columns = {{"class"}, {"precision"}, {"peak of"}, {"devices"}, {"groups"}, {"what"}}};
  for (const DeviceClass& of : class_catalog()) {
    const std::vector<std::string> groups = groups_of(of);
    const bool any = of.peak == kAnyPrecision;
    table.rows.push_back({of.name, of.precision, any ? "what runs" : of.peak,
                          str(of.evidence.devices), groups.empty() ? "-" : join(groups),
                          str(of.summary, of.path.empty() ? "" : " Your own: ", of.path)});
  }
  return table;
}

// That it was fitted, and which of its classes are not those of Hone.
Sentences what_is_the_users(const Device& device) {
  Sentences own;
  if (device.fit) own.lines.push_back(fit_text(device));
  const AnalyticSpec* spec = device.analytic();
  if (spec == nullptr || !spec->membership) return own;
  for (const auto& [precision, name] : spec->membership->classes) {
    const Result<const DeviceClass*> of = find_class(name);
    if (of.ok() && !(*of)->path.empty())
      own.lines.push_back(str(precision, ": ", own_class_text(**of)));
  }
  return own;
}

}  // namespace

Document operators_document(const std::vector<const OpDef*>& ops) {
  DataTable table{.columns = {{"operator"}, {"runs on ref"}, {"ONNX"}, {"TFLite"}, {"what"}}};
  for (const OpDef* op : ops) {
    table.rows.push_back({cell(op->name), op->eval != nullptr ? "yes" : "no", join(onnx_names(*op)),
                          join(tflite_names(*op)), cell(op->summary)});
  }
  return document_of("Operators", std::move(table));
}

Json operators_to_json(const std::vector<const OpDef*>& ops) {
  Json list = Json::array();
  for (const OpDef* op : ops) {
    list.push_back({{"name", op->name},
                    {"summary", op->summary},
                    {"ref", op->eval != nullptr},
                    {"quantized", op->quantized},
                    {"onnx", onnx_names(*op)},
                    {"tflite", tflite_names(*op)}});
  }
  return list;
}

Document passes_document() {
  DataTable table{.columns = {{"pass"}, {"stage"}, {"what"}}};
  for (const PassDef* pass : all_passes()) {
    table.rows.push_back({cell(pass->name), cell(name_of(pass->stage)), cell(pass->summary)});
  }
  return document_of("Passes", std::move(table));
}

Json passes_to_json() {
  Json list = Json::array();
  for (const PassDef* pass : all_passes()) {
    list.push_back(
        {{"name", pass->name}, {"stage", name_of(pass->stage)}, {"summary", pass->summary}});
  }
  return list;
}

Document finding_rules_document() {
  DataTable table{.columns = {{"rule"}, {"bound"}, {"what it looks for"}}};
  for (const RuleDef* rule : all_rules()) {
    table.rows.push_back({cell(rule->id), cell(name_of(rule->bound)), cell(rule->summary)});
  }
  return document_of("Rules", std::move(table));
}

Json finding_rules_to_json() {
  Json list = Json::array();
  for (const RuleDef* rule : all_rules()) {
    list.push_back(
        {{"name", rule->id}, {"bound", name_of(rule->bound)}, {"summary", rule->summary}});
  }
  return list;
}

Document placement_rules_document() {
  DataTable table{.columns = {{"rule"}, {"what it holds a node to"}}};
  for (const npu::PlacementRule& rule : npu::placement_rules()) {
    table.rows.push_back({cell(rule.name), cell(rule.summary)});
  }
  Document document = document_of("Rules", std::move(table));
  document.lead =
      "What an NPU runs, asked in this order; the first rule that a node breaks puts it on the "
      "host.";
  return document;
}

Json placement_rules_to_json() {
  Json list = Json::array();
  for (const npu::PlacementRule& rule : npu::placement_rules()) {
    list.push_back({{"name", rule.name}, {"summary", rule.summary}});
  }
  return list;
}

Document targets_document(const std::vector<CatalogDevice>& devices) {
  DataTable targets{.columns = {{"target"}, {"numbers are"}, {"what"}}};
  for (const TargetDef* target : all_targets()) {
    const std::string why = why_not_here(*target);
    targets.rows.push_back({cell(target->name), cell(mode_name(target->mode)),
                            str(target->summary, why.empty() ? "" : " It is ", why)});
  }
  DataTable table{.columns = {{"device"}, {"kind"}, {"numbers are"}, {"what"}}};
  for (const auto& [device, target] : devices) {
    table.rows.push_back({cell(target->name), device->kind, cell(mode_name(target->mode)),
                          str(target->summary, device->fit ? " " : "", fit_text(*device))});
  }
  Document document = document_of("Targets", std::move(targets));
  document.sections.push_back({.title = "Devices", .blocks = {std::move(table)}});
  document.sections.push_back(
      {.title = "Classes of devices",
       .blocks = {classes_table(),
                  Paragraph{"a device file names a class for each precision and one of its groups, "
                            "or none; its peak is that of the threads that are used together, in "
                            "GOP/s, a multiply-add being two"}}});
  return document;
}

Json targets_to_json(const std::vector<CatalogDevice>& devices) {
  Json targets = Json::array(), list = Json::array();
  for (const TargetDef* target : all_targets()) targets.push_back(json_of(*target));
  for (const auto& [device, target] : devices) {
    list.push_back(json_of(*target));
    list.back()["kind"] = device->kind;
    if (device->fit) list.back()["fit"] = fit_text(*device);
  }
  Json classes = Json::array();
  for (const DeviceClass& of : class_catalog()) {
    classes.push_back({{"name", of.name},
                       {"precision", of.precision},
                       {"peak", of.peak},
                       {"groups", groups_of(of)},
                       {"devices", of.evidence.devices},
                       {"networks", of.evidence.networks},
                       {"rows", of.evidence.rows},
                       {"summary", of.summary}});
    if (!of.path.empty()) classes.back()["path"] = of.path;
  }
  return {{"targets", std::move(targets)},
          {"devices", std::move(list)},
          {"classes", std::move(classes)}};
}

std::string target_text(const TargetDef& target, const Device* device) {
  std::vector<std::string> lines = {str(target.name, "  ", mode_name(target.mode)),
                                    std::string(target.summary)};
  if (std::string why = why_not_here(target); !why.empty()) lines.push_back(std::move(why));
  if (device != nullptr) {
    const Sentences own = what_is_the_users(*device);
    lines.insert(lines.end(), own.lines.begin(), own.lines.end());
  } else {
    lines.push_back(str("no device file: nothing of ", target.name,
                        " is computed from figures; -d ", target.name, " names it"));
  }
  std::string text;
  for (const std::string& line : lines) text += str("# ", printable(line), "\n");
  return device == nullptr ? text : str(text, device_text(*device));
}

Json target_to_json(const TargetDef& target, const Device* device) {
  Json json = json_of(target);
  if (device == nullptr) return json;
  Json sources = Json::array();
  for (const DeviceSource& source : device->sources) {
    sources.push_back({{"figure", source.figure}, {"text", source.text}});
  }
  json["kind"] = device->kind;
  if (const Sentences own = what_is_the_users(*device); !own.lines.empty()) {
    json["not_as_it_comes"] = own.lines;
  }
  json["figures"] = figures_of(*device);
  json["sources"] = std::move(sources);
  return json;
}

}  // namespace hone
