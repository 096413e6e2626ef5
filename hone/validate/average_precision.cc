#include "hone/validate/average_precision.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

namespace hone {
namespace {

constexpr size_t kMostPerSample = 100;

double area(const Box& box) {
  return std::max(0.0, box[2] - box[0]) * std::max(0.0, box[3] - box[1]);
}

// The surest first; equal ones stay in order.
void sort_by_score(std::vector<Detection>& detections) {
  std::ranges::stable_sort(detections, std::ranges::greater{}, &Detection::score);
}

// Of each class in each sample.
std::vector<Detection> surest(std::vector<Detection> detections) {
  sort_by_score(detections);
  std::map<std::pair<size_t, int64_t>, size_t> seen;
  std::erase_if(detections, [&](const Detection& d) {
    return ++seen[{d.sample, d.type}] > kMostPerSample;
  });
  return detections;
}

// The wanted box of the detection's sample that it overlaps most among those nobody took; null when
// none overlaps enough.
const WantedBox* match(const Detection& detection, const std::vector<const WantedBox*>& wanted,
                       const std::set<const WantedBox*>& taken, double least) {
  const WantedBox* best = nullptr;
  for (const WantedBox* box : wanted) {
    if (box->sample != detection.sample || taken.contains(box)) continue;
    const double shared = overlap(detection.box, box->box);
    if (shared < least) continue;
    least = shared;
    best = box;
  }
  return best;
}

// Of detections and wanted boxes of one class.
double average_precision(const std::vector<const Detection*>& detections,
                         const std::vector<const WantedBox*>& wanted, double least) {
  std::set<const WantedBox*> taken;
  std::vector<double> precision, recall;
  for (size_t d = 0; d < detections.size(); ++d) {
    const WantedBox* box = match(*detections[d], wanted, taken, least);
    if (box != nullptr) taken.insert(box);
    precision.push_back(static_cast<double>(taken.size()) / static_cast<double>(d + 1));
    recall.push_back(static_cast<double>(taken.size()) / static_cast<double>(wanted.size()));
  }
  for (size_t d = precision.size(); d-- > 1;) {
    precision[d - 1] = std::max(precision[d - 1], precision[d]);
  }
  double sum = 0;
  for (int percent = 0; percent <= 100; ++percent) {
    const auto reached = std::ranges::lower_bound(recall, percent / 100.0);
    if (reached != recall.end()) sum += precision[static_cast<size_t>(reached - recall.begin())];
  }
  return sum / 101;
}

}  // namespace

double overlap(const Box& a, const Box& b) {
  const Box shared = {std::max(a[0], b[0]), std::max(a[1], b[1]), std::min(a[2], b[2]),
                      std::min(a[3], b[3])};
  const double both = area(shared);
  const double either = area(a) + area(b) - both;
  return either > 0 ? both / either : 0;
}

double mean_average_precision(const std::vector<Detection>& detections,
                              const std::vector<WantedBox>& wanted, double least_overlap) {
  std::map<int64_t, std::vector<const WantedBox*>> wanted_by_type;
  for (const WantedBox& box : wanted) wanted_by_type[box.type].push_back(&box);
  std::map<int64_t, std::vector<const Detection*>> found_by_type;
  const std::vector<Detection> sorted = surest(detections);
  for (const Detection& detection : sorted) found_by_type[detection.type].push_back(&detection);
  double sum = 0;
  for (const auto& [type, boxes] : wanted_by_type) {
    sum += average_precision(found_by_type[type], boxes, least_overlap);
  }
  return wanted_by_type.empty() ? 0 : sum / static_cast<double>(wanted_by_type.size());
}

}  // namespace hone
