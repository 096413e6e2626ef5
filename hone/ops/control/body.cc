#include "hone/ops/control/body.h"

#include <algorithm>

#include "hone/ops/common.h"
#include "hone/ops/infer_types.h"
#include "hone/tensor/dispatch.h"

namespace hone {

const Graph& body_of(const NodeContext& in, std::string_view attr) {
  return *in.attr<std::shared_ptr<Graph>>(attr);
}

Result<size_t> own_inputs(const NodeContext& in, size_t fewest) {
  const auto inputs = static_cast<int64_t>(in.node().inputs.size());
  const int64_t captures = in.integer("captures");
  if (captures < 0 || captures > inputs - static_cast<int64_t>(fewest)) {
    return bad_input("has ", inputs, " inputs and says that ", captures, " of them are captured");
  }
  return static_cast<size_t>(inputs - captures);
}

Status check_body(const Graph& body, size_t inputs, size_t outputs) {
  if (body.inputs().size() != inputs) {
    return bad_input("the body takes ", body.inputs().size(), " values, expected ", inputs);
  }
  if (body.outputs().size() < outputs) {
    return bad_input("the body gives ", body.outputs().size(), " values, expected ", outputs);
  }
  return Done{};
}

ValueType type_from_body(const Value* made, const Value& declared) {
  ValueType type = declared.type;
  const bool told = made->type.tensor.dtype != DType::Undefined || !made->type.is_tensor();
  if (told) type = made->type;
  type.tensor = TensorType::unranked(type.tensor.dtype);
  return type;
}

std::vector<ValueType> types_in_body(const Graph& body,
                                     const std::vector<const ValueType*>& given) {
  const std::unique_ptr<Graph> copy = body.clone();
  for (size_t i = 0; i < given.size(); ++i) {
    Value& input = *copy->inputs()[i];
    input.type =
        given[i] != nullptr ? *given[i] : ValueType(TensorType::unranked(DType::Undefined));
  }
  if (!infer_types(*copy).ok()) return {};
  std::vector<ValueType> types;
  for (const Value* output : copy->outputs()) types.push_back(output->type);
  return types;
}

std::vector<ValueType> types_without_a_run(const Graph& body, const std::vector<ValueType>& given) {
  std::vector<ValueType> types;
  for (const Value* output : body.outputs()) types.push_back(output->type);
  std::vector<const ValueType*> inputs;
  for (const ValueType& type : given) inputs.push_back(&type);
  const std::vector<ValueType> inferred = types_in_body(body, inputs);
  for (size_t i = 0; i < inferred.size(); ++i) {
    const bool told = inferred[i].is_tensor() && inferred[i].tensor.dtype != DType::Undefined;
    if (told && inferred[i].tensor.ranked) types[i] = inferred[i];
  }
  return types;
}

ValueType type_of(const Item& item) {
  if (item.is_tensor()) return item.tensor.type();
  const auto element =
      TensorType::unranked(item.sequence.empty() ? DType::Undefined : item.sequence[0].dtype());
  return item.is_sequence() ? ValueType::sequence_of(element) : ValueType(element);
}

std::vector<const ValueType*> types_from(const InferContext& in, size_t first) {
  std::vector<const ValueType*> types;
  for (size_t i = first; i < in.inputs(); ++i) {
    types.push_back(in.has(i) ? &in.value_type(i) : nullptr);
  }
  return types;
}

void take_extents(ValueType& type, const ValueType& inferred) {
  if (!type.is_tensor() || !inferred.is_tensor() || !inferred.tensor.ranked) return;
  type.tensor.shape = inferred.tensor.shape;
  type.tensor.ranked = true;
}

std::vector<Item> items_from(const EvalContext& in, size_t first) {
  std::vector<Item> items;
  for (size_t i = first; i < in.inputs(); ++i) items.push_back(in.has(i) ? in.item(i) : Item());
  return items;
}

Result<bool> truth_of(const Item& item) {
  if (!item.is_tensor() || item.tensor.dtype() != DType::Bool || item.tensor.elements() != 1) {
    return bad_input("the condition is ",
                     item.is_tensor() ? text_of(item.tensor.type()) : "no tensor",
                     ", expected bool[]");
  }
  return item.tensor.data<bool>()[0];
}

Tensor slice_at(const Tensor& tensor, size_t axis, int64_t index) {
  const AxisSplit split = split_at(tensor.shape(), axis);
  TensorType type = plain(tensor.type());
  type.shape.erase(type.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  Tensor slice(std::move(type));
  dispatch_by_size(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = raw<T>(tensor) + index * split.inner;
    T* to = mutable_raw<T>(slice);
    for (int64_t o = 0; o < split.outer; ++o) {
      std::copy_n(from + o * split.n * split.inner, split.inner, to + o * split.inner);
    }
  });
  return slice;
}

namespace {

Result<TensorType> common_type(const std::vector<Item>& items) {
  for (const Item& item : items) {
    if (!item.is_tensor()) return bad_input("a scan output is no tensor");
    if (item.tensor.type() == items[0].tensor.type()) continue;
    return bad_input("a scan output is ", items[0].tensor.type(), " in one iteration and ",
                     item.tensor.type(), " in another");
  }
  if (is_small(items[0].tensor.dtype())) {
    return unsupported("a scan output of ", items[0].tensor.dtype());
  }
  return plain(items[0].tensor.type());
}

// For `count` tensors of that type; the result and the axis that it has more.
struct Stacked {
  Tensor tensor;
  size_t axis;
};
Result<Stacked> make_stacked(TensorType type, int64_t axis, int64_t count) {
  HONE_TRY(const size_t at, resolve_axis(axis, type.rank() + 1));
  type.shape.insert(type.shape.begin() + static_cast<std::ptrdiff_t>(at), count);
  HONE_RETURN_IF_ERROR(type.check());
  return Stacked{Tensor(std::move(type)), at};
}

}  // namespace

Result<Tensor> stack(const std::vector<Item>& items, int64_t axis) {
  HONE_TRY(TensorType type, common_type(items));
  const auto count = static_cast<int64_t>(items.size());
  HONE_TRY(Stacked result, make_stacked(std::move(type), axis, count));
  const AxisSplit split = split_at(result.tensor.shape(), result.axis);
  dispatch_by_size(result.tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = mutable_raw<T>(result.tensor);
    for (int64_t i = 0; i < count; ++i) {
      const T* from = raw<T>(items[static_cast<size_t>(i)].tensor);
      for (int64_t o = 0; o < split.outer; ++o) {
        std::copy_n(from + o * split.inner, split.inner, to + (o * count + i) * split.inner);
      }
    }
  });
  return std::move(result.tensor);
}

Result<Tensor> stack_none(const ValueType& value, int64_t axis) {
  TensorType type = plain(value.tensor);
  if (type.dtype == DType::Undefined) {
    return unsupported("runs zero times and does not say of what type its results would be");
  }
  std::ranges::replace(type.shape, kUnknown, int64_t{0});
  type.ranked = true;
  HONE_TRY(Stacked result, make_stacked(std::move(type), axis, 0));
  return std::move(result.tensor);
}

}  // namespace hone
