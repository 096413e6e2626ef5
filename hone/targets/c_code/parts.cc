#include "hone/targets/c_code/parts.h"

#include <algorithm>
#include <numeric>

#include "hone/ops/node_cost.h"
#include "hone/targets/c_code/plan.h"

namespace hone::c_code {
namespace {

// What a packet does of a layer, as docs/howto/hexagon.md has it, all that surrounds the products included.
constexpr double kProductMacs = 190;
constexpr double kPacketsAResult = 0.19;
constexpr int64_t kLaneChannels = 32;  // Of results that are multiplied and stored together.
constexpr double kDepthwiseMacs = 18;
constexpr double kSteppedMacs = 4.5;  // Of depthwise layers in steps of more than 1.
constexpr double kBytesByVectors = 10;
constexpr double kPairBytes = 3;  // Of sums and products of two tensors.
constexpr double kMacsByScalars = 1.5;
constexpr double kBytesByScalars = 0.5;
struct ScalarRate {
  std::string_view kernel;
  double bytes;
};
constexpr ScalarRate kScalarRates[] = {{"hone_move", 1}, {"hone_mean", 1.4}, {"hone_prelu", 0.1}};

int64_t rounded_up_part(int64_t things, int64_t parts) {
  return (things + parts - 1) / parts;
}

// Rows that kernels take together: products so many that their pixels are whole fours, depthwise layers two, tables so
// many that the next ones begin where an aligned vector does.
int64_t rows_together(const Step& step) {
  constexpr int64_t kPixels = 4;
  constexpr int64_t kAligned = 128;
  const Shape& y = step.write->type.tensor.shape;
  const std::string_view kernel = step.calls[0].kernel;
  if (kernel == "hone_hvx_depthwise") return 2;
  if (kernel == "hone_hvx_look_up") return kAligned / std::gcd(y[2] * y[3], kAligned);
  return step.panels ? kPixels / std::gcd(y[2], kPixels) : 1;
}

bool can_cut_rows(const Step& step) {
  return step.rows && has_rows(step.reads[0], step.rows->in) &&
         has_rows(step.write, step.rows->out);
}

struct Cut {
  StepParts parts = {};
  double largest = 1;  // Part of the step's work.
};

// Rows stay together only where the largest part is not larger for it.
Cut cut_by_rows(const Step& step, int64_t workers) {
  if (!can_cut_rows(step)) return {};
  const int64_t rows = step.rows->out;
  const int64_t least = rounded_up_part(rows, workers);
  const int64_t together = rows_together(step);
  const int64_t with = together * rounded_up_part(rounded_up_part(rows, together), workers);
  const int64_t unit = with <= least ? together : 1;
  const int64_t units = rounded_up_part(rows, unit);
  return {{.count = static_cast<size_t>(std::min(workers, units)), .unit = unit},
          static_cast<double>(least) / static_cast<double>(rows)};
}

Cut cut_by_panels(const Step& step, int64_t workers) {
  if (!step.panels) return {};
  const int64_t panels = rounded_up_part(step.panels->channels, step.panels->in_panel);
  return {{.count = static_cast<size_t>(std::min(workers, panels)), .by_panels = true},
          static_cast<double>(rounded_up_part(panels, workers)) / static_cast<double>(panels)};
}

// Whether all of its panels are too much for VTCM at a time: threads would wait for one another at each of them.
bool may_come_in_pieces(const Step& step, const CoreKernels& core) {
  return step.panels && core.vtcm_bytes > 0 &&
         bytes_of(step.arrays[0]) > most_piece_bytes(core.vtcm_bytes);
}

double product_packets(const Step& step, double macs) {
  const int64_t channels = step.panels->channels;
  const double lanes =
      static_cast<double>(rounded_up_part(channels, kLaneChannels) * kLaneChannels) /
      static_cast<double>(channels);
  const auto results = static_cast<double>(step.write->type.tensor.elements());
  return lanes * (macs / kProductMacs + results * kPacketsAResult);
}

double scalar_bytes_a_packet(const Step& step) {
  const auto found = std::ranges::find(kScalarRates, step.calls[0].kernel, &ScalarRate::kernel);
  return found != std::end(kScalarRates) ? found->bytes : kBytesByScalars;
}

}  // namespace

PartRange share_of(int64_t things, size_t parts, size_t part) {
  const auto count = static_cast<int64_t>(parts), at = static_cast<int64_t>(part);
  return {things * at / count, things * (at + 1) / count};
}

PartRows rows_of_part(const Step& step, const StepParts& parts, size_t part) {
  const WindowAxis& rows = *step.rows;
  const int64_t units = rounded_up_part(rows.out, parts.unit);
  const PartRange own = share_of(units, parts.count, part);
  const PartRange made{own.first * parts.unit, std::min(own.end * parts.unit, rows.out)};
  const int64_t first = first_row(rows, made.first);
  return {.read = {first, std::max(first, end_row(rows, made.end - 1))},
          .made = made,
          .pad = first - rows.source(made.first, 0)};
}

bool reads_of_others(const Step& step, const StepParts& parts) {
  if (!parts.cut()) return false;
  if (parts.by_panels) return true;
  for (size_t part = 0; part < parts.count; ++part) {
    const PartRows rows = rows_of_part(step, parts, part);
    if (rows.read.first < rows.made.first || rows.read.end > rows.made.end) return true;
  }
  return false;
}

PartRange channels_of_part(const Step& step, const StepParts& parts, size_t part) {
  const ChannelPanels& panels = *step.panels;
  const PartRange own =
      share_of(rounded_up_part(panels.channels, panels.in_panel), parts.count, part);
  return {own.first * panels.in_panel, std::min(own.end * panels.in_panel, panels.channels)};
}

size_t part_scratch_bytes(const Step& step, const CoreKernels& core) {
  return (step.scratch_bytes + core.alignment() - 1) / core.alignment() * core.alignment();
}

bool goes_with_rows(const Step& step, size_t operand) {
  return has_rows(step.reads[operand], step.rows->in);
}

double estimated_packets(const Step& step) {
  const auto macs = static_cast<double>(node_cost(*step.node).macs);
  const auto bytes = static_cast<double>(
      std::max(step.reads[0]->type.tensor.bytes(), step.write->type.tensor.bytes()));
  if (!has_vectors(step)) return macs / kMacsByScalars + bytes / scalar_bytes_a_packet(step);
  if (step.reads.size() > 1) return bytes / kPairBytes;
  if (step.panels) return product_packets(step, macs * static_cast<double>(step.groups));
  const bool steps = step.rows && step.rows->stride > 1;
  return macs / (steps ? kSteppedMacs : kDepthwiseMacs) + bytes / kBytesByVectors;
}

bool has_vectors(const Step& step) {
  return step.calls[0].kernel.starts_with("hone_hvx_");
}

size_t workers_for(const Step& step, const CoreKernels& core) {
  return has_vectors(step) ? std::min(core.contexts, core.threads) : core.threads;
}

StepParts parts_for(const Step& step, const CoreKernels& core) {
  const auto workers = static_cast<int64_t>(workers_for(step, core));
  if (workers <= 1) return {};
  const Cut rows = cut_by_rows(step, workers), panels = cut_by_panels(step, workers);
  const bool by_panels = panels.largest < rows.largest;
  const bool prefers_rows = rows.parts.cut() && may_come_in_pieces(step, core);
  const Cut& best = by_panels && !prefers_rows ? panels : rows;
  const double saved = (1 - best.largest) * estimated_packets(step);
  return best.parts.cut() && saved > core.wake_cycles ? best.parts : StepParts{};
}

}  // namespace hone::c_code
