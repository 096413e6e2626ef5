#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/device/device_file.h"
#include "hone/report/section_def.h"
#include "hone/report/sections/roof_columns.h"

namespace hone {
namespace {

// "fp32 4.1, int8 0.6".
template <class Figures>
std::string list_of(const Figures& figures) {
  std::vector<std::string> parts;
  for (const auto& [name, pj] : figures) parts.push_back(str(name, " ", pj));
  return join(parts);
}

Blocks machine_costs_blocks(const DeviceFile& device, const ShowOptions&) {
  Facts facts;
  if (device.dispatch) {
    facts.items.emplace_back(
        "threads",
        str(fixed(device.dispatch->spinning_us, 1), " us to give them work, ",
            fixed(device.dispatch->sleeping_us, 1), " us after a pause (measured, medians)"));
  }
  if (device.link) {
    facts.items.emplace_back(
        "copies", str("to the device ", giga(device.link->to_device), " GB/s, from it ",
                      giga(device.link->from_device), " GB/s, pinned memory (",
                      mode_name(device.mode), ", the best of ", device.link->n, ", medians up to ",
                      fixed(100 * device.link->below, 1), " % below)"));
  }
  if (device.launch) {
    facts.items.emplace_back("launches",
                             str("an empty kernel takes ", fixed(device.launch->waited_us, 1),
                                 " us when waited for, ", fixed(device.launch->queued_us, 2),
                                 " us in a queue, ", fixed(device.launch->graph_node_us, 2),
                                 " us in a graph (", mode_name(device.mode), ", medians)"));
  }
  if (device.energy) {
    const EnergyFigures& energy = *device.energy;
    facts.items.emplace_back("energy", str("pJ per operation: ", list_of(energy.pj_per_op),
                                           "; per byte: ", list_of(energy.pj_per_byte), "; ",
                                           energy.idle_watts, " W idle"));
    facts.items.emplace_back("", str(mode_name(energy.mode), ", within a factor of ", energy.factor,
                                     "; ", energy.source));
  }
  return facts.items.empty() ? Blocks{} : Blocks{facts};
}

}  // namespace

extern const SectionDef section_machine_costs = {.title = "Costs besides",
                                                 .of_machine = machine_costs_blocks};

}  // namespace hone
