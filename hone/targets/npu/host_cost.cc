// What a node costs on the NPU's host: by the host's device, or by its few rates.

#include <algorithm>

#include "hone/ops/node_cost.h"
#include "hone/targets/analytic/analytic_target.h"
#include "hone/targets/analytic/device_program.h"
#include "hone/targets/analytic/learned_costs.h"
#include "hone/targets/devices.h"
#include "hone/targets/npu/layer_cost.h"

namespace hone::npu {
namespace {

// Every runtime has vector code for these, and few for what else is left to a host.
bool converts(const Node& node) {
  constexpr std::string_view kConversions[] = {"quantize_linear", "dequantize_linear", "requantize",
                                               "cast"};
  return std::ranges::find(kConversions, node.op) != std::end(kConversions);
}

double us_by_rates(const NpuSpec& npu, const Node& node, const NodeCost& cost) {
  const bool integers = node.outputs[0]->type.tensor.quantized() && cost.macs > 0;
  const double compute = integers ? static_cast<double>(cost.macs) / npu.host.macs_per_second
                                  : static_cast<double>(cost.flops) / npu.host.flops_per_second;
  const double memory = static_cast<double>(cost.bytes()) / npu.host.bytes_per_second;
  // It reads weights from where the NPU does.
  const double weights = static_cast<double>(cost.weight_bytes) /
                         npu.memories[static_cast<size_t>(npu.weight_memory)].read_bytes_per_second;
  return 1e6 * std::max({compute, memory, weights});
}

double us_by_device(const AnalyticSpec& host, const Node& node, const NodeCost& cost) {
  if (!host.membership) {
    const StepInfo step{.node = &node, .cost = cost};
    return predict_step(host, analytic_work({step}, Precision::F32).front()).us;
  }
  const DeviceStep step = device_step(node, host.membership->runs);
  return 1e3 * predict_costs(learned_costs(host, step.precision).costs, step.work).ms;
}

}  // namespace

double host_us(const NpuSpec& npu, const Node& node) {
  const NodeCost cost = node_cost(node);
  if (npu.host.device.empty() || converts(node)) return us_by_rates(npu, node, cost);
  return us_by_device(*(*find_device(npu.host.device))->analytic(), node, cost);
}

Status check_host(const NpuSpec& npu) {
  if (npu.host.device.empty()) return Done{};
  HONE_TRY(const Device* host, find_device(npu.host.device).in("host.device"));
  if (host->analytic() != nullptr && host->kind != "gpu") return Done{};
  return bad_input("host.device: ", host->name, " is of kind ", host->kind,
                   ", expected a processor");
}

}  // namespace hone::npu
