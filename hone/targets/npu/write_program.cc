#include <nlohmann/json.hpp>

#include "hone/base/json_text.h"
#include "hone/base/output_file.h"
#include "hone/base/short_name.h"
#include "hone/base/text.h"
#include "hone/sim/listing.h"
#include "hone/targets/npu/npu_program.h"

namespace hone::npu {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::vector<std::string> step_names(const NpuPlan& plan, bool whole) {
  std::vector<std::string> names;
  for (const ProgramStep& step : plan.program.steps) {
    names.push_back(str(step.node->op, " ", whole ? step.node->name : short_name(step.node->name)));
  }
  return names;
}

std::string placement_text(const NpuPlan& plan) {
  size_t on_npu = 0;
  Table table({"node", "operator", "why on the host", "nearest change", "boundary"});
  for (const Placement& placement : plan.placed.placements) {
    on_npu += placement.on_target ? 1 : 0;
    if (placement.on_target) continue;
    table.add(
        {placement.node->name, placement.node->op, placement.reason, placement.change,
         str(human_bytes(placement.boundary_bytes), ", ", fixed(placement.boundary_us, 1), " us")});
  }
  std::string text = str(on_npu, " of ", plan.placed.placements.size(), " nodes on the NPU\n");
  if (on_npu < plan.placed.placements.size()) text += table.to_string();
  return text;
}

std::string memory_text(const NpuPlan& plan) {
  Table table({"value", "where", "offset", "bytes", "steps"});
  for (size_t i = 0; i < plan.program.storages.all.size(); ++i) {
    const Storage& storage = plan.program.storages.all[i];
    const bool resident = plan.schedule.sram.resident[i];
    if (!resident && !storage.npu && !storage.in_memory) continue;
    const uint64_t offset = resident ? 2 * plan.schedule.weight_slot + plan.schedule.sram.offsets[i]
                                     : plan.schedule.memory_offsets[i];
    table.add({short_name(storage.value->name), resident ? "SRAM" : plan.npu().memories[0].name,
               str(offset), str(storage.bytes),
               str(storage.first_step, " .. ", storage.last_step)});
  }
  return table.to_string();
}

Json to_json(const NpuPlan& plan) {
  Json images = Json::array();
  uint64_t offset = 0;
  for (const auto& image : plan.schedule.stream.images) {
    images.push_back({{"space", image.at.space},
                      {"address", image.at.offset},
                      {"bytes", image.bytes.size()},
                      {"file_offset", offset}});
    offset += image.bytes.size();
  }
  Json spaces = Json::array({{{"name", "SRAM"}, {"bytes", plan.npu().sram.bytes}}});
  for (size_t m = 0; m < plan.npu().memories.size(); ++m) {
    spaces.push_back({{"name", plan.npu().memories[m].name},
                      {"bytes", plan.schedule.stream.space_bytes[m + 1]}});
  }
  return {{"schema_version", 1},
          {"device", plan.device.name},
          {"commands", plan.schedule.stream.commands.size()},
          {"steps", step_names(plan, true)},
          {"simulated_cycles", plan.simulation.cycles},
          {"clock_hz", plan.npu().clock_hz},
          {"spaces", std::move(spaces)},
          {"images", std::move(images)}};
}

std::string image_bytes(const NpuPlan& plan) {
  std::string bytes;
  for (const auto& image : plan.schedule.stream.images) {
    bytes.append(reinterpret_cast<const char*>(image.bytes.data()), image.bytes.size());
  }
  return bytes;
}

}  // namespace

std::vector<std::string> program_files() {
  return {"commands.txt", "placement.txt", "memory.txt", "images.bin", "program.json"};
}

Status write_program(const NpuPlan& plan, const fs::path& folder) {
  const std::string commands =
      sim::listing(plan.npu(), plan.schedule.stream, plan.simulation, step_names(plan, false));
  const std::vector<NamedText> files = {{"commands.txt", commands},
                                        {"placement.txt", placement_text(plan)},
                                        {"memory.txt", memory_text(plan)},
                                        {"images.bin", image_bytes(plan)},
                                        {"program.json", json_text(to_json(plan), 2) + "\n"}};
  return write_folder(folder, [&] { return write_files(folder, files); });
}

}  // namespace hone::npu
