#include "hone/targets/common/channel_scale.h"

#include <cmath>

#include "hone/ops/common.h"

namespace hone {

std::optional<ChannelScale> channel_scale(const Node& norm) {
  const NodeContext context(*find_op(norm.op), norm);
  if (norm.outputs.size() != 1 || context.integer("training_mode") != 0) return std::nullopt;
  std::vector<std::vector<double>> parameters;
  for (size_t i = 1; i < norm.inputs.size(); ++i) {
    if (!norm.inputs[i]->constant) return std::nullopt;
    parameters.push_back(to_doubles(*norm.inputs[i]->constant));
  }
  const double epsilon = context.real("epsilon");
  ChannelScale result;
  for (size_t c = 0; c < parameters[0].size(); ++c) {
    const double scale = parameters[0][c] / std::sqrt(parameters[3][c] + epsilon);
    result.scale.push_back(static_cast<float>(scale));
    result.shift.push_back(static_cast<float>(parameters[1][c] - parameters[2][c] * scale));
    if (!std::isfinite(result.scale[c]) || !std::isfinite(result.shift[c])) return std::nullopt;
  }
  // Vectors have a channel's value each.
  const auto rank = static_cast<size_t>(norm.inputs[0]->type.tensor.rank());
  const bool last = rank <= 2 || context.text("layout") == "nhwc";
  result.axis = last ? rank - 1 : 1;
  return result;
}

}  // namespace hone
