#include "hone/targets/c_code/scalar_text.h"

#include <algorithm>
#include <numeric>

#include "hone/base/text.h"

namespace hone::c_code {
namespace {

struct ScalarKernel {
  std::string_view kernel;
  std::string_view reason;
};
constexpr std::string_view kScaled =
    "vectors scale sums below 2^30, by factors below 1/2 and not below 2^-23";
constexpr ScalarKernel kReasons[] = {
    {"hone_grouped", "vectors take up to 16 groups of channels, and factors below 1/2"},
    {"hone_conv", kScaled},
    {"hone_conv_fours", kScaled},
    {"hone_dense", kScaled},
    {"hone_dense_fours", kScaled},
    {"hone_pixels", kScaled},
    {"hone_pixels_fours", kScaled},
    {"hone_depthwise", "vectors take windows of up to 8 rows, and factors below 1/2"},
    {"hone_multiply", "vectors scale products by factors of less than 1"},
    {"hone_pool", "vectors take windows of less than 4096 pixels"},
    {"hone_mean", "vectors take means of images with 16 channels and more"},
    {"hone_copy_rows", "vectors copy 16 bytes side by side and more"},
    {"hone_move", "vectors move 16 bytes side by side and more, or up to 4 rows into columns"},
    {"hone_take", "vectors move 16 bytes side by side and more"},
};

std::string reason_of(const Step& step) {
  const auto found = std::ranges::find(kReasons, step.calls[0].kernel, &ScalarKernel::kernel);
  return found != std::end(kReasons) ? std::string(found->reason)
                                     : str(step.node->op, " has no kernel of vectors");
}

struct ScalarGroup {
  std::string reason;
  std::vector<std::string> layers = {};
  double packets = 0;
};

std::vector<ScalarGroup> scalar_groups(const Plan& plan, const std::vector<double>& packets) {
  std::vector<ScalarGroup> groups;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    if (has_vectors(plan.steps[s])) continue;
    const std::string reason = reason_of(plan.steps[s]);
    auto group = std::ranges::find(groups, reason, &ScalarGroup::reason);
    if (group == groups.end()) group = groups.insert(group, {reason});
    // Its operator, too: what moves a layer's result has that layer's name.
    group->layers.push_back(str("'", name_of(plan.steps[s]), "' (", plan.steps[s].node->op, ")"));
    group->packets += packets[s];
  }
  return groups;
}

// "'a', 'b', 'c' and 4 more".
std::string some_of(const std::vector<std::string>& names) {
  constexpr size_t kMost = 3;
  const std::vector<std::string> first(
      names.begin(), names.begin() + static_cast<ptrdiff_t>(std::min(names.size(), kMost)));
  const std::string more =
      names.size() > kMost ? str(" and ", names.size() - kMost, " more") : std::string();
  return join(first, ", ") + more;
}

}  // namespace

std::vector<std::string> scalar_notes(const Plan& plan, const std::vector<double>& packets) {
  if (!plan.options.core.hvx) return {};
  const double all = std::accumulate(packets.begin(), packets.end(), 0.0);
  std::vector<std::string> notes;
  for (const ScalarGroup& group : scalar_groups(plan, packets)) {
    const size_t count = group.layers.size();
    notes.push_back(str(count, count == 1 ? " layer" : " layers", " by scalar code, ",
                        fixed(all > 0 ? 100 * group.packets / all : 0, 1),
                        " % of all packets: ", group.reason, " (", some_of(group.layers), ")"));
  }
  return notes;
}

std::vector<std::string> group_notes(const Plan& plan) {
  std::vector<std::string> names;
  size_t bytes = 0, own = 0;
  for (const Step& step : plan.steps) {
    if (step.groups == 1) continue;
    names.push_back(str("'", name_of(step), "'"));
    bytes += bytes_of(step.arrays[0]);
    own += bytes_of(step.arrays[0]) / static_cast<size_t>(step.groups);
  }
  if (names.empty()) return {};
  return {
      str(names.size(), names.size() == 1 ? " layer" : " layers",
          " with groups of channels by vectors as if there were none: weights of 0 between them "
          "make ",
          human_bytes(bytes), " of ", human_bytes(own), " (", some_of(names), ")")};
}

std::vector<double> estimated_packets(const Plan& plan) {
  std::vector<double> packets;
  for (const Step& step : plan.steps) packets.push_back(estimated_packets(step));
  return packets;
}

}  // namespace hone::c_code
