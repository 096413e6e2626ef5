#include <algorithm>

#include "hone/analyze/npu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// Less than that part of what a step reads and writes are borders of tiles that are read twice.
constexpr double kPart = 0.25;
constexpr double kLeast = 8192;       // Bytes: less are tables and constants.
constexpr double kWithScales = 1.05;  // Weights lie in memory with biases and scales.

double bytes_of(const Value& value) {
  const TensorType& type = value.type.tensor;
  return value.type.is_tensor() && type.known() ? static_cast<double>(type.bytes()) : 0;
}

// Whether a step of the NPU made the value, looking through views.
bool from_npu(const Evidence& in, const Value* value) {
  while (value->producer != nullptr) {
    const size_t s = in.producer_of(value);
    if (s != Evidence::kNone) return !in.step(s).kind.on_host;
    if (value->producer->inputs.empty() || value->producer->inputs[0] == nullptr) return false;
    value = value->producer->inputs[0];
  }
  return false;
}

// Whether it must leave the chip: a result, or read by the host.
bool leaves(const Evidence& in, const Value* value) {
  if (in.graph->is_output(value)) return true;
  return std::ranges::any_of(value->users, [&](const Use& use) {
    for (size_t s = 0; s < in.nodes.size(); ++s) {
      if (in.nodes[s] == use.node) return in.step(s).kind.on_host;
    }
    return leaves(in, use.node->outputs[0]);
  });
}

// Activations of a step that go over the border though both ends are on the NPU.
double spilled_bytes(const Evidence& in, const NpuSpec& npu, size_t s) {
  const Node& node = *in.nodes[s];
  double bytes = off_chip_bytes(in, s) - kWithScales * npu.matrix.weight_compression *
                                             static_cast<double>(in.step(s).weight_bytes);
  for (const Value* input : node.inputs) {
    if (input == nullptr || input->constant || from_npu(in, input)) continue;
    bytes -= bytes_of(*input);
  }
  for (const Value* output : node.outputs) {
    if (leaves(in, output)) bytes -= bytes_of(*output);
  }
  const auto all = static_cast<double>(in.step(s).read_bytes + in.step(s).written_bytes);
  return bytes > std::max(kLeast, kPart * all) ? bytes : 0;
}

void check_npu_spill(const Evidence& in, std::vector<Finding>& out) {
  const std::optional<Device> device = npu_of(in);
  if (!device || in.nodes.empty()) return;
  const NpuSpec& npu = *device->npu();
  // There is nowhere to spill to.
  if (npu.sram.is_first_memory) return;
  std::vector<size_t> steps;
  double bytes = 0, waited = 0, gain = 0;
  for (size_t s = 0; s < in.steps(); ++s) {
    const double spilled = in.step(s).kind.on_host ? 0 : spilled_bytes(in, npu, s);
    if (spilled <= 0) continue;
    const double waits =
        wait_us(in, s, sim::Stall::InputLate) + wait_us(in, s, sim::Stall::OutputBlocked);
    steps.push_back(s);
    bytes += spilled;
    waited += waits;
    gain += std::min(waits, 1e6 * spilled / npu.memories[0].read_bytes_per_second);
  }
  if (steps.empty()) return;
  Finding finding;
  finding.title = str(human_bytes(static_cast<uint64_t>(bytes)), " of activations of ",
                      count_of(steps.size(), "layer"), " pass through ", npu.memories[0].name,
                      " and keep engines waiting ", share_of_run(in, waited), " of the run");
  finding.evidence = {time_evidence("waiting", waited),
                      {.name = "spilled", .value = bytes, .unit = "B"},
                      {.name = "sram",
                       .value = static_cast<double>(npu.sram.bytes),
                       .unit = "B",
                       .mode = Mode::Exact}};
  finding.steps = steps;
  finding.fix =
      "smaller images or fewer channels where the network is widest: stride or pool "
      "earlier, or a lower resolution";
  finding.gain = predicted_gain(gain, 1.5);
  finding.formula =
      str("over the layers: the wait for input and for room, but no more than their "
          "spilled bytes take at ",
          fixed(npu.memories[0].read_bytes_per_second * 1e-9, 2), " GB/s");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_npu_spill = {
    .id = "npu_spill",
    .summary = "Activations that do not fit an NPU's SRAM and pass through memory off the chip.",
    .bound = Bound::Capacity,
    .on = RuleFor::Npu,
    .check = check_npu_spill,
};

}  // namespace hone
