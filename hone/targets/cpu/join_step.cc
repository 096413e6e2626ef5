#include "hone/targets/cpu/join_step.h"

#include <algorithm>
#include <cstring>

#include "hone/ops/common.h"

namespace hone::cpu {
namespace {

struct StridedRows {
  std::byte* data;
  size_t stride;
};

template <size_t kBytes>
void copy_rows_of(const StridedRows& from, size_t rows, const StridedRows& to) {
  for (size_t row = 0; row < rows; ++row) {
    std::memcpy(to.data + row * to.stride, from.data + row * from.stride, kBytes);
  }
}

// Rows of a few bytes are copied faster than a call takes that has to find out how many they are.
void copy_rows(const StridedRows& from, size_t bytes, size_t rows, const StridedRows& to) {
  switch (bytes) {
    case 4:
      return copy_rows_of<4>(from, rows, to);
    case 8:
      return copy_rows_of<8>(from, rows, to);
    case 16:
      return copy_rows_of<16>(from, rows, to);
    case 32:
      return copy_rows_of<32>(from, rows, to);
    default:
      break;
  }
  for (size_t row = 0; row < rows; ++row) {
    std::memcpy(to.data + row * to.stride, from.data + row * from.stride, bytes);
  }
}

size_t row_bytes_at(const Value* value, size_t axis) {
  const AxisSplit split = split_at(value->type.tensor.shape, axis);
  const DType dtype = value->type.tensor.dtype;
  return static_cast<size_t>(split.n * split.inner) * static_cast<size_t>(bits_of(dtype)) / 8;
}

}  // namespace

JoinStep::JoinStep(const Node& join, size_t axis, StepBuilder& builder)
    : joins_(join.op == "concat") {
  kind = step_kind(StepFamily::Movement, "copy");
  const std::vector<Value*>& parts = joins_ ? join.inputs : join.outputs;
  const Value* whole = joins_ ? join.outputs[0] : join.inputs[0];
  const size_t whole_bytes = row_bytes_at(whole, axis);
  rows_ = static_cast<size_t>(split_at(whole->type.tensor.shape, axis).outer);
  whole_rows_ = {whole_bytes, whole_bytes};
  whole_ = joins_ ? builder.write(whole) : builder.read(whole);
  size_t offset = 0;
  for (const Value* part : parts) {
    const size_t bytes = row_bytes_at(part, axis);
    parts_.push_back({joins_ ? builder.read(part) : builder.write(part), offset, bytes});
    offset += bytes;
  }
}

Status JoinStep::run(const Frame& frame) const {
  if (kind.family == StepFamily::Nothing) return Done{};
  const size_t row_blocks = std::min(rows_, 4 * frame.workers->threads());
  frame.workers->run(row_blocks, [&](size_t block, size_t) {
    const size_t first = block * rows_ / row_blocks;
    const size_t last = (block + 1) * rows_ / row_blocks;
    for (const Part& part : parts_) {
      if (!part.in_place) copy_part(frame, part, first, last);
    }
  });
  return Done{};
}

bool JoinStep::write_apart(const RowsApart& rows) {
  if (!joins_ || rows.bytes != whole_rows_.bytes) return false;
  whole_rows_ = rows;
  return true;
}

void JoinStep::copy_part(const Frame& frame, const Part& part, size_t first, size_t last) const {
  const size_t stride = whole_rows_.stride;
  const StridedRows whole{frame.slots[whole_] + part.offset + first * stride, stride};
  const StridedRows own{frame.slots[part.slot] + first * part.bytes, part.bytes};
  copy_rows(joins_ ? own : whole, part.bytes, last - first, joins_ ? whole : own);
}

void JoinStep::leave_in_place(size_t part) {
  parts_[part].in_place = true;
  const uint64_t bytes = rows_ * parts_[part].bytes;
  cost.read_bytes -= std::min(cost.read_bytes, bytes);
  cost.written_bytes -= std::min(cost.written_bytes, bytes);
  if (std::ranges::all_of(parts_, &Part::in_place)) {
    kind.family = StepFamily::Nothing;
    kind.work = "in place";
  }
}

}  // namespace hone::cpu
