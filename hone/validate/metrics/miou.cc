// Mean intersection over union of a segmentation, from one confusion matrix over all pixels of the
// set: for each class that is wanted or given anywhere, pixels that are both over pixels that are
// either. targets.npy holds class numbers; 255 marks pixels that do not count, as in Pascal VOC.
//
// The output is [..., C] or [C, ...] scores, of which the largest wins; or one score per pixel,
// which is class 1 from 0.5 on; or class numbers, when it is of integers without a scale.

#include <algorithm>
#include <map>

#include "hone/validate/metric_def.h"
#include "hone/validate/real_values.h"

namespace hone {
namespace {

constexpr int64_t kIgnored = 255;

Status check_sizes(int64_t elements, int64_t pixels) {
  if (pixels > 0 && elements > 0 && elements % pixels == 0) return Done{};
  return bad_input("targets.npy has ", pixels, " class numbers per sample, but the model gives ",
                   elements, " values, expected a multiple");
}

Status check_miou(const DataSet& data, const Graph& graph) {
  if (!data.targets) {
    return bad_input("metric miou needs targets.npy with a class number for every pixel");
  }
  const DType dtype = data.targets->type().dtype;
  if (!kInteger.contains(dtype) && dtype != DType::Bool) {
    return bad_input(data.targets->name(), ": holds ", dtype, ", expected class numbers");
  }
  const std::optional<int64_t> elements = output_elements(graph, 0);
  if (!elements) return Done{};
  return check_sizes(*elements, data.targets->row_type().elements());
}

// True for [C, H, W]: the pixels' extents stand at the end rather than at the front.
bool classes_first(const Shape& output, const Shape& target) {
  Shape pixels = target, scores = output;
  std::erase(pixels, 1);
  std::erase(scores, 1);
  const auto at_front = std::ranges::mismatch(pixels, scores).in1 == pixels.end();
  return !at_front && scores.size() > pixels.size() &&
         std::equal(pixels.rbegin(), pixels.rend(), scores.rbegin());
}

std::vector<int64_t> classes_of(const Tensor& output, const Shape& target) {
  const auto pixels = static_cast<size_t>(elements(target));
  const std::vector<double> scores = real_values(output);
  const size_t classes = scores.size() / pixels;
  std::vector<int64_t> result(pixels);
  const bool numbers = !kFloat.contains(output.dtype()) && !output.type().quantized();
  const bool first = classes_first(output.shape(), target);
  for (size_t p = 0; p < pixels; ++p) {
    if (classes == 1) {
      result[p] = numbers ? static_cast<int64_t>(scores[p]) : scores[p] >= 0.5 ? 1 : 0;
      continue;
    }
    size_t best = 0;
    const auto score = [&](size_t c) { return scores[first ? c * pixels + p : p * classes + c]; };
    for (size_t c = 1; c < classes; ++c) best = score(c) > score(best) ? c : best;
    result[p] = static_cast<int64_t>(best);
  }
  return result;
}

struct Overlap {
  int64_t both = 0;
  int64_t either = 0;
};

Result<MetricDef::Value> evaluate_miou(const Evaluation& in) {
  std::map<int64_t, Overlap> overlaps;
  const Shape target = in.data.targets->row_type().shape;
  for (size_t s = 0; s < in.samples(); ++s) {
    const Tensor& output = in.predictions.samples[s][0];
    HONE_RETURN_IF_ERROR(check_sizes(output.elements(), elements(target)).in(str("sample ", s)));
    HONE_TRY(const Tensor row, in.data.targets->row(static_cast<int64_t>(s)));
    const std::vector<int64_t> wanted = to_ints(row), given = classes_of(output, target);
    for (size_t p = 0; p < wanted.size(); ++p) {
      if (wanted[p] == kIgnored) continue;
      ++overlaps[wanted[p]].either;
      if (wanted[p] == given[p]) {
        ++overlaps[wanted[p]].both;
      } else {
        ++overlaps[given[p]].either;
      }
    }
  }
  if (overlaps.empty()) return bad_input("targets.npy: every pixel is marked as not counting");
  double sum = 0;
  for (const auto& [number, overlap] : overlaps) {
    sum += static_cast<double>(overlap.both) / static_cast<double>(overlap.either);
  }
  return MetricDef::Value{sum / static_cast<double>(overlaps.size()),
                          str("over ", overlaps.size(), " classes")};
}

}  // namespace

extern const MetricDef metric_miou = {
    .name = "miou",
    .summary =
        "mean intersection over union of a segmentation; targets.npy holds class numbers, "
        "255 where a pixel does not count",
    .check = check_miou,
    .evaluate = evaluate_miou,
};

}  // namespace hone
