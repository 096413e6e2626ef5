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
    const size_t parts = threads == 1 ? 1 : 4 * static_cast<size_t>(threads);
    // Two rows at least: kernels share what neighbouring rows read.
    per_task_ = std::max<size_t>(2, (rows_ + parts - 1) / parts);
    tasks_per_image_ = (rows_ + per_task_ - 1) / per_task_;
  }
  size_t tasks() const { return images_ * tasks_per_image_; }
  size_t image(size_t task) const { return task / tasks_per_image_; }
  size_t begin(size_t task) const { return task % tasks_per_image_ * per_task_; }
  size_t end(size_t task) const { return std::min(rows_, begin(task) + per_task_); }
  RowRange rows(size_t task) const { return {begin(task), end(task)}; }

 private:
  size_t images_ = 0;
  size_t rows_ = 0;
  size_t per_task_ = 1;
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
