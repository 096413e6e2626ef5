#include "hone/targets/cortex_m/core.h"

#include <algorithm>

namespace hone::cortex_m {
namespace {

// Which units a kind of instruction takes, on cores that have several of some.
enum Port {
  kAlu,
  kAlu2,
  kShifter,
  kSimd,
  kMac,
  kLoad,
  kLoad2,
  kStore,
  kBranch,
  kFloat,
  kVectorLoad,
  kVectorAlu,
  kVectorMac,
  kPorts
};

struct PortNeed {
  std::vector<Port> any = {};  // One of them,
  std::vector<Port> all = {};  // and all of these.
};

PortNeed ports_of(Unit unit) {
  switch (unit) {
    case Unit::Alu:
    case Unit::Divide:
      return {{kAlu, kAlu2}, {}};
    case Unit::ShiftedAlu:
    case Unit::Shift:
      return {{kAlu, kAlu2}, {kShifter}};
    case Unit::Simd:
      return {{kAlu, kAlu2}, {kSimd}};
    case Unit::Multiply:
      return {{}, {kMac}};
    case Unit::Load:
    case Unit::NarrowLoad:
      return {{kLoad, kLoad2}, {}};
    case Unit::LoadMany:
      return {{}, {kLoad, kLoad2}};
    case Unit::Store:
    case Unit::StoreMany:
      return {{}, {kStore}};
    case Unit::Branch:
      return {{}, {kBranch}};
    case Unit::Float:
      return {{}, {kFloat}};
    case Unit::VectorLoad:
    case Unit::VectorStore:
      return {{}, {kVectorLoad}};
    case Unit::VectorAlu:
      return {{}, {kVectorAlu}};
    case Unit::VectorMultiply:
      return {{}, {kVectorMac}};
    case Unit::LoopEnd:
      break;
  }
  return {};
}

const PortNeed& need_of(Unit unit) {
  static const std::vector<PortNeed> kNeeds = [] {
    std::vector<PortNeed> needs;
    for (int i = 0; i < kUnits; ++i) needs.push_back(ports_of(static_cast<Unit>(i)));
    return needs;
  }();
  return kNeeds[static_cast<size_t>(unit)];
}

bool is_load(Unit unit) {
  return unit == Unit::Load || unit == Unit::NarrowLoad || unit == Unit::LoadMany;
}
bool is_memory(Unit unit) {
  return is_load(unit) || unit == Unit::Store || unit == Unit::StoreMany;
}
bool is_many(Unit unit) {
  return unit == Unit::LoadMany || unit == Unit::StoreMany;
}

class Pipeline {
 public:
  explicit Pipeline(const Core& core) : core_(core) {}

  void run(std::span<const Instruction> block) {
    for (const Instruction& instruction : block) begin(instruction);
  }
  // What follows begins in a cycle of its own, so much later.
  void wait(int cycles) {
    now_ += cycles + (begun_ > 0 ? 1 : 0);
    begun_ = 0;
  }
  // When the next one could begin, half a cycle being left in one that has begun one of two.
  double time() const {
    return static_cast<double>(now_) + static_cast<double>(begun_) / core_.width;
  }

 private:
  void begin(const Instruction& instruction) {
    if (instruction.unit == Unit::LoopEnd) return;  // The core knows where the loop ends.
    const Timing& timing = core_.timing(instruction.unit);
    int64_t at = begun_ < core_.width ? now_ : now_ + 1;
    at = std::max(at, operands_at(instruction.reads));
    if (core_.loads_block && !is_memory(instruction.unit)) at = std::max(at, loaded_at_);
    const int64_t takes = takes_of(instruction, timing);
    at = reserve(instruction.unit, at, core_.width == 1 ? 1 : takes);
    if (at > now_) begun_ = 0;
    now_ = at;
    ++begun_;
    // A core that begins one at a time is busy with it; any is with those of many registers.
    const bool vector = instruction.unit >= Unit::VectorLoad;
    if (takes > 1 && !vector && (core_.width == 1 || is_many(instruction.unit))) {
      now_ += takes - 1;
      begun_ = core_.width;
    }
    finish(instruction, now_ + timing.latency);
  }

  int64_t takes_of(const Instruction& instruction, const Timing& timing) const {
    if (!is_many(instruction.unit)) return timing.takes;
    return timing.takes - 1 +
           (instruction.registers + core_.words_in_cycle - 1) / core_.words_in_cycle;
  }

  // Predicted branches do not wait for flags.
  int64_t operands_at(uint64_t reads) const {
    int64_t at = 0;
    for (size_t i = 0; i < 48; ++i) {
      if ((reads >> i & 1) != 0) at = std::max(at, ready_[i]);
    }
    return at;
  }

  int64_t reserve(Unit unit, int64_t at, int64_t takes) {
    const PortNeed& need = need_of(unit);
    for (const Port port : need.all) at = std::max(at, free_[port]);
    Port chosen = kPorts;
    for (const Port port : need.any) {
      if (chosen == kPorts || free_[port] < free_[chosen]) chosen = port;
    }
    if (chosen != kPorts) {
      at = std::max(at, free_[chosen]);
      free_[chosen] = at + takes;
    }
    const bool vector = unit >= Unit::VectorLoad;
    const int64_t busy = vector ? core_.timing(unit).takes : takes;
    for (const Port port : need.all) free_[port] = at + busy;
    return at;
  }

  void finish(const Instruction& instruction, int64_t at) {
    for (size_t i = 0; i < 48; ++i) {
      if ((instruction.writes >> i & 1) != 0) ready_[i] = at;
    }
    if (is_load(instruction.unit)) loaded_at_ = at;
  }

  const Core& core_;
  int64_t now_ = 0;
  int begun_ = 0;  // In this cycle.
  int64_t loaded_at_ = 0;
  std::array<int64_t, 48> ready_ = {};
  std::array<int64_t, kPorts> free_ = {};
};

}  // namespace

double cycles_behind(const Core& core, std::span<const Instruction> before,
                     std::span<const Instruction> block, bool taken) {
  Pipeline pipeline(core);
  pipeline.run(before);
  const double begin = pipeline.time();
  const bool loops = !before.empty() && before.back().unit == Unit::LoopEnd;
  if (taken && !loops) pipeline.wait(core.taken);
  pipeline.run(block);
  return pipeline.time() - begin;
}

}  // namespace hone::cortex_m
