// soft_nms(boxes [n, 4], scores [n], most, iou_threshold, score_threshold, sigma): boxes in order
// of falling score. One that overlaps a better one by iou_threshold or more is left out; with a
// sigma above 0 every smaller overlap lowers its score by exp(-iou^2 / (2 sigma)). Three outputs of
// `most` elements, zeros behind the last: positions, scores and, a scalar, how many there are.
// Boxes are two corners [y, x, y, x]; of equal scores the first box counts as the better.

#include <algorithm>
#include <cmath>
#include <queue>

#include "hone/ops/common.h"
#include "hone/ops/vision/vision_tflite.h"

namespace hone {
namespace {

constexpr int64_t kMostCandidates = 1 << 24;

Result<std::vector<ValueType>> infer_soft_nms(const InferContext& in) {
  const TensorType& boxes = in.type(0);
  const TensorType& scores = in.type(1);
  if (boxes.ranked && (boxes.rank() != 2 || (boxes.shape[1] != 4 && boxes.shape[1] != kUnknown))) {
    return bad_input("boxes are ", boxes, ", expected n x 4");
  }
  if (scores.ranked && scores.rank() != 1) return bad_input("scores are ", scores, ", expected n");
  if (boxes.known() && scores.known() && boxes.shape[0] != scores.shape[0]) {
    return bad_input("scores are ", scores, " for boxes ", boxes);
  }
  for (size_t i = 2; i < in.inputs(); ++i) {
    if (in.has(i) && in.type(i).known() && in.type(i).elements() != 1) {
      return bad_input("input ", i, " is ", in.type(i), ", expected a scalar");
    }
  }
  int64_t most = kUnknown;
  if (const auto value = in.known_ints(2)) {
    most = (*value)[0];
    if (most < 0 || most > kMostCandidates) return bad_input("at most ", most, " boxes");
  }
  return std::vector<ValueType>{TensorType{DType::I32, {most}}, TensorType{DType::F32, {most}},
                                TensorType{DType::I32, {}}};
}

struct SoftNmsCorners {
  float top, left, bottom, right;
  float area() const { return (bottom - top) * (right - left); }
};

SoftNmsCorners corners_at(const float* at) {
  return {std::min(at[0], at[2]), std::min(at[1], at[3]), std::max(at[0], at[2]),
          std::max(at[1], at[3])};
}

float overlap_soft_nms(const SoftNmsCorners& a, const SoftNmsCorners& b) {
  if (a.area() <= 0 || b.area() <= 0) return 0;
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float shared = std::max(height, 0.0f) * std::max(width, 0.0f);
  const float united = a.area() + b.area() - shared;
  return united == 0 ? 0 : shared / united;
}

struct Candidate {
  size_t box;
  float score;
  size_t compared = 0;  // How many of the selected boxes have had their effect on the score.

  bool operator<(const Candidate& other) const {
    return score < other.score || (score == other.score && box > other.box);
  }
};

struct Thresholds {
  float overlap, score, sigma;
};

// Lowers the score for the selected boxes it was not compared with; false when one suppresses it.
bool survives(Candidate& candidate, const std::vector<SoftNmsCorners>& boxes,
              const std::vector<Candidate>& selected, const Thresholds& limits) {
  const float scale = limits.sigma > 0 ? -0.5f / limits.sigma : 0.0f;
  for (size_t j = selected.size(); j > candidate.compared; --j) {
    const float iou = overlap_soft_nms(boxes[candidate.box], boxes[selected[j - 1].box]);
    if (iou >= limits.overlap) return false;
    if (limits.sigma > 0) candidate.score *= std::exp(scale * iou * iou);
    if (candidate.score <= limits.score) return false;
  }
  candidate.compared = selected.size();
  return true;
}

std::vector<Candidate> select(const std::vector<SoftNmsCorners>& boxes,
                              std::span<const float> scores, size_t most,
                              const Thresholds& limits) {
  std::priority_queue<Candidate> queue;
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (scores[i] > limits.score) queue.push({i, scores[i]});
  }
  std::vector<Candidate> selected;
  while (selected.size() < most && !queue.empty()) {
    Candidate next = queue.top();
    queue.pop();
    const float before = next.score;
    if (!survives(next, boxes, selected, limits)) continue;
    if (next.score == before) selected.push_back(next);
    // As TFLite does, even when it was selected: a box overlaps itself, unless it has no area.
    queue.push(next);
  }
  return selected;
}

Status eval_soft_nms(EvalContext& in) {
  const float* at = in.in(0).data<float>().data();
  std::vector<SoftNmsCorners> boxes;
  for (int64_t i = 0; i < in.in(0).shape()[0]; ++i) boxes.push_back(corners_at(at + 4 * i));
  const Thresholds limits{in.in(3).data<float>()[0], in.in(4).data<float>()[0],
                          in.has(5) ? in.in(5).data<float>()[0] : 0.0f};
  const auto places = in.out(0).mutable_data<int32_t>();
  const std::vector<Candidate> selected =
      select(boxes, in.in(1).data<float>(), places.size(), limits);
  for (size_t i = 0; i < selected.size(); ++i) {
    places[i] = static_cast<int32_t>(selected[i].box);
    if (in.outputs() > 1) in.out(1).mutable_data<float>()[i] = selected[i].score;
  }
  if (in.outputs() > 2)
    in.out(2).mutable_data<int32_t>()[0] = static_cast<int32_t>(selected.size());
  return Done{};
}

}  // namespace

extern const OpDef op_soft_nms = {
    .name = "soft_nms",
    .summary = "Keeps the best of overlapping boxes, or lowers the others' scores.",
    .inputs = {{"boxes", DTypeSet{DType::F32}},
               {"scores", DTypeSet{DType::F32}},
               {"max_output_size", kIndex},
               {"iou_threshold", DTypeSet{DType::F32}},
               {"score_threshold", DTypeSet{DType::F32}},
               {"sigma", DTypeSet{DType::F32}, 0, kOptional}},
    .max_outputs = 3,
    .infer = infer_soft_nms,
    .eval = eval_soft_nms,
    .tflite = {{"NON_MAX_SUPPRESSION_V4", import_non_max_suppression_v4},
               {"NON_MAX_SUPPRESSION_V5", import_non_max_suppression_v5}},
    .cases = {"?, ?, ? = (f32[2,4]{0 0 1 1 0 0.1 1 1.1}, f32[2]{0.9 0.75}, i32[]{2}, f32[]{0.5}, "
              "f32[]{0})"},
};

}  // namespace hone
