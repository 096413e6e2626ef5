// How well detected boxes match wanted ones, as COCO's evaluation computes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hone {

// Two corners, in either order of the axes: overlap does not depend on which is x.
using Box = std::array<double, 4>;

// Intersection over union; 0 when both are empty.
double overlap(const Box& a, const Box& b);

struct Detection {
  size_t sample = 0;
  int64_t type = 0;  // Class number.
  double score = 0;
  Box box = {};
};

struct WantedBox {
  size_t sample = 0;
  int64_t type = 0;
  Box box = {};
};

// The mean over the classes that are wanted anywhere of the average precision at one limit of
// overlap. Within a sample, detections of a class take the free wanted box they overlap most, the
// surest first, and count as right from `least_overlap` on; the average is that of the precision,
// made monotonous, at recalls 0, 0.01 .. 1. Of each class the 100 surest detections of a sample
// count. 0 when nothing is wanted.
double mean_average_precision(const std::vector<Detection>& detections,
                              const std::vector<WantedBox>& wanted, double least_overlap);

}  // namespace hone
