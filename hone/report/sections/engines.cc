// What an accelerator's run has where a processor's has rates and roofs: the use of its engines,
// waits by cause, traffic, memory, and what its host was left.

#include "hone/profile/engines.h"

#include "hone/base/percent.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/report.h"
#include "hone/report/sections/host_groups.h"

namespace hone {
namespace {

std::string bytes_text(double bytes) {
  return human_bytes(static_cast<uint64_t>(bytes));
}

std::string spaced(std::string text) {
  for (char& c : text) c = c == '_' ? ' ' : c;
  return text;
}

std::string engines_line(const EngineUse& use) {
  return str("matrix ", percent(use.matrix), " busy, doing ", percent(use.macs),
             " of the MACs it could; vector ", percent(use.vector), ", DMA ", percent(use.dma),
             ", host ", percent(use.host), "; ", human_count(static_cast<int64_t>(use.cycles)),
             " cycles");
}

std::string waits_line(const EngineUse& use) {
  std::vector<std::string> waits;
  for (const EngineStall& stall : use.stalls) {
    waits.push_back(str(stall.cause, " ", percent(stall.part)));
  }
  return waits.empty() ? "" : str(join(waits), " of the run");
}

std::string traffic_line(const sim::EngineCounters& engines) {
  std::vector<std::string> parts;
  for (const sim::MemoryTraffic& memory : engines.memories) {
    const auto add = [&](const char* way, double bytes) {
      if (bytes > 0) parts.push_back(str(spaced(memory.name), " ", way, " ", bytes_text(bytes)));
    };
    add("read", memory.read_bytes);
    add("written", memory.written_bytes);
  }
  return join(parts);
}

// Those that hold something.
std::vector<Metric> used_memory(const Profile& profile) {
  std::vector<Metric> used = profile.memory;
  std::erase_if(used, [](const Metric& metric) { return metric.value.value_or(0) == 0; });
  return used;
}

std::string memory_line(const std::vector<Metric>& memory) {
  std::vector<std::string> parts;
  for (const Metric& metric : memory) {
    parts.push_back(str(spaced(metric.name), " ", bytes_text(*metric.value)));
  }
  return join(parts);
}

Facts engine_facts(const Profile& profile) {
  const EngineUse use = engine_use(*profile.engines);
  const std::vector<Metric> memory = used_memory(profile);
  Facts facts;
  const auto add = [&](const char* name, const std::string& line, Mode mode) {
    if (!line.empty()) facts.items.emplace_back(name, str(line, " (", mode_name(mode), ")"));
  };
  add("engines", engines_line(use), profile.mode);
  add("waits", waits_line(use), profile.mode);
  add("traffic", traffic_line(*profile.engines), profile.mode);
  add("memory", memory_line(memory), memory.empty() ? profile.mode : memory[0].mode);
  return facts;
}

// "soft (softmax)", "a, b, c and 4 more (7 conv)".
std::string title_of(const HostGroup& group) {
  const size_t n = group.nodes.size();
  const std::string& op = group.nodes[0].op;
  return str(names_of(group), " (", n > 1 ? str(n, " ") : std::string(), op, ")");
}

// Why, what would change it, and what the border costs.
ListItem item_of(const HostGroup& group, HintWords words) {
  const HostPlacement& first = group.nodes[0];
  ListItem item{.title = title_of(group)};
  if (group.us > 0) {
    item.title += str(", ", human_bytes(group.bytes), " over the border, ", fixed(group.us, 1),
                      " us (predicted)");
  }
  item.facts.items.emplace_back("why", with_short_names(first.reason));
  if (!first.change.empty()) {
    item.facts.items.emplace_back("change", first.change + in_brackets(first.hint, words));
  }
  return item;
}

ItemList host_items(const std::vector<HostPlacement>& host, HintWords words) {
  ItemList list;
  for (const HostGroup& group : group_by_reason(host)) list.items.push_back(item_of(group, words));
  const size_t n = host.size();
  if (n > 0) list.heading = str("on the host: ", n, n == 1 ? " operator" : " operators");
  return list;
}

DataTable use_table(const Profile& profile) {
  const EngineUse use = engine_use(*profile.engines);
  DataTable table{.columns = {{"engines"}, {str("of the run, ", mode_name(profile.mode)), true}},
                  .rows = {{"matrix engine busy", percent(use.matrix)},
                           {"MACs of those it could do", percent(use.macs)},
                           {"vector engine busy", percent(use.vector)},
                           {"DMA busy", percent(use.dma)},
                           {"host busy", percent(use.host)}}};
  for (const EngineStall& stall : use.stalls) {
    table.rows.push_back({str("waiting, ", stall.cause), percent(stall.part)});
  }
  table.rows.push_back({"off-chip traffic", bytes_text(use.off_chip_bytes)});
  return table;
}

DataTable memory_table(const Profile& profile) {
  DataTable table{.columns = {{"memory"}, {"bytes", true}, {""}}};
  for (const Metric& metric : used_memory(profile)) {
    table.rows.push_back({metric.name,
                          str(bytes_text(*metric.value), " (", mode_name(metric.mode), ")"),
                          metric.note});
  }
  return table;
}

DataTable host_table(const std::vector<HostPlacement>& host) {
  DataTable table{
      .columns = {
          {"layers"}, {"n", true}, {"operator"}, {"why"}, {"change"}, {"border, predicted", true}}};
  for (const HostGroup& group : group_by_reason(host)) {
    const HostPlacement& first = group.nodes[0];
    table.rows.push_back({names_of(group), str(group.nodes.size()), first.op,
                          with_short_names(first.reason), first.change,
                          human_duration(group.us * 1e-6)});
  }
  return table;
}

// A terminal has them as lines among the other figures of the run.
Blocks engines_blocks(const ReportRun& run, const ShowOptions& show) {
  const Profile& profile = run.profile;
  if (!has_engines(profile)) return {};
  if (!show.page) return {engine_facts(profile), host_items(profile.host, show.words)};
  Blocks blocks = {use_table(profile), memory_table(profile)};
  if (!profile.host.empty()) {
    blocks.insert(blocks.end(), {Paragraph{"On the host:"}, host_table(profile.host)});
  }
  return blocks;
}

}  // namespace

extern const SectionDef section_engines = {.title = "Engines and memories",
                                           .of_run = engines_blocks};

}  // namespace hone
