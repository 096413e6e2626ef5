#include "tests/random/graph_maker.h"

#include <algorithm>

#include "hone/ops/infer_types.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

// Larger values would make a thousand graphs slow.
constexpr int64_t kMostElements = 4000;

bool is_cheap(const ValueType& type) {
  return type.is_tensor() && type.tensor.known() && type.tensor.elements() <= kMostElements;
}

}  // namespace

Value* GraphMaker::input(DType dtype, Shape shape) {
  Value* value = graph_.add_input(str("x", graph_.inputs().size()), ValueType(dtype, shape));
  pool_.push_back(value);
  return value;
}

Value* GraphMaker::constant(Tensor tensor) {
  return graph_.add_constant("c", std::move(tensor));
}

Value* GraphMaker::floats(Shape shape, double low, double high) {
  Tensor tensor(TensorType{DType::F32, std::move(shape)});
  for (float& x : tensor.mutable_data<float>()) x = static_cast<float>(dice.real(low, high));
  return constant(std::move(tensor));
}

Value* GraphMaker::integers(DType dtype, Shape shape, int64_t low, int64_t high) {
  Tensor tensor(TensorType{dtype, std::move(shape)});
  dispatch_integer(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (T& x : tensor.mutable_data<T>()) x = static_cast<T>(dice.between(low, high));
  });
  return constant(std::move(tensor));
}

Node* GraphMaker::add(std::string_view op, std::vector<Value*> inputs, Attrs attrs,
                      size_t outputs) {
  if (std::ranges::find(inputs.begin(), inputs.begin() + 1, nullptr) != inputs.begin() + 1) {
    return nullptr;
  }
  Node* node = graph_.add_node(op, std::move(inputs), std::vector<ValueType>(outputs),
                               std::move(attrs), str(op, graph_.node_count()));
  const OpDef& def = *find_op(op);
  const InferContext context = static_context(def, *node);
  std::vector<const ValueType*> types;
  for (const Value* value : node->inputs) types.push_back(value ? &value->type : nullptr);
  auto inferred = check_node(def, *node, types).ok()
                      ? def.infer(context)
                      : Result<std::vector<ValueType>>(bad_input("operands"));
  const bool fits = inferred.ok() && std::ranges::all_of(*inferred, is_cheap);
  if (!fits) {
    graph_.erase(node, "random");
    return nullptr;
  }
  for (size_t i = 0; i < outputs; ++i) {
    node->outputs[i]->type = (*inferred)[i];
    pool_.push_back(node->outputs[i]);
  }
  return node;
}

Value* GraphMaker::apply(std::string_view op, std::vector<Value*> inputs, Attrs attrs) {
  Node* node = add(op, std::move(inputs), std::move(attrs));
  return node == nullptr ? nullptr : node->outputs[0];
}

void GraphMaker::hide(const Value* value) {
  std::erase(pool_, value);
}

Value* GraphMaker::pick(DType dtype, int64_t rank) {
  std::vector<Value*> fitting;
  for (Value* value : pool_) {
    const TensorType& type = value->type.tensor;
    if (type.dtype == dtype && (rank < 0 || type.rank() == rank)) fitting.push_back(value);
  }
  return fitting.empty() ? nullptr : dice.one_of(fitting);
}

Shape GraphMaker::shape(int64_t rank, int64_t largest) {
  Shape shape;
  for (int64_t i = 0; i < rank; ++i) shape.push_back(dice.between(1, largest));
  return shape;
}

Graph GraphMaker::finish() {
  for (const Node* node : graph_.nodes()) {
    for (Value* value : node->outputs) {
      if (value->users.empty()) graph_.add_output(value);
    }
  }
  graph_.remove_unused_constants();
  return std::move(graph_);
}

}  // namespace hone
