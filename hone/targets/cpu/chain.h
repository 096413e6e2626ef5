// Layers that run together, a stripe of rows at a time, so that what one hands to the next stays in
// the second-level cache and is never whole.
#pragma once

#include <array>
#include <vector>

#include "hone/targets/cpu/row_step.h"

namespace hone::cpu {

class Chain {
 public:
  static constexpr size_t kMostParts = 12;

  // Each part reads what the one before it writes. Stripes are as high as `most_bytes` for
  // rows_bytes() allows, but of four rows at least, where there are as many.
  Chain(std::vector<const RowStep*> parts, size_t threads, size_t most_bytes);

  size_t parts() const { return parts_.size(); }
  // Of the rows that a worker has at hand at once, those it reads first and writes last included.
  size_t rows_bytes() const { return rows_bytes_; }
  // Work that is done twice, by tasks that meet in an image, as a part of all.
  double overlap() const { return overlap_; }
  // A run goes through the weights of all parts this often.
  size_t stripes() const;
  // What part `link` hands on needs this many bytes of memory for each worker.
  size_t buffer_bytes(size_t link) const { return buffers_[link]; }

  // The links are in the memory of their slots. `seconds` is null, or has for each worker and part
  // the time it took, which is added to.
  void run(const Frame& frame, double* seconds) const;

 private:
  // How far a worker has come with an image: rows of every link that are there and still needed, and
  // the rows that every part computes next.
  struct Progress {
    std::array<RowRange, kMostParts> held = {};
    std::array<RowRange, kMostParts> next = {};
  };
  // A part's output, or what there is of it: `buffer` has the rows from `first` on.
  struct Link {
    std::byte* buffer = nullptr;
    size_t first = 0;
  };
  using Links = std::array<Link, kMostParts>;

  const RowShape& last() const { return parts_.back()->row_shape; }
  size_t tasks() const { return last().images * tasks_per_image_; }
  RowRange rows_of(size_t task) const;
  void cut_into_tasks(size_t threads);
  // Sets overlap_, too.
  void cut_into(size_t tasks);
  // Sets buffers_ and rows_bytes_ to what stripes of this height need.
  void measure(size_t height);
  void advance(const RowRange& stripe, Progress& progress) const;
  void run_task(const Frame& frame, size_t task, size_t worker, double* seconds) const;
  void run_part(const Frame& frame, size_t part, size_t image, const Progress& progress,
                Links& links, size_t worker) const;
  void make_room(size_t part, const Progress& progress, Link& link) const;

  std::vector<const RowStep*> parts_;
  size_t tasks_per_image_ = 1;
  size_t rows_per_task_ = 0;
  double overlap_ = 0;
  size_t height_ = 0;
  size_t rows_bytes_ = 0;
  std::array<size_t, kMostParts> buffers_ = {};
};

}  // namespace hone::cpu
