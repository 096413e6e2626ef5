#include "hone/targets/cuda/multiply_group.h"

#include "hone/base/str.h"

namespace hone::cuda {
namespace {

std::string_view group_type(DType dtype) {
  if (dtype == DType::F32) return "tf32";
  return dtype == DType::F16 ? "f16" : "bf16";
}

// "%4, %5, ..".
std::string operands(int64_t first, int64_t count) {
  std::string list;
  for (int64_t i = 0; i < count; ++i) list += str(i == 0 ? "" : ", ", "%", first + i);
  return list;
}

// "\"+f\"(sums[0]), ..".
std::string bound(std::string_view constraint, std::string_view name, int64_t count) {
  std::string list;
  for (int64_t i = 0; i < count; ++i) {
    list += str(i == 0 ? "" : ", ", "\"", constraint, "\"(", name, "[", i, "])");
  }
  return list;
}

}  // namespace

std::string multiply_group_text(const GroupMultiply& multiply) {
  const int64_t sums = multiply.columns / 2;
  const int64_t own = multiply.from_registers ? 4 : 1;
  const bool words = multiply.dtype == DType::F32;
  const std::string_view type = group_type(multiply.dtype);
  const std::string a =
      multiply.from_registers ? str("{", operands(sums, own), "}") : operands(sums, own);
  // Shorter types may lie across, which these do not.
  const std::string_view across = words ? "" : multiply.from_registers ? ", 0" : ", 0, 0";
  return str("__device__ __forceinline__ void multiply_group(float* sums, ",
             multiply.from_registers ? "const u32* a" : "u64 a", ", u64 b) {\n",
             "  asm volatile(\"{\\n.reg .pred p;\\nsetp.ne.b32 p, %", sums + own + 1, ", 0;\\n",
             "wgmma.mma_async.sync.aligned.m64n", multiply.columns, words ? "k8" : "k16", ".f32.",
             type, ".", type, " {", operands(0, sums), "}, ", a, ", %", sums + own, ", p, 1, 1",
             across, ";\\n}\"\n      : ", bound("+f", "sums", sums),
             "\n      : ", multiply.from_registers ? bound("r", "a", own) : "\"l\"(a)",
             ", \"l\"(b), \"r\"(1));\n}\n");
}

}  // namespace hone::cuda
