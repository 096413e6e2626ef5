#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuChannelsWorthIt = 0.02;  // Part of the run.
constexpr int64_t kWholeAccess = 8;           // Elements of 16 bits in 16 bytes.
// How often as long a product takes that loads single elements, and one that stores them.
constexpr double kLoadsApart = 2.5;
constexpr double kStoresApart = 1.3;

struct OddProduct {
  int64_t in = 0;  // Channels, where they are odd; 0: they are not.
  int64_t out = 0;
};

// Fewer channels than fill an access, as those of images, are left as they are.
int64_t odd_channels(const Value* value) {
  const TensorType& type = value->type.tensor;
  if (!value->type.is_tensor() || !type.known() || type.shape.empty()) return 0;
  const int64_t channels = type.shape.back();
  return channels > kWholeAccess && channels % kWholeAccess != 0 ? channels : 0;
}

OddProduct odd_product(const Evidence& in, size_t s) {
  const StepKind& kind = in.step(s).kind;
  const bool half = kind.precision == Arithmetic::Fp16 || kind.precision == Arithmetic::Bf16;
  if (in.nodes.empty() || kind.family != StepFamily::Product || !half || kind.on_host) return {};
  const Node& node = *in.nodes[s];
  return {odd_channels(node.inputs[0]), odd_channels(node.outputs[0])};
}

double aligned_us(const Evidence& in, size_t s) {
  const OddProduct odd = odd_product(in, s);
  double us = in.step(s).us;
  if (odd.in > 0) us /= kLoadsApart;
  if (odd.out > 0) us /= kStoresApart;
  return us;
}

void check_gpu_odd_channels(const Evidence& in, std::vector<Finding>& out) {
  if (!is_own_gpu_run(in.profile)) return;
  double aligned = 0;
  std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    const OddProduct odd = odd_product(in, s);
    if (odd.in == 0 && odd.out == 0) return false;
    aligned += aligned_us(in, s);
    return true;
  });
  const double us = sum_us(in, steps);
  if (steps.empty() || us - aligned < kGpuChannelsWorthIt * in.run_us()) return;
  const size_t worst =
      *std::ranges::max_element(steps, {}, [&](size_t s) { return in.step(s).us; });
  const OddProduct odd = odd_product(in, worst);
  const int64_t channels = odd.in > 0 ? odd.in : odd.out;
  const int64_t whole = (channels + kWholeAccess - 1) / kWholeAccess * kWholeAccess;
  Finding finding;
  finding.title =
      str(count_of(steps.size(), "product"), steps.size() == 1 ? " reads" : " read",
          " or write channels that are no multiple of ", kWholeAccess, ": ", share_of_run(in, us),
          " of the run, ", channels, " of them in '", short_name(in.step(worst).name), "'");
  finding.evidence = {time_evidence("products", us), time_evidence("with_whole_accesses", aligned),
                      count_evidence("channels", static_cast<double>(channels))};
  finding.steps = std::move(steps);
  finding.fix = str("give the layer ", whole,
                    " channels, or fill up with zeros: tensor cores are "
                    "fed 16 bytes at a time");
  finding.gain = predicted_gain(us - aligned, 1.5);
  finding.formula = str(fixed(us, 1), " us - ", fixed(aligned, 1),
                        " us: what is loaded element by "
                        "element takes ",
                        fixed(kLoadsApart, 1),
                        " times as long, what is stored "
                        "so ",
                        fixed(kStoresApart, 1), " times");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_odd_channels = {
    .id = "gpu_odd_channels",
    .summary = "Products in 16 bits whose channels do not fill whole accesses of the GPU.",
    .bound = Bound::SmallWork,
    .on = RuleFor::Gpu,
    .check = check_gpu_odd_channels,
};

}  // namespace hone
