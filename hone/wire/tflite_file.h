// What the tflite_*.cc files share; private to them, since it shows flatbuffers.
#pragma once

#include <tflite_generated.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/result.h"
#include "hone/wire/tflite.h"

namespace hone {

// A verified flatbuffer and the file around it.
class TfliteFile {
 public:
  // `model` lies in `bytes`.
  TfliteFile(SharedBytes bytes, const hone_tflite::Model& model);

  const hone_tflite::Model& model() const { return model_; }
  size_t subgraphs() const { return model_.subgraphs() ? model_.subgraphs()->size() : 0; }

  // True when a tensor without axes is a scalar only if it says so: files older than has_rank never
  // set it, newer ones set it on every tensor of known rank.
  bool says_rank() const { return says_rank_; }

  // The bytes of a buffer, wherever they lie; empty when there are none.
  Result<SharedBytes> buffer(uint32_t index) const;
  // Bytes inside the flatbuffer if `inside` has any, else those behind it. See Buffer in
  // tflite.fbs.
  Result<SharedBytes> bytes_at(const flatbuffers::Vector<uint8_t>* inside, uint64_t offset,
                               uint64_t size) const;

  // Accounts for bytes about to be copied or looked at. Flatbuffers may point to one vector from a
  // million tables, so a small file can ask for any amount of work; this puts an end to it.
  Status charge(uint64_t bytes);

  // Copies; a null vector is an empty one.
  Result<std::string> text(const flatbuffers::String* from);
  template <class To, class From>
  Result<std::vector<To>> list(const flatbuffers::Vector<From>* from);

 private:
  SharedBytes bytes_;
  const hone_tflite::Model& model_;
  bool says_rank_ = false;
  uint64_t allowance_;
};

Result<TfliteTensor> decode_tflite_tensor(TfliteFile& file, const hone_tflite::Tensor& from);

// A constant stored sparsely, with zeros put in between. `bytes` holds the stored elements.
Result<Tensor> expand_tflite_sparse(TfliteFile& file, const TensorType& type,
                                    const hone_tflite::SparsityParameters& sparsity,
                                    std::span<const std::byte> bytes);

// The options of a builtin operator; indices of subgraphs among them are checked.
Result<std::map<std::string, TfliteOption>> decode_tflite_options(
    TfliteFile& file, const hone_tflite::Operator& from);

// Unsupported when Hone has no such element type.
Result<DType> dtype_from_tflite(hone_tflite::TensorType type);

// A name from the file, fit for a message: in quotes, one line, not endless.
std::string quoted_name(std::string_view name);

template <class To, class From>
Result<std::vector<To>> TfliteFile::list(const flatbuffers::Vector<From>* from) {
  std::vector<To> values;
  if (from == nullptr) return values;
  HONE_RETURN_IF_ERROR(charge(from->size() * sizeof(To)));
  values.reserve(from->size());
  for (const From value : *from) values.push_back(static_cast<To>(value));
  return values;
}

}  // namespace hone
