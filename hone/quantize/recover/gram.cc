#include "hone/quantize/recover/gram.h"

#include <algorithm>

#include "hone/quantize/recover/matrix_product.h"

namespace hone {
namespace {

// Rows that are multiplied at a time.
constexpr size_t kGramChunk = 256;

Tensor zeros(size_t groups, size_t rows, size_t columns) {
  return Tensor(TensorType{
      DType::F32,
      {static_cast<int64_t>(groups), static_cast<int64_t>(rows), static_cast<int64_t>(columns)}});
}

// From sums to means, less the product of the means.
void center(std::span<float> sums, std::span<const double> left, std::span<const double> right,
            double share) {
  for (size_t i = 0; i < left.size(); ++i) {
    for (size_t j = 0; j < right.size(); ++j) {
      float& sum = sums[i * right.size() + j];
      sum = static_cast<float>(sum * share - left[i] * right[j]);
    }
  }
}

}  // namespace

GramSums GramSums::make(size_t groups, size_t inputs, size_t outputs) {
  GramSums sums;
  sums.groups_ = groups;
  sums.inputs_ = inputs;
  sums.outputs_ = outputs;
  sums.chunk_inputs_.resize(groups * inputs * kGramChunk);
  sums.chunk_outputs_.resize(groups * outputs * kGramChunk);
  sums.products_ = zeros(groups, inputs, inputs);
  sums.with_outputs_ = zeros(groups, inputs, outputs);
  sums.input_means_.resize(groups * inputs);
  sums.output_means_.resize(groups * outputs);
  sums.output_squares_.resize(groups * outputs);
  return sums;
}

uint64_t GramSums::bytes(size_t groups, size_t inputs, size_t outputs) {
  return groups * (inputs + kGramChunk) * (inputs + outputs) * sizeof(float);
}

void GramSums::add(const float* inputs, const float* outputs) {
  for (size_t i = 0; i < input_means_.size(); ++i) {
    chunk_inputs_[i * kGramChunk + filled_] = inputs[i];
    input_means_[i] += inputs[i];
  }
  for (size_t i = 0; i < output_means_.size(); ++i) {
    chunk_outputs_[i * kGramChunk + filled_] = outputs[i];
    output_means_[i] += outputs[i];
    output_squares_[i] += double{outputs[i]} * outputs[i];
  }
  ++rows_;
  if (++filled_ == kGramChunk) flush();
}

void GramSums::flush() {
  // What is left of an earlier chunk must not count again.
  for (std::vector<float>* chunk : {&chunk_inputs_, &chunk_outputs_}) {
    for (size_t i = 0; i < chunk->size(); i += kGramChunk) {
      std::fill_n(&(*chunk)[i + filled_], kGramChunk - filled_, 0.0f);
    }
  }
  filled_ = 0;
  const auto xx = products_.mutable_data<float>();
  const auto xy = with_outputs_.mutable_data<float>();
  for (size_t g = 0; g < groups_; ++g) {
    const float* x = &chunk_inputs_[g * inputs_ * kGramChunk];
    add_product(x, inputs_, kGramChunk, {x, inputs_, kGramChunk, 1}, &xx[g * inputs_ * inputs_]);
    if (outputs_ == 0) continue;
    const float* y = &chunk_outputs_[g * outputs_ * kGramChunk];
    add_product(x, inputs_, kGramChunk, {y, outputs_, kGramChunk, 1}, &xy[g * inputs_ * outputs_]);
  }
}

Status GramSums::finish(bool centered) {
  if (rows_ == 0) return bad_input("no rows to round the weights for");
  if (filled_ > 0) flush();
  const double share = 1 / static_cast<double>(rows_);
  for (double& mean : input_means_) mean *= share;
  for (double& mean : output_means_) mean *= share;
  std::vector<double> x(input_means_.size());
  std::vector<double> y(output_means_.size());
  if (centered) {
    x = input_means_;
    y = output_means_;
  }
  for (size_t i = 0; i < y.size(); ++i) {
    output_squares_[i] = output_squares_[i] * share - y[i] * y[i];
  }
  const auto xx = products_.mutable_data<float>();
  const auto xy = with_outputs_.mutable_data<float>();
  for (size_t g = 0; g < groups_; ++g) {
    const auto xg = std::span(x).subspan(g * inputs_, inputs_);
    const auto yg = std::span(y).subspan(g * outputs_, outputs_);
    center(xx.subspan(g * inputs_ * inputs_, inputs_ * inputs_), xg, xg, share);
    center(xy.subspan(g * inputs_ * outputs_, inputs_ * outputs_), xg, yg, share);
  }
  chunk_inputs_ = {};
  chunk_outputs_ = {};
  return Done{};
}

std::span<const float> GramSums::products(size_t group) const {
  return products_.data<float>().subspan(group * inputs_ * inputs_, inputs_ * inputs_);
}

std::span<const float> GramSums::with_outputs(size_t group) const {
  return with_outputs_.data<float>().subspan(group * inputs_ * outputs_, inputs_ * outputs_);
}

Tensor GramSums::times(const Tensor& weights) const {
  const auto outputs = static_cast<size_t>(weights.shape().back());
  Tensor result = zeros(groups_, inputs_, outputs);
  const auto w = weights.data<float>();
  const auto y = result.mutable_data<float>();
  for (size_t g = 0; g < groups_; ++g) {
    const size_t at = g * inputs_ * outputs;
    add_product(products(g).data(), inputs_, inputs_, {&w[at], outputs, 1, outputs}, &y[at]);
  }
  return result.reshaped(weights.shape());
}

}  // namespace hone
