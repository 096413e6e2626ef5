#include "hone/targets/step_kind.h"

#include <algorithm>
#include <iterator>

#include "hone/base/check.h"
#include "hone/graph/graph.h"

namespace hone {
namespace {

template <class E>
struct Named {
  E value;
  std::string_view name;
};

constexpr Named<StepFamily> kFamilies[] = {
    {StepFamily::Other, "other"},
    {StepFamily::Product, "product"},
    {StepFamily::Winograd, "winograd"},
    {StepFamily::Depthwise, "depthwise"},
    {StepFamily::Hybrid, "hybrid"},
    {StepFamily::Recurrent, "recurrent"},
    {StepFamily::Elementwise, "elementwise"},
    {StepFamily::Rows, "rows"},
    {StepFamily::Pool, "pool"},
    {StepFamily::Resize, "resize"},
    {StepFamily::Movement, "movement"},
    {StepFamily::Conversion, "conversion"},
    {StepFamily::Communication, "communication"},
    {StepFamily::Nothing, "nothing"},
};

constexpr Named<Arithmetic> kArithmetics[] = {
    {Arithmetic::Unknown, ""},    {Arithmetic::Fp64, "fp64"},   {Arithmetic::Fp32, "fp32"},
    {Arithmetic::Tf32, "tf32"},   {Arithmetic::Fp16, "fp16"},   {Arithmetic::Bf16, "bf16"},
    {Arithmetic::Fp8, "fp8"},     {Arithmetic::Fp4, "fp4"},     {Arithmetic::Int64, "int64"},
    {Arithmetic::Int32, "int32"}, {Arithmetic::Int16, "int16"}, {Arithmetic::Int8, "int8"},
    {Arithmetic::Int4, "int4"},   {Arithmetic::Int2, "int2"},   {Arithmetic::Bool, "bool"},
    {Arithmetic::Text, "text"},
};

template <class E, size_t kCount>
std::string_view name_in(const Named<E> (&table)[kCount], E value) {
  const auto* found = std::ranges::find(table, value, &Named<E>::value);
  HONE_CHECK(found != std::end(table), "a value without a name");
  return found->name;
}

template <class E, size_t kCount>
std::optional<E> named_in(const Named<E> (&table)[kCount], std::string_view name) {
  const auto* found = std::ranges::find(table, name, &Named<E>::name);
  if (found == std::end(table)) return std::nullopt;
  return found->value;
}

Arithmetic arithmetic_on(DType dtype) {
  switch (dtype) {
    case DType::Undefined:
      return Arithmetic::Unknown;
    case DType::F64:
      return Arithmetic::Fp64;
    case DType::F32:
      return Arithmetic::Fp32;
    case DType::F16:
      return Arithmetic::Fp16;
    case DType::BF16:
      return Arithmetic::Bf16;
    case DType::F8E4M3FN:
    case DType::F8E4M3FNUZ:
    case DType::F8E5M2:
    case DType::F8E5M2FNUZ:
      return Arithmetic::Fp8;
    case DType::F4E2M1:
      return Arithmetic::Fp4;
    case DType::I64:
    case DType::U64:
      return Arithmetic::Int64;
    case DType::I32:
    case DType::U32:
      return Arithmetic::Int32;
    case DType::I16:
    case DType::U16:
      return Arithmetic::Int16;
    case DType::I8:
    case DType::U8:
      return Arithmetic::Int8;
    case DType::I4:
    case DType::U4:
      return Arithmetic::Int4;
    case DType::I2:
    case DType::U2:
      return Arithmetic::Int2;
    case DType::Bool:
      return Arithmetic::Bool;
    case DType::String:
      return Arithmetic::Text;
  }
  return Arithmetic::Unknown;
}

}  // namespace

std::string_view name_of(StepFamily family) {
  return name_in(kFamilies, family);
}

std::optional<StepFamily> family_named(std::string_view name) {
  return named_in(kFamilies, name);
}

std::string_view name_of(Arithmetic arithmetic) {
  return name_in(kArithmetics, arithmetic);
}

std::optional<Arithmetic> arithmetic_named(std::string_view name) {
  return named_in(kArithmetics, name);
}

bool is_integer(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::Int64:
    case Arithmetic::Int32:
    case Arithmetic::Int16:
    case Arithmetic::Int8:
    case Arithmetic::Int4:
    case Arithmetic::Int2:
      return true;
    default:
      return false;
  }
}

Arithmetic arithmetic_of(const Node& node) {
  for (const Value* value : node.inputs) {
    if (value == nullptr || !value->type.is_tensor()) continue;
    return arithmetic_on(value->type.tensor.dtype);
  }
  return Arithmetic::Unknown;
}

bool runs_plain_kernel(const StepKind& kind) {
  return kind.variant == "ref";
}

std::string kernel_name(const StepKind& kind) {
  return kind.variant.empty() ? kind.work : kind.work + " " + kind.variant;
}

StepKind reference_kind(const Node& node) {
  return {.work = "reference", .precision = arithmetic_of(node), .reference = true};
}

}  // namespace hone
