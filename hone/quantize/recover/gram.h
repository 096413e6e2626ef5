// Sums of products of what a layer reads and of what it shall make, over many rows: all that the
// squared error of the layer's result depends on, in memory that does not grow with the rows.
#pragma once

#include <span>
#include <vector>

#include "hone/base/result.h"
#include "hone/tensor/tensor.h"

namespace hone {

// With rows x of `inputs` and y of `outputs` numbers in each group, the means over the rows of
//   x_i x_j   groups x inputs x inputs
//   x_i y_o   groups x inputs x outputs
// less, where they are centered, the products of the means.
class GramSums {
 public:
  // Without outputs only the first is summed.
  static GramSums make(size_t groups, size_t inputs, size_t outputs);
  // What an object of these sizes holds while it sums.
  static uint64_t bytes(size_t groups, size_t inputs, size_t outputs);

  // One row: groups * inputs and groups * outputs numbers, the latter null where there are none.
  void add(const float* inputs, const float* outputs);
  // Ends the sums: nothing may be added after. BadInput when there was no row.
  Status finish(bool centered);

  int64_t rows() const { return rows_; }
  // These require finish.
  std::span<const float> products(size_t group) const;
  std::span<const float> with_outputs(size_t group) const;
  const std::vector<double>& input_means() const { return input_means_; }
  const std::vector<double>& output_means() const { return output_means_; }
  // The mean squares of the outputs, less those of the means where centered.
  const std::vector<double>& output_squares() const { return output_squares_; }
  // The products times weights of groups x inputs x outputs, the number of outputs free.
  Tensor times(const Tensor& weights) const;

 private:
  void flush();

  size_t groups_ = 1;
  size_t inputs_ = 0;
  size_t outputs_ = 0;
  int64_t rows_ = 0;
  size_t filled_ = 0;  // Rows in the chunk that are not in the sums yet.
  // By group and number, then row: what is summed over lies side by side.
  std::vector<float> chunk_inputs_;
  std::vector<float> chunk_outputs_;
  Tensor products_;
  Tensor with_outputs_;
  std::vector<double> input_means_;  // Sums until finish.
  std::vector<double> output_means_;
  std::vector<double> output_squares_;
};

}  // namespace hone
