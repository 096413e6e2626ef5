#include <algorithm>

#include "hone/analyze/npu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

struct Late {
  std::vector<size_t> steps = {};
  double waited = 0;
  double gain = 0;
  double bytes = 0;
};

// Weights as they lie in memory.
double stored_bytes(const Evidence& in, const NpuSpec& npu, size_t s) {
  return npu.matrix.weight_compression * static_cast<double>(in.step(s).weight_bytes);
}

Finding common(const Evidence& in, const Late& late) {
  Finding finding;
  finding.evidence = {time_evidence("waiting", late.waited),
                      time_evidence("time", sum_us(in, late.steps)),
                      {.name = "weights", .value = late.bytes, .unit = "B", .mode = Mode::Exact}};
  finding.steps = late.steps;
  finding.confidence = "medium";
  return finding;
}

// The memory gives them at the rate it has, and that is too slow.
void add_bandwidth(const Evidence& in, const NpuMemory& memory, const Late& late,
                   std::vector<Finding>& out) {
  Finding finding = common(in, late);
  finding.title = str("waiting for ", human_bytes(static_cast<uint64_t>(late.bytes)),
                      " of weights of ", count_of(late.steps.size(), "layer"), " out of ",
                      memory.name, " at ", fixed(memory.read_bytes_per_second * 1e-9, 2),
                      " GB/s takes ", share_of_run(in, late.waited), " of the run");
  finding.fix =
      "fewer bytes of weights: factor or prune these layers, put fewer channels into the last of "
      "them, or run several inputs for each load";
  finding.gain = predicted_gain(late.gain, 1.3);
  finding.formula =
      "over the layers: the wait, but no more than half the time that their weights take to be "
      "read, which half the bytes would save";
  out.push_back(std::move(finding));
}

// The memory is fast enough: they were asked for too late, since there was no room for them.
void add_slots(const Evidence& in, const Late& late, std::vector<Finding>& out) {
  const Metric* slots = find_metric(in.profile.memory, "sram_weight_slots");
  const double room = slots == nullptr ? 0 : slots->value.value_or(0);
  Finding finding = common(in, late);
  finding.title =
      str("waiting for weights of ", count_of(late.steps.size(), "layer"),
          " that could have been fetched before takes ", share_of_run(in, late.waited),
          " of the run: ", human_bytes(static_cast<uint64_t>(room)), " of SRAM are left for them");
  if (slots != nullptr) finding.evidence.push_back(*slots);
  finding.fix =
      "smaller activations around these layers leave room to fetch ahead; so does an NPU with more "
      "SRAM";
  finding.gain = predicted_gain(late.gain, 1.5);
  finding.formula = str("all of the ", fixed(late.waited, 1), " us that they wait");
  out.push_back(std::move(finding));
}

// They lie in SRAM already, and each is used for too few pixels to hide its way into the array.
void add_loads(const Evidence& in, const Late& late, std::vector<Finding>& out) {
  constexpr double kInputs = 8;
  Finding finding = common(in, late);
  finding.title = str("loading weights of ", count_of(late.steps.size(), "layer"),
                      " from SRAM into the array takes ", share_of_run(in, late.waited),
                      " of the run: they have few pixels for each load");
  finding.fix = "run several inputs for each load, or keep images larger in these layers";
  finding.gain = predicted_gain(late.gain * (1 - 1 / kInputs), 1.5);
  finding.formula = str("all but an eighth of the ", fixed(late.waited, 1), " us, with ",
                        fixed(kInputs, 0), " inputs for each load");
  out.push_back(std::move(finding));
}

void check_npu_weights_late(const Evidence& in, std::vector<Finding>& out) {
  const std::optional<Device> device = npu_of(in);
  if (!device) return;
  const NpuSpec& npu = *device->npu();
  const NpuMemory& memory = npu.memories[static_cast<size_t>(npu.weight_memory)];
  Late bandwidth, slots, loads;
  for (size_t s = 0; s < in.steps(); ++s) {
    const double waited = wait_us(in, s, sim::Stall::WeightsLate);
    if (waited < 0.1 * in.step(s).us) continue;
    const double bytes = stored_bytes(in, npu, s);
    const double reading = 1e6 * bytes / memory.read_bytes_per_second;
    const bool slow = reading > in.step(s).us - waited;
    const bool fetched = off_chip_bytes(in, s) > bytes / 2;
    Late& late = !fetched ? loads : slow ? bandwidth : slots;
    late.steps.push_back(s);
    late.waited += waited;
    late.gain += fetched && slow ? std::min(waited, reading / 2) : waited;
    late.bytes += bytes;
  }
  if (!bandwidth.steps.empty()) add_bandwidth(in, memory, bandwidth, out);
  if (!slots.steps.empty()) add_slots(in, slots, out);
  if (!loads.steps.empty()) add_loads(in, loads, out);
}

}  // namespace

extern const RuleDef rule_npu_weights_late = {
    .id = "npu_weights_late",
    .summary = "Engines of an NPU that wait for weights: too little bandwidth, or no room ahead.",
    .bound = Bound::Memory,
    .on = RuleFor::Npu,
    .check = check_npu_weights_late,
};

}  // namespace hone
