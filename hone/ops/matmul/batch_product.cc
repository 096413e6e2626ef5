#include "hone/ops/matmul/batch_product.h"

namespace hone {
namespace {

// Operands of rank 1 made matrices.
Shape left_matrix(Shape a) {
  if (a.size() == 1) a.insert(a.begin(), 1);
  return a;
}
Shape right_matrix(Shape b) {
  if (b.size() == 1) b.push_back(1);
  return b;
}

Shape batch_of(const Shape& matrices) {
  return {matrices.begin(), matrices.end() - 2};
}

// Strides of the batch axes of `shape`, broadcast to `batch`, in elements.
std::vector<int64_t> batch_strides(const Shape& shape, const Shape& batch) {
  std::vector<int64_t> strides = broadcast_strides(batch_of(shape), batch);
  for (int64_t& stride : strides) stride *= shape[shape.size() - 2] * shape.back();
  return strides;
}

}  // namespace

Result<Shape> product_shape(const Shape& a, const Shape& b) {
  if (a.empty() || b.empty()) return bad_input("a matrix product of a scalar");
  const Shape left = left_matrix(a);
  const Shape right = right_matrix(b);
  const int64_t inner = right[right.size() - 2];
  if (left.back() != inner && left.back() != kUnknown && inner != kUnknown) {
    return bad_input("a matrix product of ", text_of(a), " and ", text_of(b), ": ", left.back(),
                     " columns meet ", inner, " rows");
  }
  HONE_TRY(Shape shape, broadcast(batch_of(left), batch_of(right)));
  if (a.size() > 1) shape.push_back(left[left.size() - 2]);
  if (b.size() > 1) shape.push_back(right.back());
  return shape;
}

Result<TensorType> product_type(const InferContext& in, DType dtype, size_t a, size_t b) {
  if (!in.type(a).ranked || !in.type(b).ranked) return TensorType::unranked(dtype);
  HONE_TRY(Shape shape, product_shape(in.type(a).shape, in.type(b).shape));
  return TensorType{dtype, std::move(shape)};
}

int64_t product_or_zero(std::span<const int64_t> factors) {
  int64_t product = 1;
  for (const int64_t factor : factors) {
    if (factor < 0 || __builtin_mul_overflow(product, factor, &product)) return 0;
  }
  return product;
}

Cost product_cost(const InferContext& in, size_t a, size_t b) {
  if (!in.type(a).ranked || !in.type(b).ranked) return {};
  auto shape = product_shape(in.type(a).shape, in.type(b).shape);
  if (!shape.ok()) return {};
  shape->push_back(in.type(a).shape.back());
  return {.macs = product_or_zero(*shape), .flops = 0};
}

BatchProduct::BatchProduct(Shape a, Shape b) {
  a = left_matrix(std::move(a));
  b = right_matrix(std::move(b));
  rows = a[a.size() - 2];
  depth = a.back();
  columns = b.back();
  auto shared = broadcast(batch_of(a), batch_of(b));
  HONE_CHECK(shared.ok(), "a product of shapes that infer has not checked");
  batch = *std::move(shared);
  a_strides = batch_strides(a, batch);
  b_strides = batch_strides(b, batch);
}

}  // namespace hone
