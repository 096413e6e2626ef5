#include "hone/workbench/minimize.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

using Point = std::vector<double>;
using Function = std::function<double(const Point&)>;

constexpr int kMostMoves = 2000;
constexpr int kMostStarts = 8;
constexpr double kFlat = 1e-13;  // Values of all corners are this near to each other: it is done.

// from + part * (to - from)
Point between(const Point& from, const Point& to, double part) {
  Point point = from;
  for (size_t i = 0; i < point.size(); ++i) point[i] += part * (to[i] - from[i]);
  return point;
}

class Simplex {
 public:
  Simplex(const Function& function, const Point& start, double step) : function_(function) {
    corners_.push_back(at(start));
    for (size_t i = 0; i < start.size(); ++i) {
      Point corner = start;
      corner[i] += step;
      corners_.push_back(at(std::move(corner)));
    }
  }

  Minimum run() {
    for (int move = 0; move < kMostMoves; ++move) {
      std::ranges::sort(corners_, {}, &Minimum::value);
      if (corners_.back().value - corners_.front().value <= kFlat && small()) break;
      step();
    }
    return *std::ranges::min_element(corners_, {}, &Minimum::value);
  }

 private:
  Minimum at(Point point) const {
    const double value = function_(point);
    return {std::move(point), value};
  }

  bool small() const {
    double width = 0;
    for (const Minimum& corner : corners_) {
      for (size_t i = 0; i < corner.at.size(); ++i) {
        width = std::max(width, std::abs(corner.at[i] - corners_[0].at[i]));
      }
    }
    return width < 1e-5;
  }

  // Moves the worst corner through the middle of the others, farther if that is the best of all, or
  // toward it if that is no better; else all corners move toward the best.
  void step() {
    Minimum& worst = corners_.back();
    const double second = corners_[corners_.size() - 2].value;
    const Point middle = middle_of_others();
    Minimum mirrored = at(between(worst.at, middle, 2));
    if (mirrored.value < corners_[0].value) {
      Minimum farther = at(between(worst.at, middle, 3));
      worst = farther.value < mirrored.value ? std::move(farther) : std::move(mirrored);
    } else if (mirrored.value < second) {
      worst = std::move(mirrored);
    } else {
      const bool outside = mirrored.value < worst.value;
      Minimum nearer = at(between(worst.at, middle, outside ? 1.5 : 0.5));
      if (nearer.value < std::min(worst.value, mirrored.value)) {
        worst = std::move(nearer);
      } else {
        for (size_t i = 1; i < corners_.size(); ++i) {
          corners_[i] = at(between(corners_[0].at, corners_[i].at, 0.5));
        }
      }
    }
  }

  Point middle_of_others() const {
    Point middle(corners_[0].at.size());
    for (size_t c = 0; c + 1 < corners_.size(); ++c) {
      for (size_t i = 0; i < middle.size(); ++i) {
        middle[i] += corners_[c].at[i] / static_cast<double>(corners_.size() - 1);
      }
    }
    return middle;
  }

  const Function& function_;
  std::vector<Minimum> corners_ = {};
};

}  // namespace

Minimum minimize(const Function& function, const Point& start, double step) {
  Minimum best{start, function(start)};
  if (start.empty()) return best;
  for (int i = 0; i < kMostStarts; ++i) {
    // Both directions, in turn: a simplex on one side of a kink may see nothing.
    Minimum found = Simplex(function, best.at, i % 2 == 0 ? step : -step).run();
    const double gained = best.value - found.value;
    if (gained > 0) best = std::move(found);
    if (i > 0 && gained <= 1e-9 * (1 + std::abs(best.value))) break;
  }
  return best;
}

}  // namespace hone
