// Inputs of a network of integers with what the reference makes of them.
#pragma once

#include "hone/targets/c_code/write_project.h"

namespace hone::c_code {

// Inputs of one run, in the order of Plan::inputs.
using Bytes = std::vector<Tensor>;

// Every value of a byte, in no order.
std::vector<Bytes> noise_inputs(const Plan& plan, size_t count);

// The bytes that stand for given values: of floats the nearest ones, of uint8 those 128 less.
Bytes as_bytes(const std::vector<Item>& inputs, const Plan& plan);

// A network as the reference computes it, from bytes to bytes.
class Reference {
 public:
  // `given` is the graph that the plan was made of. Other targets than `ref` that have its bits are faster.
  static Result<Reference> make(const Graph& given, const Plan& plan,
                                std::string_view target = "ref");

  Result<std::vector<Tensor>> run(const Bytes& inputs) const;

 private:
  Reference(std::unique_ptr<Program> program, std::vector<TensorType> inputs,
            std::vector<TensorType> outputs)
      : program_(std::move(program)), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  std::unique_ptr<Program> program_;
  std::vector<TensorType> inputs_;  // As the file has them: bytes become what they stand for there.
  std::vector<TensorType> outputs_;  // As the plan has them.
};

// `given` is the graph that the plan was made of.
Result<std::vector<TestVector>> reference_tests(const Graph& given, const Plan& plan,
                                                const std::vector<Bytes>& inputs);

}  // namespace hone::c_code
