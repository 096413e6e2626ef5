// detection_postprocess(encodings [1, n, 4 or more], scores [1, n, classes or one more], anchors
// [n, 4]): what TFLite_Detection_PostProcess makes of an SSD detector's raw outputs.
//   center = encoding / scale * anchor size + anchor center, size =
//   exp(encoding / scale) * anchor size; all are [y, x, h, w]. A first class
//   more than `num_classes` is the background.
// fast (regular = 0): boxes by the score of their best class, overlapping ones left out. regular:
// that for each class by itself, and of everything left the best. Outputs: boxes [1, most, 4] as
// corners, classes, scores [1, most], and their number [1]. Behind the last detection there are
// zeros.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "hone/ops/common.h"
#include "hone/ops/vision/vision_tflite.h"

namespace hone {
namespace {

constexpr int64_t kMostAnchors = 1 << 24;

Status check_shapes(const InferContext& in) {
  const TensorType& boxes = in.type(0);
  const TensorType& scores = in.type(1);
  const TensorType& anchors = in.type(2);
  if (!boxes.known() || !scores.known() || !anchors.known()) return Done{};
  const int64_t classes = in.integer("num_classes");
  const bool fits = boxes.rank() == 3 && scores.rank() == 3 && anchors.rank() == 2 &&
                    boxes.shape[0] == 1 && scores.shape[0] == 1 && boxes.shape[2] >= 4 &&
                    anchors.shape[1] == 4 && boxes.shape[1] == scores.shape[1] &&
                    boxes.shape[1] == anchors.shape[0] && boxes.shape[1] <= kMostAnchors;
  if (!fits) return bad_input("boxes ", boxes, ", scores ", scores, " and anchors ", anchors);
  if (scores.shape[2] != classes && scores.shape[2] != classes + 1) {
    return bad_input("scores are ", scores, " for ", classes, " classes");
  }
  return Done{};
}

Result<std::vector<ValueType>> infer_detection_postprocess(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_shapes(in));
  for (const char* name : {"max_detections", "detections_per_class", "num_classes"}) {
    if (in.integer(name) < 1 || in.integer(name) > kMostAnchors) {
      return bad_input(name, " is ", in.integer(name));
    }
  }
  const Floats& scales = in.attr<Floats>("scales");
  if (scales.size() != 4) return bad_input(scales.size(), " scales, expected 4");
  const double overlap = in.real("iou_threshold");
  if (!(overlap > 0 && overlap <= 1)) return bad_input("iou_threshold is ", overlap);
  const int64_t most = in.integer("max_detections");
  const auto type = [](Shape shape) { return TensorType{DType::F32, std::move(shape)}; };
  return std::vector<ValueType>{type({1, most, 4}), type({1, most}), type({1, most}), type({1})};
}

struct DetectionPostprocessCorners {
  float top, left, bottom, right;
  float area() const { return (bottom - top) * (right - left); }
};

// In double, each result rounded once.
DetectionPostprocessCorners decoded(const float* code, const float* anchor,
                                    const std::array<float, 4>& scales) {
  const auto center = [&](size_t i) {
    return static_cast<float>(double{code[i]} / double{scales[i]} * double{anchor[i + 2]} +
                              double{anchor[i]});
  };
  const auto half = [&](size_t i) {
    return static_cast<float>(0.5 * std::exp(double{code[i]} / double{scales[i]}) *
                              double{anchor[i]});
  };
  const float y = center(0), x = center(1), height = half(2), width = half(3);
  return {y - height, x - width, y + height, x + width};
}

float overlap_detection_postprocess(const DetectionPostprocessCorners& a,
                                    const DetectionPostprocessCorners& b) {
  if (a.area() <= 0 || b.area() <= 0) return 0;
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float shared = std::max(height, 0.0f) * std::max(width, 0.0f);
  return shared / (a.area() + b.area() - shared);
}

struct Detection {
  size_t box;
  int64_t label;
  float score;
};

class Detector {
 public:
  explicit Detector(const EvalContext& in)
      : scores_(in.in(1).data<float>()),
        columns_(static_cast<size_t>(in.in(1).shape()[2])),
        classes_(static_cast<size_t>(in.integer("num_classes"))),
        score_limit_(static_cast<float>(in.real("score_threshold"))),
        overlap_limit_(static_cast<float>(in.real("iou_threshold"))) {
    std::array<float, 4> scales;
    std::ranges::transform(in.attr<Floats>("scales"), scales.begin(),
                           [](double scale) { return static_cast<float>(scale); });
    const auto width = static_cast<size_t>(in.in(0).shape()[2]);
    const auto count = static_cast<size_t>(in.in(0).shape()[1]);
    for (size_t i = 0; i < count; ++i) {
      boxes_.push_back(decoded(in.in(0).data<float>().data() + i * width,
                               in.in(2).data<float>().data() + 4 * i, scales));
    }
  }

  const std::vector<DetectionPostprocessCorners>& boxes() const { return boxes_; }

