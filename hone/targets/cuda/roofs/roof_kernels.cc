#include "hone/targets/cuda/roofs/roof_kernels.h"

#include <optional>

#include "hone/base/str.h"
#include "hone/targets/cuda/source.h"

namespace hone::cuda {
namespace {

// Elements of operands: those random bits of a word that make numbers of about 1, and those set.
struct Operand {
  std::string_view precision;
  std::string_view type;  // In the words of PTX.
  std::string_view sum;
  int bits;
  std::string_view word_and;
  std::string_view word_or;

  bool integers() const { return sum == "s32"; }
};
constexpr Operand kOperands[] = {
    {"tf32", "tf32", "f32", 32, "0x807fe000u", "0x3f000000u"},
    {"fp16", "f16", "f32", 16, "0x83ff83ffu", "0x38003800u"},
    {"bf16", "bf16", "f32", 16, "0x807f807fu", "0x3f003f00u"},
    {"int8", "s8", "s32", 8, "0xffffffffu", "0u"},
};

constexpr int64_t kMathRounds = 4096;

std::string listed(std::string_view prefix, int64_t count, std::string_view suffix = "") {
  std::string text;
  for (int64_t i = 0; i < count; ++i) text += str(i == 0 ? "" : ", ", prefix, i, suffix);
  return text;
}

// "%4, %5" for two from 4 on.
std::string numbered(int64_t first, int64_t count) {
  std::string text;
  for (int64_t i = first; i < first + count; ++i) text += str(i == first ? "%" : ", %", i);
  return text;
}

SourceMaker common_defines(const Operand& operand, unsigned block, int64_t sums) {
  SourceMaker source;
  source.define("ROUNDS", kMathRounds).define("BLOCK", int64_t{block});
  source.define("D", operand.integers() ? "int" : "float").define("D_WORDS", sums);
  return source.define("WORD_AND", operand.word_and).define("WORD_OR", operand.word_or);
}

// Products of a warp: m x n x k, and words of operands that a thread has.
struct WarpShape {
  int64_t m, n, k;
  int64_t a_words, b_words, sums;
};

// The largest there is; nothing where tensor cores do not take the type.
std::optional<WarpShape> warp_shape(const Operand& operand, const GpuInfo& gpu) {
  if (gpu.major >= 8) return WarpShape{16, 8, 256 / operand.bits, 4, 2, 4};
  if (operand.precision == "fp16") return WarpShape{16, 8, 8, 2, 1, 4};
  if (operand.precision == "int8") return WarpShape{8, 8, 16, 1, 1, 2};
  return std::nullopt;
}

MathKernel warp_kernel(const Operand& operand, const WarpShape& shape) {
  constexpr unsigned kBlock = 256;
  constexpr int64_t kSums = 8;  // Products under way of a warp; as in the source.
  const auto& [m, n, k, a_words, b_words, sums] = shape;
  const std::string name = str("m", m, "n", n, "k", k);
  const std::string_view c = operand.integers() ? "r" : "f";
  const std::string text = str(
      "#define MMA\n__device__ __forceinline__ void multiply_once(D* d, const u32* a, const "
      "u32* b) {\n  asm volatile(\"mma.sync.aligned.",
      name, ".row.col.", operand.sum, ".", operand.type, ".", operand.type, ".", operand.sum, " {",
      numbered(0, sums), "}, {", numbered(sums, a_words), "}, {", numbered(sums + a_words, b_words),
      "}, {", numbered(0, sums), "};\"\n      : ", listed(str("\"+", c, "\"(d["), sums, "])"),
      "\n      : ", listed("\"r\"(a[", a_words, "])"), ", ", listed("\"r\"(b[", b_words, "])"),
      ");\n}\n", source_text("roof_math"));
  SourceMaker source = common_defines(operand, kBlock, sums);
  source.define("A_WORDS", a_words).define("B_WORDS", b_words);
  return {.precision = std::string(operand.precision),
          .instruction = "mma " + name,
          .kernel = source.make_of(text, "roof_math", "the roof of mma"),
          .block = kBlock,
          .blocks_at_once = 4,
          .operations = 2.0 * static_cast<double>(m * n * k * kSums * kMathRounds) * kBlock / 32};
}

// Products of four warps, of rows of 32 bytes out of shared memory.
MathKernel group_kernel(const Operand& operand) {
  constexpr unsigned kBlock = 256;
  constexpr int64_t kGroups = kBlock / 128;
  constexpr int64_t kRows = 64;
  constexpr int64_t kColumns = 256;
  constexpr int64_t kSums = kRows * kColumns / 128;
  constexpr int64_t kSteps = 4;  // Of a round; as in the source.
  const int64_t depth = 256 / operand.bits;
  const std::string name = str("m", kRows, "n", kColumns, "k", depth);
  // Floats may be negated, those of 16 bits transposed besides.
  const std::string_view settings = operand.integers()   ? ""
                                    : operand.bits == 16 ? ", 1, 1, 0, 0"
                                                         : ", 1, 1";
  const std::string_view c = operand.integers() ? "r" : "f";
  const std::string text = str(
      "#define WGMMA\n__device__ __forceinline__ void multiply_group(D* d, u64 a, u64 b) {\n"
      "  asm volatile(\"{\\n.reg .pred p;\\nsetp.ne.b32 p, %",
      kSums + 2, ", 0;\\nwgmma.mma_async.sync.aligned.", name, ".", operand.sum, ".", operand.type,
      ".", operand.type, " {", numbered(0, kSums), "}, %", kSums, ", %", kSums + 1, ", p", settings,
      ";\\n}\"\n      : ", listed(str("\"+", c, "\"(d["), kSums, "])"),
      "\n      : \"l\"(a), \"l\"(b), \"r\"(1));\n}\n", source_text("roof_math"));
  return {
      .precision = std::string(operand.precision),
      .instruction = "wgmma " + name,
      .kernel =
          common_defines(operand, kBlock, kSums).make_of(text, "roof_math", "the roof of wgmma"),
      .block = kBlock,
      .blocks_at_once = 1,
      .shared_bytes = static_cast<unsigned>((kGroups * kRows + kColumns) * 128),
      .operations =
          2.0 * static_cast<double>(kRows * kColumns * depth * kSteps * kMathRounds * kGroups)};
}

MathKernel core_kernel() {
  constexpr unsigned kBlock = 512;
  constexpr int64_t kSums = 16;  // As in the source.
  SourceMaker source;
  source.define("ROUNDS", 4 * kMathRounds).define("BLOCK", int64_t{kBlock}).define("FMA", "");
  return {.precision = "fp32",
          .instruction = "ffma",
          .kernel = source.make("roof_math", "the roof of ffma"),
          .block = kBlock,
          .blocks_at_once = 2,
          .operations = 2.0 * static_cast<double>(kSums * 4 * kMathRounds * kBlock)};
}

}  // namespace

std::vector<MathKernel> math_kernels(const GpuInfo& gpu) {
  std::vector<MathKernel> kernels = {core_kernel()};
  for (const Operand& operand : kOperands) {
    if (gpu.major == 9) {
      kernels.push_back(group_kernel(operand));
    } else if (const auto shape = warp_shape(operand, gpu)) {
      kernels.push_back(warp_kernel(operand, *shape));
    }
  }
  return kernels;
}

KernelSource memory_kernel(Traffic traffic, int64_t rounds) {
  SourceMaker source;
  source.define("ROUNDS", rounds).define("BLOCK", int64_t{kMemoryBlockThreads});
  source.define(traffic == Traffic::Read    ? "READ"
                : traffic == Traffic::Write ? "WRITE"
                                            : "COPY",
                "");
  return source.make("roof_memory", "the roof of memory");
}

KernelSource empty_kernel() {
  return SourceMaker().make_of("extern \"C\" __global__ void empty() {}\n", "empty", "empty");
}

}  // namespace hone::cuda
