#include "hone/sim/regions.h"

#include <algorithm>

#include "hone/sim/vector_op.h"

namespace hone::sim {
namespace {

void add_accesses(const Transfer& transfer, Accesses& to) {
  const auto side = [&](Address at, int64_t stride) {
    return View{.at = at,
                .width = transfer.rows,
                .channels = transfer.row_bytes,
                .pixel_stride = transfer.rows == 1 ? 0 : stride};
  };
  to.add(side(transfer.from, transfer.from_stride), false);
  to.add(side(transfer.to, transfer.to_stride), true);
}

void add_accesses(const Product& product, Accesses& to) {
  to.add(product.input, false);
  to.add(run_of_bytes(product.weights, product.weight_bytes()), false);
  to.add(product.output, true);
}

void add_accesses(const VectorCommand& command, Accesses& to) {
  to.add(command.a, false);
  const VectorOpDef& op = *command.op;
  if (op.reads_b) to.add(command.b, false);
  if (op.constant_bytes != nullptr) {
    to.add(run_of_bytes(command.constants, op.constant_bytes(command)), false);
  }
  to.add(command.output, true);
}

void add_accesses(const HostCall&, Accesses&) {}

// The same bytes with as few and as long runs as they make.
View joined(View view) {
  if (view.pixel_stride == 0) view.width = 1;
  if (view.row_stride == 0) view.height = 1;
  if (view.width == 1 || view.pixel_stride == view.channels) {
    view.channels *= view.width;
    view.width = 1;
  }
  if (view.width == 1) {
    view.width = view.height;
    view.pixel_stride = view.row_stride;
    view.height = 1;
    if (view.width > 1 && view.pixel_stride == view.channels) {
      view.channels *= view.width;
      view.width = 1;
    }
  }
  return view;
}

// The places i < count for which [base + i * stride, + bytes) meets [begin, end).
struct Range {
  int64_t first = 0;
  int64_t last = 0;
};
Range meeting(int64_t base, int64_t stride, int64_t bytes, int64_t count, int64_t begin,
              int64_t end) {
  if (count == 1 || stride == 0) {
    return {0, base < end && begin < base + bytes ? count : 0};
  }
  // base + i * stride + bytes > begin, and base + i * stride < end.
  const int64_t low = begin - bytes - base;
  const int64_t first = low < 0 ? 0 : low / stride + 1;
  const int64_t high = end - base;
  const int64_t last = high <= 0 ? 0 : (high + stride - 1) / stride;
  return {first, std::min(last, count)};
}

bool meets(const View& view, int64_t begin, int64_t end) {
  const auto base = static_cast<int64_t>(view.at.offset);
  const int64_t row_bytes = (view.width - 1) * view.pixel_stride + view.channels;
  const Range rows = meeting(base, view.row_stride, row_bytes, view.height, begin, end);
  for (int64_t row = rows.first; row < rows.last; ++row) {
    const int64_t start = base + row * view.row_stride;
    const Range pixels = meeting(start, view.pixel_stride, view.channels, view.width, begin, end);
    if (pixels.first < pixels.last) return true;
  }
  return false;
}

}  // namespace

Accesses accesses_of(const Command& command) {
  Accesses accesses;
  std::visit([&](const auto& work) { add_accesses(work, accesses); }, command.work);
  return accesses;
}

View run_of_bytes(Address at, int64_t bytes) {
  return {.at = at, .channels = bytes};
}

std::optional<uint64_t> end_of(const View& view) {
  if (view.height < 1 || view.width < 1 || view.channels < 1) return {};
  if (view.row_stride < 0 || view.pixel_stride < 0) return {};
  int64_t rows = 0, pixels = 0, bytes = 0, elements = 0;
  uint64_t end = 0;
  const bool overflows = __builtin_mul_overflow(view.height - 1, view.row_stride, &rows) ||
                         __builtin_mul_overflow(view.width - 1, view.pixel_stride, &pixels) ||
                         __builtin_add_overflow(rows, pixels, &bytes) ||
                         __builtin_add_overflow(bytes, view.channels, &bytes) ||
                         __builtin_mul_overflow(view.height, view.width, &elements) ||
                         __builtin_mul_overflow(elements, view.channels, &elements) ||
                         __builtin_add_overflow(view.at.offset, bytes, &end);
  if (overflows || end > static_cast<uint64_t>(INT64_MAX)) return {};
  return end;
}

bool overlap(const View& a, const View& b) {
  if (a.at.space != b.at.space) return false;
  if (a.at.offset >= *end_of(b) || b.at.offset >= *end_of(a)) return false;
  View few = joined(a), many = joined(b);
  if (few.height * few.width > many.height * many.width) std::swap(few, many);
  for (int64_t y = 0; y < few.height; ++y) {
    for (int64_t x = 0; x < few.width; ++x) {
      const int64_t begin =
          static_cast<int64_t>(few.at.offset) + y * few.row_stride + x * few.pixel_stride;
      if (meets(many, begin, begin + few.channels)) return true;
    }
  }
  return false;
}

}  // namespace hone::sim
