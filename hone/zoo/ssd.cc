#include "hone/zoo/ssd.h"

namespace hone {

Value* SsdHead::fields(Value* x, const SsdPredictor& predictor, int64_t fields,
                       const std::string& name) {
  const Shape& map = NetworkBuilder::shape(x);
  const Ints all = {map[0], map[2] * map[3] * predictor.anchors, fields};
  x = b_.conv(x, {.channels = predictor.anchors * fields, .kernel = predictor.kernel, .bias = true},
              name);
  x = b_.transpose(x, {0, 2, 3, 1}, name + ".transpose");
  return b_.reshape(x, all, name + ".reshape");
}

void SsdHead::predict_boxes(Value* x, const SsdPredictor& predictor) {
  boxes_.push_back(fields(x, predictor, 4, str("predictor.", boxes_.size(), ".boxes")));
}

void SsdHead::predict_classes(Value* x, const SsdPredictor& predictor) {
  scores_.push_back(fields(x, predictor, classes_, str("predictor.", scores_.size(), ".classes")));
}

Graph SsdHead::finish() {
  Value* boxes = b_.concat(boxes_, 1, "boxes.concat");
  Value* scores = b_.concat(scores_, 1, "classes.concat");
  scores = softmax_ ? b_.softmax(scores, "classes.softmax")
                    : b_.apply("sigmoid", {scores}, "classes.sigmoid");
  return b_.finish({{boxes, "box_encodings"}, {scores, "class_scores"}});
}

}  // namespace hone
