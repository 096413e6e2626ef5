#include "hone/kernels/column_sums/column_sums.h"

#include "hone/kernels/hwy_targets.h"

namespace hone {

template <class T>
void column_sums_ref(size_t rows, size_t cols, size_t stride, const T* x, int32_t* sums);
void column_sums_i8_hwy(size_t rows, size_t cols, size_t stride, const int8_t* x, int32_t* sums);
void column_sums_u8_hwy(size_t rows, size_t cols, size_t stride, const uint8_t* x, int32_t* sums);

std::span<const KernelVariant<ColumnSums<int8_t>>> column_sums_i8_variants() {
  static constexpr KernelVariant<ColumnSums<int8_t>> kVariants[] = {
      {"hwy", kHwy, column_sums_i8_hwy},
      {"ref", kNoFeature, column_sums_ref<int8_t>},
  };
  return kVariants;
}

std::span<const KernelVariant<ColumnSums<uint8_t>>> column_sums_u8_variants() {
  static constexpr KernelVariant<ColumnSums<uint8_t>> kVariants[] = {
      {"hwy", kHwy, column_sums_u8_hwy},
      {"ref", kNoFeature, column_sums_ref<uint8_t>},
  };
  return kVariants;
}

}  // namespace hone
