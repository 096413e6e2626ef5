#include "hone/quantize/recover/gram.h"

#include <algorithm>

#include "hone/base/parallel.h"
#include "hone/ops/infer_types.h"

namespace hone {
namespace {

// Rows that are multiplied at a time: the sums of a chunk are added to the rest once per chunk.
constexpr size_t kChunk = 256;

// One product of matrices is one task for the cpu target, so a single large one is cut into equal
// bands of rows, as many as there are threads at most.
size_t bands_of(size_t groups, size_t rows) {
  auto bands = groups == 1 ? static_cast<size_t>(hardware_threads()) : size_t{1};
  while (rows % bands != 0) --bands;
  return bands;
}

Result<std::unique_ptr<Program>> compile(const std::string& text) {
  HONE_TRY(Graph graph, parse_graph(text));
  HONE_RETURN_IF_ERROR(infer_types(graph));
  HONE_TRY(const TargetDef* cpu, find_target("cpu"));
  return cpu->open()->compile(std::move(graph), {});
}

std::string type(std::initializer_list<size_t> shape) {
  return str("f32[", join(shape, ","), "]");
}

// The products of a chunk with itself and with the outputs.
std::string chunk_graph(size_t groups, size_t inputs, size_t outputs) {
  const size_t bands = bands_of(groups, inputs);
  const std::string x = type({groups, kChunk, inputs});
  const std::string t = type({groups, inputs, kChunk});
  const std::string b = type({groups * bands, inputs / bands, kChunk});
  std::string text = str("graph(%x: ", x);
  if (outputs > 0) text += str(", %y: ", type({groups, kChunk, outputs}));
  text += outputs > 0 ? ") -> (%xx, %xy) {\n" : ") -> (%xx) {\n";
  text += str("const %s: i64[3] = {", groups * bands, " ", inputs / bands, " ", kChunk, "}\n");
  text += str("%t: ", t, " = transpose(%x) perm=[0, 2, 1]\n");
  text += str("%b: ", b, " = reshape(%t, %s)\n");
  text += str("%xx: ", type({groups * bands, inputs / bands, inputs}), " = matmul(%b, %x)\n");
  if (outputs > 0) {
    text += str("%xy: ", type({groups * bands, inputs / bands, outputs}), " = matmul(%b, %y)\n");
  }
  return text + "}\n";
}

// The products of the inputs times weights.
std::string times_graph(size_t groups, size_t inputs, size_t outputs) {
  const size_t bands = bands_of(groups, inputs);
  const std::string b = type({groups * bands, inputs / bands, inputs});
  const std::string y = type({groups * bands, inputs / bands, outputs});
  return str("graph(%a: ", type({groups, inputs, inputs}),
             ", %w: ", type({groups, inputs, outputs}), ") -> (%y) {\n", "const %s: i64[3] = {",
             groups * bands, " ", inputs / bands, " ", inputs, "}\n", "%b: ", b,
             " = reshape(%a, %s)\n", "%y: ", y, " = matmul(%b, %w)\n}\n");
}

Tensor zeros(size_t groups, size_t rows, size_t columns) {
  return Tensor(TensorType{
      DType::F32,
      {static_cast<int64_t>(groups), static_cast<int64_t>(rows), static_cast<int64_t>(columns)}});
}

void add_to(Tensor& sums, const Item& item) {
  const auto terms = item.tensor.data<float>();
  const auto to = sums.mutable_data<float>();
  for (size_t i = 0; i < terms.size(); ++i) to[i] += terms[i];
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

Result<GramSums> GramSums::make(size_t groups, size_t inputs, size_t outputs) {
  GramSums sums;
  sums.groups_ = groups;
  sums.inputs_ = inputs;
  sums.outputs_ = outputs;
  HONE_TRY(sums.program_, compile(chunk_graph(groups, inputs, outputs)));
  sums.multiply_ = sums.program_->open();
  sums.chunk_.emplace_back(zeros(groups, kChunk, inputs));
  if (outputs > 0) sums.chunk_.emplace_back(zeros(groups, kChunk, outputs));
  sums.products_ = zeros(groups, inputs, inputs);
  sums.with_outputs_ = zeros(groups, inputs, outputs);
  sums.input_means_.resize(groups * inputs);
  sums.output_means_.resize(groups * outputs);
  sums.output_squares_.resize(groups * outputs);
  return sums;
}

uint64_t GramSums::bytes(size_t groups, size_t inputs, size_t outputs) {
  // The sums, the same of a chunk, and the chunk as it is and transposed.
  const uint64_t sums = 2 * inputs * (inputs + outputs);
  return groups * (sums + kChunk * (2 * inputs + outputs)) * sizeof(float);
}

Status GramSums::add(const float* inputs, const float* outputs) {
  const auto store = [&](const float* from, size_t width, Item& item) {
    const auto to = item.tensor.mutable_data<float>();
    for (size_t g = 0; g < groups_; ++g) {
      std::copy_n(from + g * width, width, &to[(g * kChunk + filled_) * width]);
    }
  };
  store(inputs, inputs_, chunk_[0]);
  for (size_t i = 0; i < input_means_.size(); ++i) input_means_[i] += inputs[i];
  if (outputs_ > 0) {
    store(outputs, outputs_, chunk_[1]);
    for (size_t i = 0; i < output_means_.size(); ++i) {
      output_means_[i] += outputs[i];
      output_squares_[i] += double{outputs[i]} * outputs[i];
    }
  }
  ++rows_;
  return ++filled_ == kChunk ? flush() : Status(Done{});
}

Status GramSums::flush() {
  // What is left of an earlier chunk must not count again.
  for (Item& item : chunk_) {
    const auto x = item.tensor.mutable_data<float>();
    const size_t width = x.size() / groups_ / kChunk;
    for (size_t g = 0; g < groups_; ++g) {
      std::fill_n(&x[0] + (g * kChunk + filled_) * width, (kChunk - filled_) * width, 0.0f);
    }
  }
  filled_ = 0;
  HONE_RETURN_IF_ERROR(multiply_->run(chunk_, result_));
  add_to(products_, result_[0]);
  if (outputs_ > 0) add_to(with_outputs_, result_[1]);
  return Done{};
}

Status GramSums::finish(bool centered) {
  if (rows_ == 0) return bad_input("no rows to round the weights for");
  if (filled_ > 0) HONE_RETURN_IF_ERROR(flush());
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
  chunk_.clear();
  result_.clear();
  multiply_.reset();
  program_.reset();
  return Done{};
}

std::span<const float> GramSums::products(size_t group) const {
  return products_.data<float>().subspan(group * inputs_ * inputs_, inputs_ * inputs_);
}

std::span<const float> GramSums::with_outputs(size_t group) const {
  return with_outputs_.data<float>().subspan(group * inputs_ * outputs_, inputs_ * outputs_);
}

Result<Tensor> GramSums::times(const Tensor& weights) const {
  const auto outputs = static_cast<size_t>(weights.shape().back());
  HONE_TRY(const auto program, compile(times_graph(groups_, inputs_, outputs)));
  HONE_TRY(std::vector<Item> result, program->run({products_, weights}));
  return result[0].tensor.reshaped(weights.shape());
}

}  // namespace hone
