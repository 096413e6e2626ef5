#include <algorithm>

#include "hone/base/progress.h"
#include "hone/cli/options.h"
#include "hone/report/catalogs.h"
#include "hone/report/document/writers.h"
#include "hone/targets/devices.h"

namespace hone {
namespace {

struct TargetsArguments {
  std::string name;
  JsonOutput json;
};

// By kind, and as this user has them. A fit that cannot be read costs a line, not the list.
std::vector<CatalogDevice> find_devices() {
  std::vector<CatalogDevice> devices;
  for (const Device& device : device_catalog()) {
    const Result<const TargetDef*> fitted = find_target(device.name);
    if (!fitted.ok()) {
      say_on_stderr(str(fitted.error().message, ": ", device.name, " is listed without this fit"));
    }
    devices.push_back({&device, fitted.ok() ? *fitted : target_of(device)});
  }
  std::ranges::stable_sort(devices, {}, [](const auto& each) { return each.device->kind; });
  return devices;
}

Result<Exit> list_targets(const JsonOutput& json, const CommandContext& context) {
  const std::vector<CatalogDevice> devices = find_devices();
  if (!json.to_stdout()) {
    context.out << document_text(targets_document(devices));
    context.notes()
        << "\n`hone targets NAME` prints a device's file, with its figures and where they are "
           "from; changed or not, it is a device, too: -d FILE.toml\n";
  }
  if (json.wanted()) {
    HONE_RETURN_IF_ERROR(json.write(context, nullptr, "", targets_to_json(devices)));
  }
  return Exit::Pass;
}

Result<Exit> show(const TargetsArguments& options, const CommandContext& context) {
  HONE_TRY(const TargetDef* target, find_target(options.name));
  std::optional<Device> device;
  if (std::ranges::count(all_targets(), target) == 0) {
    HONE_TRY(device, find_or_read_device(options.name));
  }
  const Device* figures = device ? &*device : nullptr;
  if (!options.json.to_stdout()) context.document << target_text(*target, figures);
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(
        options.json.write(context, nullptr, "", {{"target", target_to_json(*target, figures)}}));
  }
  return Exit::Pass;
}

CommandDef::Action declare_targets(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<TargetsArguments>();
  flags.text("name NAME", options->name,
             "a target, a device or a device's file: prints its figures and where they are from, "
             "as a file that -d takes");
  options->json.declare(flags);
  return [options, &context] {
    return options->name.empty() ? list_targets(options->json, context) : show(*options, context);
  };
}

}  // namespace

extern const CommandDef command_targets = {
    .name = "targets",
    .summary = "The places to run a model, the devices known, and where their numbers come from.",
    .examples = {"hone targets", "hone targets ethos-u55-128",
                 "hone targets jetson-nano > mine.toml"},
    .declare = declare_targets,
};

}  // namespace hone
