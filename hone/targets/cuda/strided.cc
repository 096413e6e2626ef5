#include "hone/targets/cuda/strided.h"

#include <algorithm>

#include "hone/targets/cuda/source.h"

namespace hone::cuda {
namespace {

constexpr unsigned kCopyBlock = 256;

bool can_merge(const StridedView& view, size_t outer) {
  return std::ranges::all_of(view.strides, [&](const Ints& strides) {
    return strides[outer] == strides[outer + 1] * view.extents[outer + 1];
  });
}

void drop(StridedView& view, size_t axis) {
  const auto at = [&](Ints& list) { return list.begin() + static_cast<std::ptrdiff_t>(axis); };
  view.extents.erase(at(view.extents));
  for (Ints& strides : view.strides) strides.erase(at(strides));
}

}  // namespace

std::string_view word_name(size_t bytes) {
  switch (bytes) {
    case 1:
      return "unsigned char";
    case 2:
      return "u16";
    case 4:
      return "u32";
    default:
      return "u64";
  }
}

StridedView merged(const StridedView& view) {
  StridedView result = view;
  for (size_t axis = result.extents.size(); axis-- > 0;) {
    if (result.extents[axis] == 1) drop(result, axis);
  }
  for (size_t axis = result.extents.size(); axis-- > 1;) {
    if (!can_merge(result, axis - 1)) continue;
    result.extents[axis] *= result.extents[axis - 1];
    drop(result, axis - 1);
  }
  if (result.extents.empty()) {
    result.extents.push_back(1);
    for (Ints& strides : result.strides) strides.push_back(1);
  }
  return result;
}

Ints dense_strides(const Shape& shape) {
  Ints strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

Ints pitched_strides(Ints strides, int64_t row, int64_t pitch) {
  for (int64_t& stride : strides) {
    if (stride >= row) stride = stride / row * pitch;
  }
  return strides;
}

Ints broadcast_strides(const Shape& shape, const Shape& to) {
  const Ints own = dense_strides(shape);
  Ints strides(to.size(), 0);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1) strides[to.size() - shape.size() + i] = own[i];
  }
  return strides;
}

int64_t pack_of_view(const StridedView& view, std::span<const int64_t> offsets, int64_t most) {
  int64_t pack = most;
  const auto whole = [&](int64_t value) { return value % pack == 0; };
  const auto fits = [&] {
    if (!whole(view.extents.back()) || !std::ranges::all_of(offsets, whole)) return false;
    return std::ranges::all_of(view.strides, [&](const Ints& strides) {
      if (strides.back() == 0) return true;
      return strides.back() == 1 && std::all_of(strides.begin(), strides.end() - 1, whole);
    });
  };
  while (pack > 1 && !fits()) pack /= 2;
  return pack;
}

std::string coordinates_text(const Ints& extents) {
  std::string text = "  int rest = i;\n";
  for (size_t axis = extents.size(); axis-- > 0;) {
    if (axis == 0) {
      text += "  const int c0 = rest;\n";
    } else {
      text += str("  const int c", axis, " = rest % ", extents[axis],
                  ";\n  rest /= ", extents[axis], ";\n");
    }
  }
  return text;
}

std::string address_text(const Ints& strides, int64_t offset) {
  std::string text = str("(i64)", offset);
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    if (strides[axis] != 0) text += str(" + (i64)c", axis, " * ", strides[axis]);
  }
  return text;
}

Launch copy_launch(const StridedCopy& copy, size_t element_bytes, Slot x, Slot y) {
  const StridedView view = merged({copy.extents, {copy.x_strides, copy.y_strides}});
  const int64_t offsets[] = {copy.x_offset, copy.y_offset};
  const int64_t pack = view.strides[0].back() == 1 && view.strides[1].back() == 1
                           ? pack_of_view(view, offsets, 16 / static_cast<int64_t>(element_bytes))
                           : 1;
  const int64_t threads = elements(view.extents) / pack;
  SourceMaker source;
  source.define("T", word_name(element_bytes)).define("VEC", pack);
  const std::string text =
      str("extern \"C\" __global__ void __launch_bounds__(", kCopyBlock,
          ") copy(const T* x, T* y, u64* began) {\n  wait_for_earlier(began);\n"
          "  const int i = (int)(blockIdx.x * ",
          kCopyBlock, " + threadIdx.x) * VEC;\n  if (i >= ", threads * pack, ") return;\n",
          coordinates_text(view.extents), "  *(Pack<T, VEC>*)(y + ",
          address_text(view.strides[1], copy.y_offset), ") = *(const Pack<T, VEC>*)(x + ",
          address_text(view.strides[0], copy.x_offset), ");\n}\n");
  return {.kernel = source.make_of(text, "copy", "copy"),
          .grid = {static_cast<unsigned>((threads + kCopyBlock - 1) / kCopyBlock), 1, 1},
          .block = kCopyBlock,
          .arguments = {x, y}};
}

}  // namespace hone::cuda
