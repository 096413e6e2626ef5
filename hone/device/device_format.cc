#include "hone/device/device_format.h"

#include <algorithm>

namespace hone {

static void fields(DeviceIo& io, DeviceSource& source) {
  io.text("figure", source.figure);
  io.text("text", source.text);
}

static void fields(DeviceIo& io, CalibrationFit& fit) {
  io.count("points", fit.points, 1);
  io.number("error", fit.error, 0);
  io.number("least_macs", fit.least_macs, 0);
  io.number("most_macs", fit.most_macs, fit.least_macs);
  io.number("least_bytes", fit.least_bytes, 0);
  io.number("most_bytes", fit.most_bytes, fit.least_bytes);
  io.text("date", fit.date);
}

static void fields(DeviceIo& io, CheckedTimes& checked) {
  io.count("rows", checked.rows, 1);
  io.number("factor", checked.factor, 1);
  io.text("of", checked.of);
}

// In whatever unit: what is computed from a few of them is still a finite number.
constexpr double kMostOfFigure = 1e9;

static void fields(DeviceIo& io, PowerFigure& figure) {
  io.number_in("value", figure.value, 0, kMostOfFigure);
  io.number_in("low", figure.low, 0, figure.value);
  io.number_in("high", figure.high, figure.value, kMostOfFigure);
  io.text("source", figure.source);
}

static void fields(DeviceIo& io, SystemPower& system) {
  io.text("of", system.of);
  io.section("suspended_mw", system.suspended_mw);
  io.section("idle_mw", system.idle_mw);
  io.section("core_mw", system.core_mw);
  io.section("capture_mw", system.capture_mw);
  io.section("interrupt_us", system.interrupt_us);
  io.section("wake_mj", system.wake_mj);
  io.section("microphone_mw", system.microphone_mw);
  io.section("island_mw", system.island_mw);
  io.section("memory_mw", system.memory_mw);
  io.section("dsp_mw", system.dsp_mw);
}

void fields(DeviceIo& io, Device& device, SpecFormats kinds) {
  io.text("name", device.name);
  io.text("summary", device.summary);
  std::vector<std::string_view> names;
  for (const SpecFormat& kind : kinds) names.push_back(kind.kind);
  io.one_of("kind", device.kind, names);
  io.maybe_positive("price_usd", device.price_usd);
  io.maybe_positive("usd_per_hour", device.usd_per_hour);
  const auto kind = std::ranges::find(kinds, device.kind, &SpecFormat::kind);
  if (kind == kinds.end()) return;  // What io has told already.
  if (!device.spec.has_value()) device.spec = kind->empty();
  kind->fields(io, device.spec);
  io.maybe_section("system", device.system);
  io.maybe_section("checked", device.checked);
  io.maybe_section("fit", device.fit);
  io.list("source", device.sources, Need::Optional);
}

}  // namespace hone
