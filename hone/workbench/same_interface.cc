#include "hone/workbench/same_interface.h"

#include "hone/base/check.h"
#include "hone/ops/movement/transpose_tflite.h"  // transposed
#include "hone/ops/quant/rounding.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

using Converted = IntegerIo::Converted;

Tensor quantized(const Tensor& floats, const Converted& to) {
  Tensor codes(TensorType{to.dtype, floats.shape()});
  const std::span<const float> from = floats.data<float>();
  dispatch_integer(to.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::span<T> stored = codes.mutable_data<T>();
    for (size_t i = 0; i < stored.size(); ++i) {
      stored[i] = round_and_saturate<T>(from[i] / to.scale, to.zero_point);
    }
  });
  return codes;
}

Tensor dequantized(const Tensor& codes, const Converted& from) {
  std::vector<float> floats;
  for (const int64_t code : to_ints(codes)) {
    floats.push_back(static_cast<float>(code - from.zero_point) * from.scale);
  }
  return Tensor::of<float>(codes.shape(), floats);
}

class SameInterfaceSession final : public Session {
 public:
  SameInterfaceSession(std::unique_ptr<Session> session, const IoChange& io)
      : session_(std::move(session)), io_(io) {}

  Status run(const std::vector<Item>& inputs, std::vector<Item>& outputs) override {
    std::vector<Item> made;
    HONE_RETURN_IF_ERROR(session_->run(as_taken(io_, inputs), made));
    outputs = as_given(io_, std::move(made));
    return Done{};
  }

  Status run_observed(const std::vector<Item>& inputs, std::vector<Item>& outputs,
                      StepObserver& observer) override {
    std::vector<Item> made;
    HONE_RETURN_IF_ERROR(session_->run_observed(as_taken(io_, inputs), made, observer));
    outputs = as_given(io_, std::move(made));
    return Done{};
  }

 private:
  std::unique_ptr<Session> session_;
  const IoChange& io_;
};

class SameInterfaceProgram final : public Program {
 public:
  SameInterfaceProgram(const Program& program, IoChange io)
      : program_(program), io_(std::move(io)) {}

  std::unique_ptr<Session> open() const override {
    return std::make_unique<SameInterfaceSession>(program_.open(), io_);
  }
  const Graph& graph() const override { return program_.graph(); }
  std::vector<StepInfo> steps() const override { return program_.steps(); }

 private:
  const Program& program_;
  IoChange io_;
};

}  // namespace

std::vector<Item> as_taken(const IoChange& io, std::vector<Item> inputs) {
  for (const Converted& input : io.integers.inputs) {
    Tensor& tensor = inputs[input.position].tensor;
    tensor = quantized(tensor, input);
  }
  for (const size_t position : io.channels_last) {
    Tensor& tensor = inputs[position].tensor;
    tensor = transposed(tensor, {0, 2, 3, 1});
  }
  return inputs;
}

std::vector<Item> as_given(const IoChange& io, std::vector<Item> outputs) {
  for (const Converted& output : io.integers.outputs) {
    Tensor& tensor = outputs[output.position].tensor;
    tensor = dequantized(tensor, output);
  }
  return outputs;
}

std::unique_ptr<Program> with_same_interface(const Program& program, const IoChange& io) {
  return std::make_unique<SameInterfaceProgram>(program, io);
}

}  // namespace hone
