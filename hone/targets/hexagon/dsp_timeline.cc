#include "hone/targets/hexagon/dsp_timeline.h"

#include <algorithm>

namespace hone::hexagon {
namespace {

class MainMemory {
 public:
  explicit MainMemory(const DspSpec& dsp) : dsp_(dsp) {}

  // Cycles that bytes take from when they are asked for, with nothing before them.
  double cycles_of(double bytes) const {
    if (bytes <= 0 || dsp_.ddr_bytes_per_cycle <= 0) return 0;
    return dsp_.ddr_latency_cycles + bytes / dsp_.ddr_bytes_per_cycle;
  }
  // When they are there that are asked for at a time.
  double there(double asked, double bytes) {
    if (cycles_of(bytes) == 0) return asked;
    return free_ = std::max(free_, asked) + cycles_of(bytes);
  }

 private:
  const DspSpec& dsp_;
  double free_ = 0;
};

}  // namespace

std::vector<LayerTimes> timeline_of(const std::vector<DspSlot>& slots,
                                    const std::vector<double>& computing, const DspSpec& dsp) {
  std::vector<LayerTimes> layers(computing.size());
  MainMemory memory(dsp);
  double now = 0;
  double ready = slots.empty() ? 0 : memory.there(0, slots[0].fetched);
  for (size_t i = 0; i < slots.size(); ++i) {
    const DspSlot& slot = slots[i];
    LayerTimes& layer = layers[slot.step];
    const double work = slot.part * computing[slot.step];
    const double start = std::max(now, ready);
    const double end = std::max(start + work, memory.there(start, slot.streamed));
    ready = i + 1 < slots.size() ? memory.there(start, slots[i + 1].fetched) : 0;
    layer.computing += work;
    layer.waits += std::max(0.0, end - now - work);
    layer.fetching += memory.cycles_of(slot.fetched) + memory.cycles_of(slot.streamed);
    now = end;
  }
  return layers;
}

}  // namespace hone::hexagon
