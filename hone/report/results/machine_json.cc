#include "hone/report/results/machine_json.h"

#include <nlohmann/json.hpp>

#include "hone/base/metric.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Rate& rate) {
  return {{"one", rate.one}, {"all", rate.all}};
}

Json to_json(const std::vector<HostKernel>& kernels) {
  Json json = Json::array();
  for (const HostKernel& chosen : kernels) {
    json.push_back(
        {{"precision", chosen.precision}, {"work", chosen.work}, {"kernel", chosen.kernel}});
  }
  return json;
}

}  // namespace

Json machine_to_json(const DeviceFile& device) {
  Json compute = Json::array(), memory = Json::array();
  for (const ComputeRoof& roof : device.compute) {
    compute.push_back({{"precision", roof.precision},
                       {"instruction", roof.instruction},
                       {"ops_per_second", to_json(roof.ops)},
                       {"n", roof.n}});
    if (roof.below > 0) compute.back()["median_below"] = roof.below;
  }
  for (const MemoryLevel& level : device.memory) {
    memory.push_back({{"name", level.name},
                      {"bytes", level.bytes},
                      {"line_bytes", level.line_bytes},
                      {"ways", level.ways},
                      {"shared_by", level.shared_by},
                      {"read_bytes_per_second", to_json(level.read)},
                      {"write_bytes_per_second", to_json(level.write)},
                      {"copy_bytes_per_second", to_json(level.copy)},
                      {"n", level.n}});
    if (level.stays_bytes > 0) memory.back()["stays_bytes"] = level.stays_bytes;
    if (level.below > 0) memory.back()["median_below"] = level.below;
  }
  Json kernels = Json::array();
  for (const KernelReach& kernel : device.kernels) {
    kernels.push_back(
        {{"kind", kernel.kind}, {"precision", kernel.precision}, {"of_roof", kernel.of_roof}});
    if (!kernel.parts) continue;
    kernels.back()["parts"] = {{"multiply_of_roof", kernel.parts->multiply_of_roof},
                               {"ns_per_output", kernel.parts->ns_per_output}};
  }
  Json json = {{"name", device.name},
               {"kind", device.kind},
               {"mode", mode_name(device.mode)},
               {"date", device.date},
               {"threads", device.threads},
               {"cpus", device.cpus},
               {"compute", std::move(compute)},
               {"memory", std::move(memory)},
               {"kernels", std::move(kernels)}};
  if (!device.without.empty()) json["without"] = device.without;
  if (device.dispatch) {
    json["dispatch"] = {{"spinning_us", device.dispatch->spinning_us},
                        {"sleeping_us", device.dispatch->sleeping_us}};
  }
  if (device.processors > 0) json["processors"] = device.processors;
  if (!device.driver.empty()) json["driver"] = device.driver;
  if (device.link) {
    json["link"] = {{"to_device_bytes_per_second", device.link->to_device},
                    {"from_device_bytes_per_second", device.link->from_device},
                    {"n", device.link->n},
                    {"median_below", device.link->below}};
  }
  if (device.launch) {
    json["launch"] = {{"waited_us", device.launch->waited_us},
                      {"queued_us", device.launch->queued_us},
                      {"graph_node_us", device.launch->graph_node_us},
                      {"n", device.launch->n}};
  }
  if (device.energy) {
    json["energy"] = {{"mode", mode_name(device.energy->mode)},
                      {"factor", device.energy->factor},
                      {"source", device.energy->source},
                      {"picojoules_per_op", device.energy->pj_per_op},
                      {"picojoules_per_byte", device.energy->pj_per_byte},
                      {"idle_watts", device.energy->idle_watts}};
  }
  return json;
}

Json host_to_json(const HostReport& report) {
  Json parts = Json::array();
  for (const HostPart& part : report.parts) {
    parts.push_back({{"group", part.group},
                     {"name", part.name},
                     {"purpose", part.purpose},
                     {"found", part.found},
                     {"path", part.path},
                     {"detail", part.detail},
                     {"package", part.package}});
  }
  return {{"system", report.system},
          {"kernel", report.kernel},
          {"cpu",
           {{"name", report.cpu.name},
            {"cores", report.cpu.cores},
            {"cpus", report.cpu.cpus},
            {"usable_cpus", report.cpu.threads},
            {"features", feature_names(report.cpu.features)},
            {"taken_features", feature_names(report.cpu.taken)}}},
          {"memory",
           {{"total_bytes", report.memory.total_bytes},
            {"available_bytes", report.memory.available_bytes}}},
          {"kernels", to_json(report.kernels)},
          {"parts", parts},
          {"install", install_command(report)}};
}

}  // namespace hone
