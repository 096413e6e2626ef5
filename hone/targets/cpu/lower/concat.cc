// concat and split: runs of bytes from one place to another.

#include <cstring>

#include "hone/ops/common.h"
#include "hone/ops/quant/integer.h"
#include "hone/targets/cpu/lowering.h"

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

// The parts lie side by side in every row of the whole.
class JoinStep final : public Step {
 public:
  JoinStep(const Node& join, size_t axis, StepBuilder& builder) : joins_(join.op == "concat") {
    kind = step_kind(StepFamily::Movement, "copy");
    const std::vector<Value*>& parts = joins_ ? join.inputs : join.outputs;
    Value* whole = joins_ ? join.outputs[0] : join.inputs[0];
    const auto row_bytes = [&](const Value* value) {
      const AxisSplit split = split_at(value->type.tensor.shape, axis);
      const DType dtype = value->type.tensor.dtype;
      return static_cast<size_t>(split.n * split.inner) * static_cast<size_t>(bits_of(dtype)) / 8;
    };
    rows_ = static_cast<size_t>(split_at(whole->type.tensor.shape, axis).outer);
    whole_bytes_ = row_bytes(whole);
    whole_ = joins_ ? builder.write(whole) : builder.read(whole);
    for (const Value* part : parts) {
      parts_.push_back({joins_ ? builder.read(part) : builder.write(part), row_bytes(part)});
    }
  }

  Status run(const Frame& frame) const override {
    const size_t row_blocks = std::min(rows_, 4 * frame.workers->threads());
    frame.workers->run(row_blocks, [&](size_t block, size_t) {
      const size_t first = block * rows_ / row_blocks;
      const size_t last = (block + 1) * rows_ / row_blocks;
      size_t offset = 0;
      for (const Part& part : parts_) {
        copy_part(frame, part, offset, first, last);
        offset += part.bytes;
      }
    });
    return Done{};
  }

 private:
  struct Part {
    Slot slot;
    size_t bytes;  // Of a row.
  };

  void copy_part(const Frame& frame, const Part& part, size_t offset, size_t first,
                 size_t last) const {
    const StridedRows whole{frame.slots[whole_] + offset + first * whole_bytes_, whole_bytes_};
    const StridedRows own{frame.slots[part.slot] + first * part.bytes, part.bytes};
    copy_rows(joins_ ? own : whole, part.bytes, last - first, joins_ ? whole : own);
  }

  bool joins_;
  size_t rows_ = 0;
  size_t whole_bytes_ = 0;
  Slot whole_ = 0;
  std::vector<Part> parts_;
};

std::unique_ptr<Step> lower_concat_node(const Node& node, StepBuilder& builder) {
  const TensorType& first = node.inputs[0]->type.tensor;
  const size_t values = node.op == "concat" ? node.inputs.size() : 1;
  for (size_t i = 0; i < values + node.outputs.size(); ++i) {
    const Value* value = i < values ? node.inputs[i] : node.outputs[i - values];
    if (value == nullptr || !builder.planned(value)) return nullptr;
    const TensorType& type = value->type.tensor;
    if (type.dtype != first.dtype || type.elements() == 0 ||
        type.quantized() != first.quantized() ||
        (type.quantized() && !same_quantization(type, first))) {
      return nullptr;
    }
  }
  if (bits_of(first.dtype) % 8 != 0) return nullptr;
  const NodeContext context(*find_op(node.op), node);
  const auto axis = resolve_axis(context.integer("axis"), first.rank());
  if (!axis.ok()) return nullptr;
  return std::make_unique<JoinStep>(node, *axis, builder);
}

}  // namespace

extern const LoweringDef lower_concat = {.op = "concat", .lower = lower_concat_node};
extern const LoweringDef lower_split = {.op = "split", .lower = lower_concat_node};

}  // namespace hone::cpu
