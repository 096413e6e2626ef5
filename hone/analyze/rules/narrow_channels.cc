#include "hone/analyze/pricing.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/kernels/gemm/gemm.h"
#include "hone/kernels/gemm_bf16/gemm_bf16.h"
#include "hone/kernels/gemm_i8/gemm_i8.h"

namespace hone {
namespace {

// A quarter of a tile over a multiple; with more the tile is not wasted.
constexpr int64_t kFewParts = 4;
// Such a tile takes so many times a whole one: it does a quarter of the products but loads every
// row, too (measured on a Neoverse-V1 with tiles of 16: 65 columns against 64).
constexpr double kPartialTile = 0.5;

// Columns of a tile of the kernel that ran the step, by its name; 0 for what is no product.
int64_t tile_width(const std::string& kernel) {
  const auto width = [&](std::string_view family, const auto& variants) -> int64_t {
    for (const auto& variant : variants) {
      if (kernel == str(family, " ", variant.name)) return static_cast<int64_t>(variant.run.nr);
    }
    return 0;
  };
  for (const int64_t columns :
       {width("gemm_f32", gemm_f32_variants()), width("gemm_f16", gemm_f16_variants()),
        width("gemm_bf16", gemm_bf16_variants()), width("gemm_i8", gemm_i8_variants()),
        width("gemm_u8", gemm_u8_variants())}) {
    if (columns > 0) return columns;
  }
  return 0;
}

void check(const Evidence& in, std::vector<Finding>& out) {
  for (size_t s = 0; s < in.steps(); ++s) {
    const StepProfile& step = in.step(s);
    const int64_t width = tile_width(step.kernel);
    if (step.macs == 0 || width == 0 || in.nodes.empty()) continue;
    const TensorType& type = in.nodes[s]->outputs[0]->type.tensor;
    if (!type.known() || type.shape.empty()) continue;
    const int64_t channels = type.shape.back();
    const int64_t over = channels % width;
    if (over == 0 || over > width / kFewParts || channels < width) continue;
    const auto fewer = static_cast<double>(channels - over);
    const double computed = fewer + kPartialTile * static_cast<double>(width);
    const double us = step.us * (1 - fewer / computed);
    Finding finding;
    finding.title = str("'", short_name(step.name), "' has ", channels,
                        " output channels, which cost as much as ", fixed(computed, 0));
    finding.evidence = {time_evidence("time", step.us),
                        count_evidence("channels", static_cast<double>(channels)),
                        count_evidence("paid_for", computed)};
    finding.steps = {s};
    finding.fix = str("give it ", channels - over, " channels, a multiple of ", width);
    finding.gain = predicted_gain(us, 1.3);
    finding.formula =
        str(fixed(step.us, 1), " us x (1 - ", channels - over, " / ", fixed(computed, 1), ")");
    finding.confidence = "medium";
    out.push_back(std::move(finding));
  }
}

}  // namespace

extern const RuleDef rule_narrow_channels = {
    .id = "narrow_channels",
    .summary = "Channel counts just above a multiple of the width kernels compute in.",
    .bound = Bound::SmallWork,
    .on = RuleFor::Measured,
    .check = check,
};

}  // namespace hone
