// The part of a device file that is a processor's, known by a few numbers.

#include "hone/targets/analytic/analytic_fields.h"

namespace hone {
namespace {

// Keys of AnalyticSpec::peak_ops and AnalyticSpec::efficiency.
constexpr std::string_view kPeakPrecisions[] = {"fp32", "fp16", "int8"};
constexpr std::string_view kStepKinds[] = {"dense", "depthwise", "product", "other"};

}  // namespace

// The parts of an AnalyticSpec that are tables of a file.
struct AnalyticMemory {
  AnalyticSpec& spec;
};
struct AnalyticOverhead {
  AnalyticSpec& spec;
};
struct AnalyticPower {
  AnalyticSpec& spec;
};

static void fields(DeviceIo& io, AnalyticMemory& memory) {
  io.positive("gb_per_second", memory.spec.bytes_per_second, 1e9);
  io.part("efficiency", memory.spec.memory_efficiency);
  io.size(memory.spec.memory_bytes);
}

static void fields(DeviceIo& io, Flash& flash) {
  io.size(flash.bytes);
}

static void fields(DeviceIo& io, AnalyticOverhead& overhead) {
  io.number("step_us", overhead.spec.step_us, 0);
  io.number("run_us", overhead.spec.run_us, 0);
}

static void fields(DeviceIo& io, AnalyticPower& power) {
  io.number("idle_watts", power.spec.idle_watts, 0);
  io.positive("busy_watts", power.spec.busy_watts, 1);
}

void fields(DeviceIo& io, AnalyticSpec& spec) {
  io.number("factor", spec.factor, 1);
  io.table("peak_gops", spec.peak_ops, kPeakPrecisions, 1e9);
  io.parts("efficiency", spec.efficiency, kStepKinds);
  AnalyticMemory memory{spec};
  AnalyticOverhead overhead{spec};
  AnalyticPower power{spec};
  io.section("memory", memory);
  io.maybe_section("flash", spec.flash);
  io.section("overhead", overhead);
  io.section("power", power);
}

}  // namespace hone
