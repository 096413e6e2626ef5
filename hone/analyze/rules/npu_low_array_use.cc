#include <algorithm>
#include <map>

#include "hone/analyze/npu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/ops/conv/geometry.h"
#include "hone/ops/op_def.h"
#include "hone/profile/engines.h"

namespace hone {
namespace {

// Part of its MACs that an array does in layers which fit it: what is left are borders of images
// and the filling of the array.
constexpr double kNpuLowArrayUseUsual = 0.8;
constexpr double kLow = 0.5;

// A layer as the array sees it.
struct Work {
  int64_t taps = 1;
  int64_t depth = 1;  // Input channels of each product.
  int64_t outputs = 1;
  int64_t pixels = 1;
  bool depthwise = false;
};

std::optional<Work> work_of(const Node& node) {
  const TensorType& y = node.outputs[0]->type.tensor;
  if (node.op == "gemm" && y.known() && !y.shape.empty()) {
    const TensorType& x = node.inputs[0]->type.tensor;
    const int64_t rows = y.elements() / y.shape.back();
    return Work{.depth = x.elements() / rows, .outputs = y.shape.back(), .pixels = rows};
  }
  if (node.op != "conv" || !node.inputs[0]->type.tensor.known()) return std::nullopt;
  const auto conv =
      conv_geometry(NodeContext(*find_op(node.op), node), node.inputs[0]->type.tensor.shape,
                    node.inputs[1]->type.tensor.shape);
  if (!conv.ok()) return std::nullopt;
  Work work{.depth = conv->in_channels / conv->groups,
            .outputs = conv->out_channels / conv->groups,
            .depthwise = conv->groups > 1 && conv->groups == conv->in_channels};
  for (const WindowAxis& axis : conv->window.axes) {
    work.taps *= axis.kernel;
    work.pixels *= axis.out;
  }
  return work;
}

int64_t round_up(int64_t a, int64_t to) {
  return (a + to - 1) / to * to;
}

// Part of the rows that have a product to make.
double rows_used(const MatrixEngine& matrix, const Work& work) {
  const int64_t products = work.taps * work.depth;
  int64_t taken = round_up(products, matrix.rows);
  if (matrix.depth_step > 0 || matrix.tap_step > 0) {
    const int64_t step = matrix.depth_step > 0 ? matrix.depth_step : matrix.rows;
    taken = std::min(
        work.taps * round_up(work.depth, step),
        round_up(work.taps, std::max(1, matrix.tap_step)) * round_up(work.depth, matrix.rows));
  }
  return static_cast<double>(products) / static_cast<double>(std::max(products, taken));
}

double columns_used(const MatrixEngine& matrix, const Work& work) {
  return static_cast<double>(work.outputs) /
         static_cast<double>(round_up(work.outputs, matrix.columns));
}

enum class Cause { Depthwise, FewInputs, FewOutputs, FewPixels };

Cause cause_of(const MatrixEngine& matrix, const Work& work, double use) {
  if (work.depthwise) return Cause::Depthwise;
  const double rows = rows_used(matrix, work);
  const double columns = columns_used(matrix, work);
  const double pixels = use / (rows * columns);
  if (pixels < std::min(rows, columns)) return Cause::FewPixels;
  return rows < columns ? Cause::FewInputs : Cause::FewOutputs;
}

struct Group {
  std::vector<size_t> steps = {};
  double busy = 0;
  double gain = 0;
  Work worst = {};
  double worst_us = 0;
};

// A depthwise convolution and the 1x1 in front of it as one ordinary convolution, where that is
// less: what networks made for such arrays do.
double gain_of_merging(const Evidence& in, const NpuSpec& npu, size_t s) {
  const size_t before = in.producer_of(in.nodes[s]->inputs[0]);
  if (before == Evidence::kNone || in.nodes[before]->op != "conv") return 0;
  const std::optional<Work> expand = work_of(*in.nodes[before]);
  if (!expand || expand->depthwise || expand->taps != 1) return 0;
  const double macs = static_cast<double>(in.step(s).macs) * static_cast<double>(expand->depth);
  const double merged =
      npu.us(macs / (kNpuLowArrayUseUsual * static_cast<double>(npu.matrix.macs_per_cycle())));
  return std::max(0.0, in.step(before).us + in.step(s).us - merged);
}

std::map<Cause, Group> groups_of(const Evidence& in, const NpuSpec& npu) {
  std::map<Cause, Group> groups;
  for (size_t s = 0; s < in.nodes.size(); ++s) {
    const double busy = busy_us(in, s, &sim::EngineBusy::matrix);
    if (busy <= 0 || in.step(s).macs == 0) continue;
    const double use = in.step(s).us * engine_use(in.profile, std::array{s}).macs / busy;
    const std::optional<Work> work = use < kLow ? work_of(*in.nodes[s]) : std::nullopt;
    if (!work) continue;
    const Cause cause = cause_of(npu.matrix, *work, use);
    Group& group = groups[cause];
    group.steps.push_back(s);
    group.busy += busy;
    group.gain += cause == Cause::Depthwise ? gain_of_merging(in, npu, s)
                                            : busy * (1 - use / kNpuLowArrayUseUsual);
    if (busy > group.worst_us) {
      group.worst_us = busy;
      group.worst = *work;
    }
  }
  return groups;
}

std::string why(Cause cause, const MatrixEngine& matrix, const Work& worst) {
  switch (cause) {
    case Cause::Depthwise:
      return "depthwise: a channel has its own filter, so that rows have nothing to add up";
    case Cause::FewInputs:
      return str("few inputs: ", worst.taps, " x ", worst.depth, " products, which ", matrix.rows,
                 " rows take ", std::max(matrix.rows, matrix.depth_step), " at a time");
    case Cause::FewOutputs:
      return str("few output channels: ", worst.outputs, " on ", matrix.columns, " columns");
    case Cause::FewPixels:
      return str("few pixels: ", worst.pixels, " for weights that take ",
                 fixed(static_cast<double>(matrix.rows * matrix.columns) /
                           std::max(1.0, matrix.weight_bytes_per_cycle),
                       0),
                 " cycles to load and ", matrix.fill_cycles, " to fill");
  }
  return "";
}

std::string fix_of(Cause cause, const MatrixEngine& matrix) {
  switch (cause) {
    case Cause::Depthwise:
      return "merge them with the 1x1 convolution in front into one ordinary convolution, where "
             "channels are few: it has more products and takes less time";
    case Cause::FewInputs:
      return "fold space into channels in front of them (space_to_depth)";
    case Cause::FewOutputs:
      return str("give them multiples of ", matrix.columns,
                 " channels, or merge branches that read the same input");
    case Cause::FewPixels:
      return "run several inputs as one batch, or take the stride later in the network";
  }
  return "";
}

Finding finding_of(const Evidence& in, const MatrixEngine& matrix, Cause cause, Group group) {
  Finding finding;
  const double low_us = sum_us(in, group.steps);
  finding.title =
      str(count_of(group.steps.size(), "layer"), " (", share_of_run(in, low_us),
          " of the run) use less than half of the array; ", why(cause, matrix, group.worst));
  finding.evidence = {time_evidence("time", low_us), time_evidence("array_busy", group.busy),
                      count_evidence("rows", matrix.rows),
                      count_evidence("columns", matrix.columns)};
  finding.steps = std::move(group.steps);
  finding.fix = fix_of(cause, matrix);
  if (cause == Cause::Depthwise) {
    finding.formula =
        str("over pairs where it is less: both times now, less the ordinary "
            "convolution's products at ",
            fixed(100 * kNpuLowArrayUseUsual, 0), " % of the array");
    finding.gain = predicted_gain(group.gain, 1.5);
    if (group.gain <= 0) {
      finding.gain = unavailable("gain", "ms", "merged they would take longer here");
      finding.fix = "fewer of them, of smaller kernels, is all that helps on this array";
    }
  } else {
    finding.formula = str("over the layers: time that the array computes x (1 - its use / ",
                          fixed(kNpuLowArrayUseUsual, 1), ")");
    finding.gain = predicted_gain(group.gain, 1.5);
  }
  finding.confidence = "low";
  return finding;
}

void check_npu_low_array_use(const Evidence& in, std::vector<Finding>& out) {
  const std::optional<Device> device = npu_of(in);
  if (!device) return;
  for (auto& [cause, group] : groups_of(in, *device->npu())) {
    if (group.busy < 0.05 * in.run_us()) continue;
    out.push_back(finding_of(in, device->npu()->matrix, cause, std::move(group)));
  }
}

}  // namespace

extern const RuleDef rule_npu_low_array_use = {
    .id = "npu_low_array_use",
    .summary = "Layers of a shape that leaves most of an NPU's multipliers idle, and why.",
    .bound = Bound::SmallWork,
    .on = RuleFor::Npu,
    .check = check_npu_low_array_use,
};

}  // namespace hone
