#include "hone/base/text.h"
#include "hone/cli/options.h"
#include "hone/targets/devices.h"

namespace hone {
namespace {

struct Options {
  std::string name;
  JsonOutput json;
};

Json json_of(const TargetDef& target) {
  return {{"name", target.name}, {"mode", mode_name(target.mode)}, {"summary", target.summary}};
}

std::vector<std::string> row_of(std::string_view kind, const TargetDef& target) {
  return {std::string(target.name), std::string(kind), std::string(mode_name(target.mode)),
          std::string(target.summary)};
}

Result<Exit> list_targets(const JsonOutput& json, const CommandContext& context) {
  Table targets({"target", "numbers are", "what"});
  Json list = Json::array();
  for (const TargetDef* target : all_targets()) {
    targets.add({std::string(target->name), std::string(mode_name(target->mode)),
                 std::string(target->summary)});
    list.push_back(json_of(*target));
  }
  Table devices({"device", "kind", "numbers are", "what"});
  Json device_list = Json::array();
  std::vector<const Device*> by_kind;
  for (const Device& device : device_catalog()) by_kind.push_back(&device);
  std::ranges::stable_sort(by_kind, {}, &Device::kind);
  for (const Device* device : by_kind) {
    HONE_TRY(const TargetDef* target, find_target(device->name));
    devices.add(row_of(device->kind, *target));
    device_list.push_back(json_of(*target));
    device_list.back()["kind"] = device->kind;
  }
  if (!json.to_stdout()) {
    context.out << targets.to_string() << "\n"
                << devices.to_string()
                << "\n`hone targets NAME` shows a device's figures and where they are from; a file "
                   "of the same form is a device, too: -d FILE.toml\n";
  }
  if (json.wanted()) {
    HONE_RETURN_IF_ERROR(
        json.write(context, nullptr, "", {{"targets", list}, {"devices", device_list}}));
  }
  return Exit::Pass;
}

Result<Exit> show(const Options& options, const CommandContext& context) {
  HONE_TRY(const TargetDef* target, find_target(options.name));
  Json shown = json_of(*target);
  std::string text = str(target->name, "  ", mode_name(target->mode), "\n", target->summary, "\n");
  const auto& targets = all_targets();
  if (std::ranges::find(targets, target) == targets.end()) {
    HONE_TRY(Device device, find_or_read_device(options.name));
    Table sources({"figure", "from"});
    Json source_list = Json::array();
    for (const DeviceSource& source : device.sources) {
      sources.add({source.figure, source.text});
      source_list.push_back({{"figure", source.figure}, {"text", source.text}});
    }
    device.sources.clear();
    const std::string figures = device_text(device);
    text += str("\n", figures, sources.empty() ? "" : "\n" + sources.to_string());
    shown["kind"] = device.kind;
    shown["figures"] = figures;
    shown["sources"] = source_list;
  }
  if (!options.json.to_stdout()) context.out << text;
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(options.json.write(context, nullptr, "", {{"target", shown}}));
  }
  return Exit::Pass;
}

CommandDef::Action declare(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<Options>();
  flags.text("name NAME", options->name,
             "a target, a device or a device's file: its figures and where they are from");
  options->json.declare(flags);
  return [options, &context] {
    return options->name.empty() ? list_targets(options->json, context) : show(*options, context);
  };
}

}  // namespace

extern const CommandDef command_targets = {
    .name = "targets",
    .summary = "The places to run a model, the devices known, and where their numbers come from.",
    .examples = {"hone targets", "hone targets ethos-u55-128"},
    .declare = declare,
};

}  // namespace hone
