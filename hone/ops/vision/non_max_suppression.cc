// non_max_suppression(boxes [batch, n, 4], scores [batch, classes, n]): of each class of each
// image, boxes in order of falling score, leaving out those whose overlap (intersection over union)
// with one already taken exceeds iou_threshold. The output lists [image, class, box].

#include <algorithm>
#include <array>
#include <numeric>

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

constexpr size_t kMostBoxes = 2, kOverlap = 3, kScore = 4;

Result<std::vector<ValueType>> infer_non_max_suppression(const InferContext& in) {
  const TensorType& boxes = in.type(0);
  const TensorType& scores = in.type(1);
  const int64_t center = in.integer("center_point_box");
  if (center != 0 && center != 1) return bad_input("center_point_box is ", center);
  if (boxes.ranked && (boxes.rank() != 3 || (boxes.shape[2] != 4 && boxes.shape[2] != kUnknown))) {
    return bad_input("boxes are of shape ", text_of(boxes.shape), ", expected batch x n x 4");
  }
  if (scores.ranked && scores.rank() != 3) {
    return bad_input("scores are of shape ", text_of(scores.shape),
                     ", expected batch x classes x n");
  }
  if (boxes.known() && scores.known() &&
      (boxes.shape[0] != scores.shape[0] || boxes.shape[1] != scores.shape[2])) {
    return bad_input("scores of shape ", text_of(scores.shape), " for boxes of shape ",
                     text_of(boxes.shape));
  }
  return std::vector<ValueType>{TensorType{DType::I64, {kUnknown, 3}}};
}

struct Box {
  float left, right, top, bottom;
  float area() const { return (right - left) * (bottom - top); }
};

Box box_at(const float* at, bool center) {
  if (center) {
    return {at[0] - at[2] / 2, at[0] + at[2] / 2, at[1] - at[3] / 2, at[1] + at[3] / 2};
  }
  // [y1, x1, y2, x2], of either diagonal.
  return {std::min(at[1], at[3]), std::max(at[1], at[3]), std::min(at[0], at[2]),
          std::max(at[0], at[2])};
}

bool overlaps(const Box& a, const Box& b, float threshold) {
  const Box both{std::max(a.left, b.left), std::min(a.right, b.right), std::max(a.top, b.top),
                 std::min(a.bottom, b.bottom)};
  if (both.right <= both.left || both.bottom <= both.top) return false;
  const float shared = both.area();
  const float united = a.area() + b.area() - shared;
  if (a.area() <= 0 || b.area() <= 0 || united <= 0) return false;
  return shared / united > threshold;
}

// The boxes of one class that stay, best first.
std::vector<int64_t> select(const float* scores, const std::vector<Box>& boxes, int64_t most,
                            float overlap, std::optional<float> score) {
  std::vector<int64_t> order;
  for (size_t i = 0; i < boxes.size(); ++i) {
    // A NaN has no place in the order.
    if (scores[i] == scores[i] && (!score || scores[i] > *score)) {
      order.push_back(static_cast<int64_t>(i));
    }
  }
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) { return scores[a] > scores[b]; });
  std::vector<int64_t> kept;
  for (const int64_t candidate : order) {
    if (static_cast<int64_t>(kept.size()) >= most) break;
    const bool suppressed = std::ranges::any_of(kept, [&](int64_t other) {
      return overlaps(boxes[static_cast<size_t>(candidate)], boxes[static_cast<size_t>(other)],
                      overlap);
    });
    if (!suppressed) kept.push_back(candidate);
  }
  return kept;
}

Status eval_non_max_suppression(EvalContext& in) {
  const auto given = [&](size_t input) { return in.has(input) && in.in(input).elements() > 0; };
  const int64_t most = given(kMostBoxes) ? to_ints(in.in(kMostBoxes))[0] : 0;
  const float overlap = given(kOverlap) ? in.in(kOverlap).data<float>()[0] : 0;
  std::optional<float> score;
  if (given(kScore)) score = in.in(kScore).data<float>()[0];
  const Shape& shape = in.in(1).shape();
  const float* boxes = in.in(0).data<float>().data();
  const float* scores = in.in(1).data<float>().data();
  std::vector<int64_t> selected;
  for (int64_t n = 0; n < shape[0]; ++n) {
    std::vector<Box> of_image;
    for (int64_t i = 0; i < shape[2]; ++i) {
      of_image.push_back(
          box_at(boxes + (n * shape[2] + i) * 4, in.integer("center_point_box") == 1));
    }
    for (int64_t c = 0; c < shape[1]; ++c) {
      const float* of_class = scores + (n * shape[1] + c) * shape[2];
      for (const int64_t box : select(of_class, of_image, most, overlap, score)) {
        selected.insert(selected.end(), {n, c, box});
      }
    }
  }
  const auto count = static_cast<int64_t>(selected.size() / 3);
  in.set(0, Tensor::of<int64_t>({count, 3}, selected));
  return Done{};
}

}  // namespace

extern const OpDef op_non_max_suppression = {
    .name = "non_max_suppression",
    .summary = "Keeps the best of overlapping boxes, class by class.",
    .inputs = {{"boxes", DTypeSet{DType::F32}},
               {"scores", DTypeSet{DType::F32}},
               {"max_output_boxes_per_class", DTypeSet{DType::I64}, 0, kOptional},
               {"iou_threshold", DTypeSet{DType::F32}, 0, kOptional},
               {"score_threshold", DTypeSet{DType::F32}, 0, kOptional}},
    .attrs = {{"center_point_box", int64_t{0}}},
    .infer = infer_non_max_suppression,
    .eval = eval_non_max_suppression,
    .onnx = {{"NonMaxSuppression"}},
    .cases = {"(f32[1,2,4]{0 0 1 1 0 0.1 1 1.1}, f32[1,1,2]{0.9 0.75}, i64[1]{2}, f32[1]{0.5})"},
};

}  // namespace hone
