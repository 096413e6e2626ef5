#include "hone/tensor/tensor.h"
#include "hone/library/inside.h"

namespace hone::v1 {
namespace {

TensorType plain_type(std::string_view name, const std::vector<int64_t>& shape) {
  const std::optional<DType> dtype = dtype_named(name);
  if (!dtype || *dtype == DType::String || is_small(*dtype)) {
    throw Error(Fault::BadInput, str("no tensor of '", name,
                                     "'; there are: f32, f64, f16, bf16, i8, i16, i32, "
                                     "i64, u8, u16, u32, u64, bool"));
  }
  TensorType type{*dtype, shape};
  if (!type.known()) throw Error(Fault::BadInput, "a tensor's extents are 0 and more");
  unwrap(type.check());
  return type;
}

}  // namespace

Tensor::Tensor(std::string_view type, std::vector<int64_t> shape) {
  auto zeros = std::make_shared<const hone::Tensor>(plain_type(type, shape));
  type_ = type;
  shape_ = std::move(shape);
  bytes_ = zeros->bytes();
  owner_ = std::move(zeros);
}

Tensor Tensor::copy(std::string_view type, std::vector<int64_t> shape,
                    std::span<const std::byte> bytes) {
  hone::Tensor elements(plain_type(type, shape));
  const std::span<std::byte> to = elements.mutable_bytes();
  if (to.size() != bytes.size()) {
    throw Error(Fault::BadInput, str(bytes.size(), " bytes for ", text_of(elements.type()),
                                     ", which takes ", to.size()));
  }
  std::copy(bytes.begin(), bytes.end(), to.begin());
  auto kept = std::make_shared<const hone::Tensor>(std::move(elements));
  return view(type, std::move(shape), kept->bytes().data(), kept);
}

Tensor Tensor::view(std::string_view type, std::vector<int64_t> shape, const void* data,
                    std::shared_ptr<const void> owner) {
  Tensor tensor;
  const uint64_t bytes = plain_type(type, shape).bytes();
  if (data == nullptr && bytes > 0) throw Error(Fault::BadInput, "a tensor without elements");
  tensor.type_ = type;
  tensor.shape_ = std::move(shape);
  tensor.bytes_ = {static_cast<const std::byte*>(data), bytes};
  tensor.owner_ = std::move(owner);
  return tensor;
}

size_t Tensor::elements() const {
  return type_.empty() ? 0 : static_cast<size_t>(hone::elements(shape_));
}

void Tensor::expect(std::string_view type) const {
  if (type == type_) return;
  throw Error(Fault::BadInput,
              str("a tensor of ", type_, " read as ", type.empty() ? "another type" : type));
}

}  // namespace hone::v1
