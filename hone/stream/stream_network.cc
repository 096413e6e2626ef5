#include "hone/stream/stream_network.h"

#include <algorithm>

#include "hone/audio/mfcc.h"

namespace hone {
namespace {

// [1, 49, 10, 1] and the like: extents other than 1 are rows and coefficients.
Result<int> rows_of(const TensorType& type) {
  Shape extents;
  std::ranges::copy_if(type.shape, std::back_inserter(extents),
                       [](int64_t extent) { return extent != 1; });
  const int coefficients = MfccOptions().coefficients;
  if (extents.size() == 2 && extents[1] == coefficients && extents[0] <= 1000) {
    return static_cast<int>(extents[0]);
  }
  return bad_input("takes ", type, ", expected rows of ", coefficients,
                   " coefficients of speech such as [1, 49, ", coefficients, ", 1]");
}

// Whether the values that the caller gets are probabilities already.
bool ends_in_softmax(const c_code::Plan& plan) {
  const auto makes = [&](const c_code::Step& step) { return step.write == plan.outputs[0]; };
  const auto last = std::ranges::find_if(plan.steps, makes);
  return last != plan.steps.end() && last->node->op == "softmax";
}

Result<StreamInterface> interface_of(const c_code::Plan& plan) {
  if (plan.inputs.size() != 1 || plan.outputs.size() != 1) {
    return bad_input("has ", plan.inputs.size(), " inputs and ", plan.outputs.size(),
                     " outputs, expected one of each");
  }
  const TensorType& input = plan.inputs[0]->type.tensor;
  const TensorType& output = plan.outputs[0]->type.tensor;
  HONE_TRY(const int rows, rows_of(input));
  return StreamInterface{.rows = rows,
                         .input_scale = input.quant->scale(),
                         .input_zero = input.quant->zero_point(),
                         .outputs = static_cast<size_t>(output.elements()),
                         .output_scale = output.quant->scale(),
                         .output_zero = output.quant->zero_point(),
                         .softmax = !ends_in_softmax(plan)};
}

}  // namespace

Result<StreamNetwork> StreamNetwork::make(const Graph& graph, const std::string& device,
                                          const CompileOptions& options) {
  CompileOptions alone = options;
  alone.threads = 1;  // There is too little to share out.
  auto made = c_code::make_plan(std::move(*graph.clone()), alone);
  if (!made.ok()) {
    Error error = std::move(made).error();
    if (error.hint.kind == HintKind::QuantizedModel) error.hint.of = device;
    return error;
  }
  auto plan = std::make_unique<c_code::Plan>(*std::move(made));
  HONE_TRY(const StreamInterface interface, interface_of(*plan));
  // The cpu target has the reference's bits, and takes a hundredth of its time.
  HONE_TRY(c_code::Reference reference, c_code::Reference::make(graph, *plan, "cpu"));
  return StreamNetwork(std::move(plan), std::move(reference), interface);
}

Result<std::vector<int8_t>> StreamNetwork::run(std::span<const int8_t> input) const {
  c_code::Bytes bytes;
  bytes.emplace_back(plan_->inputs[0]->type.tensor);
  std::ranges::copy(input, bytes[0].mutable_data<int8_t>().begin());
  HONE_TRY(const std::vector<Tensor> outputs, reference_.run(bytes));
  const std::span<const int8_t> output = outputs[0].data<int8_t>();
  return std::vector<int8_t>(output.begin(), output.end());
}

}  // namespace hone
