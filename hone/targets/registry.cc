#include <algorithm>
#include <map>
#include <mutex>

#include "hone/base/text.h"
#include "hone/targets/device_kind.h"
#include "hone/targets/devices.h"
#include "hone/targets/target.h"

namespace hone {

#define HONE_TARGET(name) extern const TargetDef target_##name;
#include "hone/targets/targets.inc"
#undef HONE_TARGET

const std::vector<const TargetDef*>& all_targets() {
  static const std::vector<const TargetDef*> kTargets = {
#define HONE_TARGET(name) &target_##name,
#include "hone/targets/targets.inc"
#undef HONE_TARGET
  };
  return kTargets;
}

namespace {

// A device and the target made of it, whose texts are the device's.
struct DeviceTarget {
  explicit DeviceTarget(const Device& of) : device(of) {
    const DeviceKindDef& kind = kind_of(device);
    def.name = device.name;
    def.summary = device.summary;
    def.mode = kind.mode;
    def.makes_firmware = kind.makes_firmware;
    def.open = [this, &kind] { return kind.open(device); };
    if (kind.integers != nullptr) def.integers = kind.integers(device);
  }

  Device device;
  TargetDef def = {};
};

bool is_device(std::string_view name) {
  return std::ranges::any_of(device_catalog(),
                             [&](const Device& device) { return device.name == name; });
}

// What is told of "h200:fp16" and "cuda:0" where a name alone is expected.
Status nothing_behind_the_colon(std::string_view name, std::string_view behind) {
  const bool known =
      is_device(name) || name.ends_with(".toml") ||
      std::ranges::any_of(all_targets(), [&](const auto* target) { return target->name == name; });
  if (!known) return Done{};
  const bool number =
      !behind.empty() && behind.find_first_not_of("0123456789") == std::string_view::npos;
  if (number) {
    return bad_input("no target '", name, ":", behind, "': there is one ", name,
                     " and no number to choose it by");
  }
  return bad_input("no target '", name, ":", behind, "': here ", name,
                   " takes its precision apart from its name")
      .needs({HintKind::Precision, std::string(behind)});
}

}  // namespace

// One for each that was asked for, kept by what its file says.
const TargetDef* target_of(const Device& device) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<DeviceTarget>> targets;
  const std::lock_guard lock(mutex);
  std::unique_ptr<DeviceTarget>& target = targets[str(device.path, "\n", device_text(device))];
  if (target == nullptr) target = std::make_unique<DeviceTarget>(device);
  return &target->def;
}

Result<const TargetDef*> find_target(std::string_view name) {
  std::vector<std::string> names;
  for (const TargetDef* target : all_targets()) {
    if (target->name == name) return target;
    names.emplace_back(target->name);
  }
  if (is_device(name)) {
    HONE_TRY(const Device* device, find_device(name));
    return target_of(*device);
  }
  if (name.ends_with(".toml")) {
    HONE_TRY(const Device device, read_device(std::string(name)));
    return target_of(device);
  }
  if (const size_t colon = name.rfind(':'); colon != std::string_view::npos) {
    HONE_RETURN_IF_ERROR(nothing_behind_the_colon(name.substr(0, colon), name.substr(colon + 1)));
  }
  std::vector<std::string> all = names;
  for (const Device& device : device_catalog()) all.push_back(device.name);
  return bad_input("no target '", name, "'", did_you_mean(name, all), "; there are: ", join(names),
                   ", the devices of the catalog, and a device's FILE.toml")
      .needs({HintKind::Target});
}

Status check_is_here(std::string_view name) {
  HONE_TRY(const TargetDef* target, find_target(name));
  const Support here = target->here == nullptr ? Support::yes() : target->here();
  if (here.full) return Done{};
  // No other than a GPU may be absent.
  return out_of_resource("target ", name, " is not here: ", here.reason,
                         "; h200, a100, t4 and others are predicted, and traces of runs elsewhere "
                         "can be imported");
}

Result<std::vector<std::vector<Metric>>> Session::count() {
  return out_of_resource("this target has no counters of its own");
}

Result<Emulation> Program::emulate(const std::vector<Item>&) const {
  return Emulation{};
}

Status Program::write(const std::filesystem::path&) const {
  return unsupported("this target's programs cannot be written to files");
}

void StepObserver::steps_done(size_t first, std::span<const double> seconds,
                              std::span<const double> busy) {
  for (size_t i = 0; i < seconds.size(); ++i) step_done(first + i, busy);
}

void StepObserver::device_done(size_t first, const DeviceStage& stage) {
  for (size_t i = 0; i < stage.steps.size(); ++i) step_done(first + i, {});
}

std::optional<Tensor> Session::peek(const Value*) const {
  return std::nullopt;
}

Result<std::vector<Item>> Program::run(const std::vector<Item>& inputs) const {
  std::vector<Item> outputs;
  HONE_RETURN_IF_ERROR(open()->run(inputs, outputs));
  return outputs;
}

}  // namespace hone
