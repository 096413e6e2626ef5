#include "hone/report/markdown_engines.h"

#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/profile/engines.h"
#include "hone/report/markdown.h"

namespace hone {
namespace {

std::string percent_markdown_engines(double part) {
  return str(fixed(100 * part, 1), " %");
}

std::string use_table(const Profile& profile) {
  const EngineUse use = engine_use(*profile.engines);
  std::vector<MarkdownCells> rows = {
      {"matrix engine busy", percent_markdown_engines(use.matrix)},
      {"MACs of those it could do", percent_markdown_engines(use.macs)},
      {"vector engine busy", percent_markdown_engines(use.vector)},
      {"DMA busy", percent_markdown_engines(use.dma)},
      {"host busy", percent_markdown_engines(use.host)},
  };
  for (const EngineStall& stall : use.stalls) {
    rows.push_back({str("waiting, ", stall.cause), percent_markdown_engines(stall.part)});
  }
  rows.push_back({"off-chip traffic", human_bytes(static_cast<uint64_t>(use.off_chip_bytes))});
  return markdown_table({"engines", str(">of the run, ", mode_name(profile.mode))}, rows);
}

std::string memory_table(const Profile& profile) {
  std::vector<MarkdownCells> rows;
  for (const Metric& metric : profile.memory) {
    if (!metric.value || *metric.value == 0) continue;
    rows.push_back(
        {markdown_plain(metric.name),
         str(human_bytes(static_cast<uint64_t>(*metric.value)), " (", mode_name(metric.mode), ")"),
         markdown_plain(metric.note)});
  }
  return rows.empty() ? "" : markdown_table({"memory", ">bytes", ""}, rows);
}

std::string host_table(const Profile& profile) {
  std::vector<MarkdownCells> rows;
  for (const HostPlacement& placement : profile.host) {
    rows.push_back({markdown_plain(short_name(placement.name)), markdown_plain(placement.op),
                    markdown_plain(with_short_names(placement.reason)),
                    markdown_plain(placement.change),
                    human_duration(placement.boundary_us * 1e-6)});
  }
  if (rows.empty()) return "";
  return "On the host:\n\n" +
         markdown_table({"layer", "operator", "why", "change", ">border, predicted"}, rows);
}

}  // namespace

std::string markdown_engines(const Profile& profile) {
  if (!has_engines(profile)) return "";
  return use_table(profile) + memory_table(profile) + host_table(profile);
}

}  // namespace hone
