// How threads share steps over images that compute any of their rows by themselves.
#pragma once

#include <algorithm>
#include <cstddef>

#include "hone/ops/conv/geometry.h"
#include "hone/targets/cpu/row_step.h"

namespace hone::cpu {

// Output rows of all images, cut into tasks.
class RowTasks {
 public:
  RowTasks() = default;
  RowTasks(const ConvGeometry& conv, int threads)
      : images_(static_cast<size_t>(conv.batch)),
        rows_(static_cast<size_t>(conv.window.axes[1].out)) {
    const auto all = static_cast<size_t>(threads);
    // Like parts of an image for all threads: what one reads and writes over is then mostly in its own
    // cache, not in another core's. Three rows or four at least, which kernels compute together.
    const size_t each = threads == 1 ? 1 : std::clamp<size_t>(rows_ / (3 * all), 1, 4);
    tasks_per_image_ = std::min(rows_, each * all);
  }
  size_t tasks() const { return images_ * tasks_per_image_; }
  size_t image(size_t task) const { return task / tasks_per_image_; }
  RowRange rows(size_t task) const {
    const size_t part = task % tasks_per_image_;
    return {part * rows_ / tasks_per_image_, (part + 1) * rows_ / tasks_per_image_};
  }

 private:
  size_t images_ = 0;
  size_t rows_ = 0;
  size_t tasks_per_image_ = 0;
};

// The whole step, where its input and output are whole in the frame.
inline void run_tasks(const RowStep& step, const Frame& frame, const RowTasks& tasks) {
  frame.workers->run(tasks.tasks(), [&](size_t task, size_t worker) {
    const size_t image = tasks.image(task);
    step.run_rows(frame, {step.x_image(frame, image), step.y_image(frame, image)}, image,
                  tasks.rows(task), worker);
  });
}

}  // namespace hone::cpu
