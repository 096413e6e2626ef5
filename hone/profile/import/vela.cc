// Layers as Vela, the compiler for Ethos-U, predicts them: *_per-layer.csv. The file counts cycles;
// what a cycle takes stands only in Vela's summary, which some put in front of it.

#include <algorithm>
#include <array>

#include "hone/base/str.h"
#include "hone/profile/import/evidence.h"
#include "hone/profile/import/importer_def.h"
#include "hone/profile/import/rows.h"

namespace hone {
namespace {

constexpr std::string_view kVelaFirstColumn = "TFLite_operator,";

// What a layer takes the longest of these: they are taken to overlap.
struct CycleKind {
  std::string_view column, bound, counter;
};
constexpr std::array kCycles = {
    CycleKind{"NPU", "compute", "npu_cycles"}, CycleKind{"SRAM AC", "SRAM", "sram_cycles"},
    CycleKind{"DRAM AC", "DRAM", "dram_cycles"},
    CycleKind{"OnFlash AC", "on-chip flash", "on_chip_flash_cycles"},
    CycleKind{"OffFlash AC", "off-chip flash", "off_chip_flash_cycles"}};

struct VelaColumns {
  Column op, npu_op, sram, cycles, macs, utilization, name;
  std::array<Column, kCycles.size()> kinds;
};

Result<VelaColumns> vela_columns(const Row& header) {
  VelaColumns columns;
  HONE_TRY(columns.op, find_column(header, "TFLite_operator"));
  HONE_TRY(columns.npu_op, find_column(header, "NNG Operator"));
  HONE_TRY(columns.sram, find_column(header, "SRAM Usage"));
  HONE_TRY(columns.cycles, find_column(header, "Op Cycles"));
  HONE_TRY(columns.macs, find_column(header, "MAC Count"));
  const Result<Column> utilization = find_column(header, "MAC Util%");
  HONE_TRY(columns.utilization, utilization.ok() ? utilization : find_column(header, "Util%"));
  HONE_TRY(columns.name, find_column(header, "Name"));
  for (size_t k = 0; k < kCycles.size(); ++k) {
    HONE_TRY(columns.kinds[k], find_column(header, kCycles[k].column));
  }
  return columns;
}

Metric counter(std::string_view name, double value, std::string unit) {
  return {
      .name = std::string(name), .value = value, .unit = std::move(unit), .mode = Mode::Predicted};
}

// Adds the cycles by kind, and says which of them sets the layer's time.
Status add_cycles(const Row& row, const VelaColumns& columns, StepProfile& step) {
  double most = 0;
  for (size_t k = 0; k < kCycles.size(); ++k) {
    HONE_TRY(const double cycles, number_of(row, columns.kinds[k], kMostCount));
    step.counters.push_back(counter(kCycles[k].counter, cycles, ""));
    if (cycles > most) step.bound = kCycles[k].bound;
    most = std::max(most, cycles);
  }
  return Done{};
}

Status add_layer(const Row& row, const VelaColumns& columns, double clock_mhz, Profile& profile) {
  HONE_TRY(const double cycles, number_of(row, columns.cycles, kMostCount));
  HONE_TRY(const double macs, number_of(row, columns.macs, kMostCount));
  HONE_TRY(const double sram, number_of(row, columns.sram, kMostCount));
  HONE_TRY(const double utilization, number_of(row, columns.utilization, kMostCount));
  if (cell_of(row, columns.name).empty()) {
    return bad_input("line ", row.line, ": no name of a layer in column ", columns.name.index + 1);
  }
  StepProfile step;
  step.name = cell_of(row, columns.name);
  step.op = cell_of(row, columns.op);
  step.kind.work = cell_of(row, columns.npu_op);
  step.us = cycles / clock_mhz;
  if (step.us > kMostUs) {
    return bad_input("line ", row.line, ": ", cycles, " cycles at ", clock_mhz, " MHz");
  }
  step.macs = static_cast<int64_t>(macs);
  step.flops = 2 * step.macs;
  step.live_during = static_cast<uint64_t>(sram);
  step.counters.push_back(counter("cycles", cycles, ""));
  HONE_RETURN_IF_ERROR(add_cycles(row, columns, step));
  step.counters.push_back(counter("mac_utilization", utilization, "%"));
  profile.arena_bytes = std::max(profile.arena_bytes, step.live_during);
  add_step(std::move(step), profile);
  return Done{};
}

// "Accelerator clock      500 MHz" -> "500 MHz", of the summary in front of the table.
std::string_view told(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = text.substr(at + key.size());
  return trimmed(rest.substr(0, rest.find_first_of("\r\n")));
}

Result<double> clock_of(std::string_view summary, const ImportOptions& options) {
  if (options.clock_mhz > 0) return options.clock_mhz;
  std::string_view clock = told(summary, "Accelerator clock");
  if (clock.empty()) {
    return unsupported("the file counts cycles and does not tell the clock, which has to be given")
        .needs({HintKind::Clock});
  }
  if (clock.ends_with("MHz")) clock.remove_suffix(3);
  HONE_TRY(const double mhz, parse_number(clock, "Accelerator clock", 1e6));
  if (mhz <= 0) return bad_input("Accelerator clock is 0, expected MHz");
  return mhz;
}

bool recognizes_vela(std::string_view text) {
  return find_line(text, kVelaFirstColumn) != std::string_view::npos;
}

Result<Profile> read_vela(std::string_view text, const ImportOptions& options) {
  const size_t header = std::min(find_line(text, kVelaFirstColumn), text.size());
  const std::string_view summary = text.substr(0, header);
  HONE_TRY(const std::vector<Row> rows,
           read_csv(text.substr(header), lines_of(summary).size() + 1));
  if (rows.empty()) return bad_input("no table, expected one that begins with ", kVelaFirstColumn);
  HONE_TRY(const VelaColumns columns, vela_columns(rows[0]));
  HONE_TRY(const double clock_mhz, clock_of(summary, options));
  Profile profile = imported_profile("vela", "ethos-u");
  profile.mode = Mode::Predicted;
  profile.device = told(summary, "Accelerator configuration");
  profile.step_times = "cycles over the clock";
  profile.step_runs = 1;
  double us = 0;
  for (const Row& row : rows) {
    if (row.cells == rows[0].cells) continue;  // Every subgraph brings the header again.
    HONE_RETURN_IF_ERROR(add_layer(row, columns, clock_mhz, profile));
    us += profile.steps.back().us;
  }
  if (profile.steps.empty()) return bad_input("line ", rows[0].line, ": no layers below");
  add_latency("median", us * 1e-3, 1, str("cycles of all layers at ", clock_mhz, " MHz"), profile);
  profile.notes.push_back(str("Vela's prediction in cycles, at a clock of ", clock_mhz, " MHz ",
                              options.clock_mhz > 0 ? "that was given" : "that the file tells"));
  finish(profile);
  return profile;
}

}  // namespace

extern const ImporterDef importer_vela = {
    .name = "vela",
    .summary = "Vela's *_per-layer.csv (vela --verbose-performance)",
    .recognizes = recognizes_vela,
    .read = read_vela,
};

}  // namespace hone
