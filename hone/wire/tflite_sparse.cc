// Sparse constants. The stored elements are the leaves of a tree with one level per axis, and one
// more for the inside of each blocked axis (tflite.fbs). Going down a level turns the list of
// positions so far into a longer one; at the bottom, position i is where element i goes.

#include <algorithm>
#include <cstring>

#include "hone/wire/tflite_file.h"

namespace hone {
namespace {

namespace tfl = hone_tflite;

// One axis counted in blocks, or the inside of a block along one.
struct Level {
  int64_t extent = 0;
  int64_t stride = 0;  // Elements between neighbours in the dense tensor.
};
using Positions = std::vector<int64_t>;

Result<Positions> indices(TfliteFile& file, tfl::SparseIndexVector type, const void* from) {
  using Type = tfl::SparseIndexVector;
  if (from != nullptr && type == Type::Int32Vector) {
    return file.list<int64_t>(static_cast<const tfl::Int32Vector*>(from)->values());
  }
  if (from != nullptr && type == Type::Uint16Vector) {
    return file.list<int64_t>(static_cast<const tfl::Uint16Vector*>(from)->values());
  }
  if (from != nullptr && type == Type::Uint8Vector) {
    return file.list<int64_t>(static_cast<const tfl::Uint8Vector*>(from)->values());
  }
  return bad_input("sparse level without indices");
}

// From the inside out, so that the blocks are known when their axes come.
Result<std::vector<Level>> levels_of(const TensorType& type, const tfl::SparsityParameters& from) {
  const size_t rank = type.shape.size();
  const size_t blocks = from.block_map() ? from.block_map()->size() : 0;
  const size_t count = from.dim_metadata() ? from.dim_metadata()->size() : 0;
  if (count == 0 || count != rank + blocks || !from.traversal_order() ||
      from.traversal_order()->size() != count) {
    return bad_input("sparse tensor of ", rank, " axes has ", count, " levels");
  }
  std::vector<Level> axes(count), levels(count);
  std::vector<bool> seen(count);
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0; stride *= type.shape[i]) axes[i] = {type.shape[i], stride};
  for (auto level = static_cast<uint32_t>(count); level-- > 0;) {
    const auto axis = static_cast<uint32_t>(from.traversal_order()->Get(level));
    if (axis >= count || (axis < rank) != (level < rank) || seen[axis]) {
      return bad_input("sparse level ", level, " is of a wrong axis");
    }
    seen[axis] = true;
    if (axis >= rank) {
      const auto whole = static_cast<size_t>(from.block_map()->Get(axis - uint32_t(rank)));
      const int64_t size = from.dim_metadata()->Get(level)->dense_size();
      if (whole >= rank || size <= 0 || axes[whole].extent % size != 0) {
        return bad_input("sparse block of ", size, " does not fit an axis of ", type);
      }
      axes[axis] = {size, axes[whole].stride};
      axes[whole] = {axes[whole].extent / size, axes[whole].stride * size};
    }
    levels[level] = axes[axis];
  }
  return levels;
}

Result<Positions> descend_dense(TfliteFile& file, const Positions& parents, const Level& level,
                                const tfl::DimensionMetadata& from) {
  if (from.dense_size() != level.extent) {
    return bad_input("dense level of size ", from.dense_size(), ", expected ", level.extent);
  }
  HONE_RETURN_IF_ERROR(
      file.charge(parents.size() * static_cast<uint64_t>(level.extent) * sizeof(int64_t)));
  Positions positions;
  for (const int64_t parent : parents) {
    for (int64_t child = 0; child < level.extent; ++child) {
      positions.push_back(parent + child * level.stride);
    }
  }
  return positions;
}

// Children of one parent ascend, so no level can have more positions than the dense tensor.
Result<Positions> descend_sparse(TfliteFile& file, const Positions& parents, const Level& level,
                                 const tfl::DimensionMetadata& from) {
  HONE_TRY(const Positions segments,
           indices(file, from.array_segments_type(), from.array_segments()));
  HONE_TRY(const Positions children,
           indices(file, from.array_indices_type(), from.array_indices()));
  if (segments.size() != parents.size() + 1 || segments.front() != 0 ||
      segments.back() != static_cast<int64_t>(children.size()) ||
      !std::ranges::is_sorted(segments)) {
    return bad_input("sparse level of ", children.size(), " indices has wrong segments");
  }
  Positions positions;
  for (size_t p = 0; p < parents.size(); ++p) {
    int64_t last = -1;
    for (int64_t i = segments[p]; i < segments[p + 1]; ++i) {
      const int64_t child = children[static_cast<size_t>(i)];
      if (child <= last || child >= level.extent) return bad_input("sparse index ", child);
      positions.push_back(parents[p] + child * level.stride);
      last = child;
    }
  }
  return positions;
}

}  // namespace

Result<Tensor> expand_tflite_sparse(TfliteFile& file, const TensorType& type,
                                    const tfl::SparsityParameters& sparsity,
                                    std::span<const std::byte> bytes) {
  const auto width = static_cast<size_t>(bits_of(type.dtype) / 8);
  if (width == 0) return unsupported("sparse tensor of ", type.dtype);
  HONE_TRY(const std::vector<Level> levels, levels_of(type, sparsity));
  HONE_RETURN_IF_ERROR(file.charge(type.bytes()));
  Positions positions = {0};
  for (uint32_t i = 0; i < levels.size(); ++i) {
    const tfl::DimensionMetadata& level = *sparsity.dim_metadata()->Get(i);
    const bool dense = level.format() == tfl::DimensionType::DENSE;
    HONE_TRY(positions,
             (dense ? descend_dense : descend_sparse)(file, positions, levels[i], level));
  }
  if (positions.size() * width != bytes.size()) {
    return bad_input("buffer holds ", bytes.size(), " bytes, expected ", positions.size() * width,
                     " for the stored part of ", type);
  }
  Tensor tensor(type);
  std::byte* to = tensor.mutable_bytes().data();
  for (size_t i = 0; i < positions.size(); ++i) {
    std::memcpy(to + static_cast<size_t>(positions[i]) * width, bytes.data() + i * width, width);
  }
  return tensor;
}

}  // namespace hone
