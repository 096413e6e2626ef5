#include "hone/report/engine_text.h"

#include "hone/base/printable.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/profile/engines.h"

namespace hone {
namespace {

std::string percent_engine_text(double part) {
  return str(fixed(100 * part, 1), " %");
}

std::string bytes_text(double bytes) {
  return bytes > 0 ? human_bytes(static_cast<uint64_t>(bytes)) : "-";
}

std::string spaced(std::string text) {
  for (char& c : text) c = c == '_' ? ' ' : c;
  return text;
}

std::string engines_line(const EngineUse& use, std::string_view mode) {
  return str("engines   matrix ", percent_engine_text(use.matrix), " busy, doing ",
             percent_engine_text(use.macs), " of the MACs it could; vector ",
             percent_engine_text(use.vector), ", DMA ", percent_engine_text(use.dma), ", host ",
             percent_engine_text(use.host), "; ", human_count(static_cast<int64_t>(use.cycles)),
             " cycles (", mode, ")\n");
}

std::string waits_line(const EngineUse& use, std::string_view mode) {
  std::vector<std::string> waits;
  for (const EngineStall& stall : use.stalls) {
    waits.push_back(str(stall.cause, " ", percent_engine_text(stall.part)));
  }
  if (waits.empty()) return "";
  return str("waits     ", join(waits), " of the run (", mode, ")\n");
}

std::string traffic_line(const Profile& profile) {
  std::vector<std::string> parts;
  for (const sim::MemoryTraffic& memory : profile.engines->memories) {
    const auto add = [&](const char* way, double bytes) {
      if (bytes > 0) parts.push_back(str(spaced(memory.name), " ", way, " ", bytes_text(bytes)));
    };
    add("read", memory.read_bytes);
    add("written", memory.written_bytes);
  }
  if (parts.empty()) return "";
  return str("traffic   ", join(parts), " (", mode_name(profile.mode), ")\n");
}

std::string memory_line(const Profile& profile) {
  std::vector<std::string> parts;
  for (const Metric& metric : profile.memory) {
    if (!metric.value || *metric.value == 0) continue;
    parts.push_back(str(spaced(metric.name), " ", bytes_text(*metric.value)));
  }
  if (parts.empty()) return "";
  return str("memory    ", join(parts), " (", mode_name(profile.memory[0].mode), ")\n");
}

// Why, what would change it, and what the border costs.
std::string host_lines(const Profile& profile) {
  if (profile.host.empty()) return "";
  std::string text = str("on the host: ", profile.host.size(),
                         profile.host.size() == 1 ? " operator\n" : " operators\n");
  for (const HostPlacement& placement : profile.host) {
    text += str("  ", short_name(placement.name), " (", placement.op, ")");
    if (placement.boundary_us > 0) {
      text += str(", ", bytes_text(static_cast<double>(placement.boundary_bytes)),
                  " over the border, ", fixed(placement.boundary_us, 1), " us (predicted)");
    }
    text += str("\n    why     ", with_short_names(placement.reason), "\n");
    if (!placement.change.empty()) text += str("    change  ", printable(placement.change), "\n");
  }
  return text;
}

}  // namespace

std::vector<std::string> engine_columns() {
  return {"MACs %", "waits for", "off chip"};
}

std::vector<std::string> engine_cells(const Profile& profile, std::span<const size_t> steps) {
  const EngineUse use = engine_use(profile, steps);
  const std::string wait = longest_wait(use);
  return {use.macs > 0 ? fixed(100 * use.macs, 1) : "-", wait.empty() ? "-" : wait,
          bytes_text(use.off_chip_bytes)};
}

std::string engine_summary(const Profile& profile) {
  const EngineUse use = engine_use(*profile.engines);
  const std::string_view mode = mode_name(profile.mode);
  return engines_line(use, mode) + waits_line(use, mode) + traffic_line(profile) +
         memory_line(profile) + host_lines(profile);
}

}  // namespace hone
