// What the detectors of "SSD: Single Shot MultiBox Detector" (2016) have in common: predictions of
// boxes and classes at every cell of several maps.
#pragma once

#include <vector>

#include "hone/zoo/builder.h"

namespace hone {

struct SsdPredictor {
  int64_t anchors = 0;  // Boxes of a cell.
  int64_t kernel = 1;
};

// Gathers the predictions of the maps, and ends the network with them.
class SsdHead {
 public:
  // Scores are a sigmoid of each class, or one softmax over all.
  SsdHead(NetworkBuilder& b, int64_t classes, bool softmax)
      : b_(b), classes_(classes), softmax_(softmax) {}

  // Of the next map: first its boxes, then its classes. `x` is the map, or what was made of it.
  void predict_boxes(Value* x, const SsdPredictor& predictor);
  void predict_classes(Value* x, const SsdPredictor& predictor);

  // Boxes [n, all cells * anchors, 4] and scores [n, all cells * anchors, classes].
  Graph finish();

 private:
  Value* fields(Value* x, const SsdPredictor& predictor, int64_t fields, const std::string& name);

  NetworkBuilder& b_;
  int64_t classes_;
  bool softmax_;
  std::vector<Value*> boxes_, scores_;
};

}  // namespace hone
