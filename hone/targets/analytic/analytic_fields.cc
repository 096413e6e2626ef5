// The part of a device file that is a processor's, known by a few numbers.

#include "hone/targets/analytic/analytic_fields.h"

#include <algorithm>

#include "hone/device/class_file.h"

namespace hone {
namespace {

// Keys of AnalyticSpec::peak_ops and AnalyticSpec::efficiency.
constexpr std::string_view kPeakPrecisions[] = {"fp32", "fp16", "int8"};
constexpr std::string_view kPowerOf[] = {"device", "chip"};
constexpr std::string_view kStepKinds[] = {"dense", "depthwise", "product", "other"};
constexpr double kLeastWatts = 1e-6;

}  // namespace

// The parts of an AnalyticSpec that are tables of a file.
struct AnalyticMemory {
  AnalyticSpec& spec;
};
struct AnalyticOverhead {
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

static void fields(DeviceIo& io, McuSpec& mcu) {
  io.text("core", mcu.core);
  io.positive("clock_mhz", mcu.clock_mhz, 1);
  io.count("line_bytes", mcu.line_bytes, 1, Need::Optional);
  io.number("line_cycles", mcu.line_cycles, 0, Need::Optional);
  io.count("code_cache_bytes", mcu.code_cache_bytes, 0, Need::Optional);
  io.count("data_cache_bytes", mcu.data_cache_bytes, 0, Need::Optional);
  io.count("ways", mcu.ways, 1, Need::Optional);
}

static void fields(DeviceIo& io, DspSpec& dsp) {
  // Those with vectors of 128 bytes that clang 19 compiles for: the name goes into its command.
  static constexpr std::string_view kCores[] = {"v60", "v62", "v65", "v66", "v67",
                                                "v68", "v69", "v71", "v73"};
  io.one_of("core", dsp.core, kCores);
  io.positive("clock_mhz", dsp.clock_mhz, 1);
  io.flag("hvx", dsp.hvx, Need::Optional);
  constexpr int64_t kMostKib = 1 << 20;
  constexpr double kMostCycles = 1e6;
  io.few("vtcm_kib", dsp.vtcm_kib, 0, kMostKib);
  io.few("l2_kib", dsp.l2_kib, 0, kMostKib);
  io.zero_or("ddr_bytes_per_cycle", dsp.ddr_bytes_per_cycle, 0.001, 4096);
  io.zero_or("ddr_latency_cycles", dsp.ddr_latency_cycles, 1, kMostCycles);
  io.few("threads", dsp.threads, 1, 16);
  io.few("hvx_contexts", dsp.hvx_contexts, 0, 16);
  io.zero_or("wake_cycles", dsp.wake_cycles, 1, kMostCycles);
}

static void fields(DeviceIo& io, HostLink& link) {
  io.text("name", link.name);
  io.positive("gb_per_second", link.bytes_per_second, 1e9);
  io.part("efficiency", link.efficiency);
  io.number("start_us", link.start_us, 0);
}

static void fields(DeviceIo& io, AnalyticOverhead& overhead) {
  io.number("step_us", overhead.spec.step_us, 0);
  io.number("run_us", overhead.spec.run_us, 0);
}

static void fields(DeviceIo& io, DevicePower& power) {
  io.one_of("of", power.of, kPowerOf, Need::Optional);
  io.number("idle_watts", power.idle_watts, 0);
  io.number("typical_watts", power.typical_watts, std::max(power.idle_watts, kLeastWatts));
  io.number("factor", power.factor, 1, Need::Optional);
  io.maybe_positive("max_watts", power.max_watts, power.typical_watts);
  io.maybe_positive("busy_watts", power.busy_watts, power.typical_watts);
  io.maybe_positive("busy_macs", power.busy_macs);
  io.maybe_positive("typical_macs", power.typical_macs);
}

static void fields(DeviceIo& io, MeasuredPoint& point) {
  io.text("model", point.model);
  io.one_of("precision", point.precision, kPeakPrecisions);
  io.positive("latency_ms", point.ms, 1);
  io.numbers("work", point.work, kFamilyCount);
}

// Classes that learned costs in the precision.
static std::vector<std::string_view> classes_in(std::string_view precision) {
  std::vector<std::string_view> names;
  for (const DeviceClass& known : class_catalog()) {
    const bool fits = known.precision == precision || known.precision == kAnyPrecision;
    if (fits) names.push_back(known.name);
  }
  return names;
}

static void fields(DeviceIo& io, ClassMembership& membership) {
  io.count("threads", membership.threads, 1, Need::Optional);
  io.text("group", membership.group);
  io.one_of("runs", membership.runs, kPeakPrecisions);
  io.flag("integers_only", membership.integers_only, Need::Optional);
  for (const std::string_view precision : kPeakPrecisions) {
    std::string name =
        membership.classes.contains(precision) ? membership.classes.find(precision)->second : "";
    const Need need = precision == membership.runs ? Need::Required : Need::Optional;
    io.one_of(precision, name, classes_in(precision), need);
    if (!name.empty()) membership.classes[std::string(precision)] = name;
  }
}

void fields(DeviceIo& io, AnalyticSpec& spec) {
  io.maybe_section("class", spec.membership);
  io.table("peak_gops", spec.peak_ops, kPeakPrecisions, 1e9);
  AnalyticMemory memory{spec};
  AnalyticOverhead overhead{spec};
  if (!spec.membership) {
    io.number("factor", spec.factor, 1);
    io.parts("efficiency", spec.efficiency, kStepKinds);
    io.section("overhead", overhead);
  }
  io.section("memory", memory);
  io.maybe_section("flash", spec.flash);
  io.maybe_section("mcu", spec.mcu);
  io.maybe_section("dsp", spec.dsp);
  io.maybe_section("link", spec.link);
  io.section("power", spec.power);
  if (spec.membership) io.list("point", spec.membership->points, Need::Optional);
}

}  // namespace hone