  Status check() const {
    for (const DetectionPostprocessCorners& box : boxes_) {
      if (box.top >= box.bottom || box.left >= box.right) return bad_input("a box without area");
    }
    if (std::ranges::any_of(scores_, [](float score) { return std::isnan(score); })) {
      return bad_input("a score is not a number");
    }
    return Done{};
  }

  std::vector<Detection> fast(size_t most) const {
    std::vector<float> best(boxes_.size());
    std::vector<int64_t> labels(boxes_.size());
    for (size_t i = 0; i < boxes_.size(); ++i) {
      for (size_t c = 0; c < classes_; ++c) {
        if (c != 0 && score(i, c) <= best[i]) continue;
        best[i] = score(i, c);
        labels[i] = static_cast<int64_t>(c);
      }
    }
    std::vector<Detection> found;
    for (const size_t box : kept(best, most)) found.push_back({box, labels[box], best[box]});
    return found;
  }

  std::vector<Detection> regular(size_t most, size_t per_class) const {
    std::vector<Detection> found;
    for (size_t c = 0; c < classes_; ++c) {
      std::vector<float> scores(boxes_.size());
      for (size_t i = 0; i < scores.size(); ++i) scores[i] = score(i, c);
      for (const size_t box : kept(scores, per_class)) {
        found.push_back({box, static_cast<int64_t>(c), scores[box]});
      }
      std::ranges::stable_sort(found, std::greater<>(), &Detection::score);
      if (found.size() > most) found.resize(most);
    }
    return found;
  }

 private:
  // Behind the background, if there is one.
  float score(size_t box, size_t label) const {
    return scores_[box * columns_ + (columns_ - classes_) + label];
  }

  // Boxes in order of falling score, without those that overlap a better one; of equal scores the
  // first box first.
  std::vector<size_t> kept(const std::vector<float>& scores, size_t most) const {
    std::vector<size_t> order;
    for (size_t i = 0; i < scores.size(); ++i) {
      if (scores[i] >= score_limit_) order.push_back(i);
    }
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return scores[a] > scores[b]; });
    std::vector<size_t> result;
    for (const size_t box : order) {
      if (result.size() >= most) break;
      const bool hidden = std::ranges::any_of(result, [&](size_t other) {
        return overlap_detection_postprocess(boxes_[other], boxes_[box]) > overlap_limit_;
      });
      if (!hidden) result.push_back(box);
    }
    return result;
  }

  std::span<const float> scores_;
  size_t columns_;
  size_t classes_;
  float score_limit_;
  float overlap_limit_;
  std::vector<DetectionPostprocessCorners> boxes_;
};

Status eval_detection_postprocess(EvalContext& in) {
  const Detector detector(in);
  HONE_RETURN_IF_ERROR(detector.check());
  const auto most = static_cast<size_t>(in.integer("max_detections"));
  const auto per_class = static_cast<size_t>(in.integer("detections_per_class"));
  const std::vector<Detection> found =
      in.integer("regular") != 0 ? detector.regular(most, per_class) : detector.fast(most);
  float* boxes = in.out(0).mutable_data<float>().data();
  const auto labels = in.out(1).mutable_data<float>();
  const auto scores = in.out(2).mutable_data<float>();
  for (size_t i = 0; i < found.size(); ++i) {
    const DetectionPostprocessCorners& box = detector.boxes()[found[i].box];
    for (const float edge : {box.top, box.left, box.bottom, box.right}) *boxes++ = edge;
    labels[i] = static_cast<float>(found[i].label);
    scores[i] = found[i].score;
  }
  in.out(3).mutable_data<float>()[0] = static_cast<float>(found.size());
  return Done{};
}

}  // namespace

extern const OpDef op_detection_postprocess = {
    .name = "detection_postprocess",
    .summary = "Boxes, classes and scores from an SSD detector's raw outputs.",
    .inputs = {{"encodings", DTypeSet{DType::F32}},
               {"scores", DTypeSet{DType::F32}},
               {"anchors", DTypeSet{DType::F32}}},
    .attrs = {{"max_detections", int64_t{0}, kRequired},
              {"detections_per_class", int64_t{100}},
              {"num_classes", int64_t{0}, kRequired},
              {"regular", int64_t{0}},
              {"score_threshold", 0.0},
              {"iou_threshold", 0.5},
              {"scales", Floats{}, kRequired}},
    .min_outputs = 4,
    .max_outputs = 4,
    .infer = infer_detection_postprocess,
    .cost = cost_per_element<4>,
    .eval = eval_detection_postprocess,
    .tflite = {{"TFLite_Detection_PostProcess", import_detection_postprocess}},
    .cases =
        {"?, ?, ?, ? = (const f32[1,3,4], const f32[1,3,3], f32[3,4]{0.5 0.5 0.2 0.2 0.3 0.3 0.2 "
         "0.2 0.8 0.8 0.1 0.1}) max_detections=2 num_classes=2 scales=[10.0,10.0,5.0,5.0]"},
};

}  // namespace hone
