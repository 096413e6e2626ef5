#include "hone/profile/import/gpu_kernel.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "hone/base/str.h"

namespace hone {
namespace {

bool has_any(std::string_view name, std::span<const std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

// Instructions of tensor cores, and families of kernels that have no others.
constexpr std::array<std::string_view, 16> kTensorWords = {
    "tensorop", "nvjet", "hmma", "imma", "gmma", "wmma",   "dmma", "tensor16",
    "16816",    "1688",  "h884", "s884", "d884", "flash_", "fmha", "tf32f32"};
// cuBLAS and cuDNN name the arithmetic of their products: `f32f32_f32f32` multiplies in fp32.
constexpr std::array<std::string_view, 6> kFp32Words = {"sgemm", "_simt_", "f32f32_f32f32",
                                                        "ffma",  "scudnn", "sgemv"};
constexpr std::array<std::string_view, 9> kProductWords = {
    "gemm", "gemv", "nvjet", "xmma", "fprop", "dgrad", "wgrad", "flash_", "fmha"};
constexpr std::array<std::string_view, 3> kConvolutionWords = {"convolve", "conv2d", "conv3d"};
constexpr std::array<std::string_view, 7> kLayoutWords = {
    "nchwToNhwc",      "nhwcToNchw", "nhwcAddPadding", "convertTensor",
    "tensorTransform", "transpose",  "nhwc2nchw"};
constexpr std::array<std::string_view, 6> kRowWords = {"reduce_kernel", "softmax",   "layer_norm",
                                                       "batch_norm",    "splitKred", "LayerNorm"};
constexpr std::array<std::string_view, 5> kConversionWords = {
    "float16_copy_kernel", "bfloat16_copy_kernel", "float8_copy_kernel", "WithCast",
    "direct_copy_kernel"};
constexpr std::array<std::string_view, 4> kCopyWords = {"copy_kernel", "CatArrayBatchedCopy",
                                                        "gather_kernel", "index_elementwise"};

StepFamily family_of_gpu_kernel(std::string_view name) {
  using enum StepFamily;
  // NCCL's: "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "ncclKernel_...".
  if (name.starts_with("nccl") || name.find(" nccl") != std::string_view::npos) {
    return Communication;
  }
  if (has_any(name, kLayoutWords)) return Movement;
  if (name.find("winograd") != std::string_view::npos) return Winograd;
  if (name.find("depthwise") != std::string_view::npos) return Depthwise;
  // With the statistics of before, each value by itself.
  if (name.find("batch_norm_transform_input") != std::string_view::npos) return Elementwise;
  // PyTorch's have what they compute among their arguments, whatever that is called after.
  if (name.find("elementwise_kernel") != std::string_view::npos) {
    // One that casts nothing brings elements to other places.
    const bool casts = name.find("impl_nocast") == std::string_view::npos;
    if (casts && has_any(name, kConversionWords)) return Conversion;
    return has_any(name, kCopyWords) ? Movement : Elementwise;
  }
  if (has_any(name, kRowWords)) return Rows;
  if (has_any(name, kProductWords) || has_any(name, kConvolutionWords)) return Product;
  if (has_any(name, kCopyWords)) return Movement;
  return name.find("pool") != std::string_view::npos ? Pool : Other;
}

// Of its operands. nvjet says it in three letters: hsh is half in, float sums, half out.
Arithmetic precision_of_gpu_kernel(std::string_view name) {
  struct Spelling {
    std::string_view word;
    Arithmetic precision;
  };
  constexpr std::array kSpellings = {
      Spelling{"tf32", Arithmetic::Tf32}, Spelling{"bf16", Arithmetic::Bf16},
      Spelling{"BFloat16", Arithmetic::Bf16}, Spelling{"_tst_", Arithmetic::Bf16},
      Spelling{"e4m3", Arithmetic::Fp8}, Spelling{"f16", Arithmetic::Fp16},
      Spelling{"fp16", Arithmetic::Fp16}, Spelling{"c10::Half", Arithmetic::Fp16},
      Spelling{"__half", Arithmetic::Fp16}, Spelling{"_hsh_", Arithmetic::Fp16},
      Spelling{"_hss_", Arithmetic::Fp16}, Spelling{"hgemm", Arithmetic::Fp16},
      // Instructions of 16 x 8 x 8 values take TF32 where no name says half.
      Spelling{"s1688", Arithmetic::Tf32}, Spelling{"imma", Arithmetic::Int8},
      Spelling{"double", Arithmetic::Fp64}, Spelling{"dgemm", Arithmetic::Fp64},
      Spelling{"d884", Arithmetic::Fp64}, Spelling{"f64", Arithmetic::Fp64},
      Spelling{"f32", Arithmetic::Fp32}, Spelling{"sgemm", Arithmetic::Fp32},
      Spelling{"<float", Arithmetic::Fp32}};
  for (const auto& [word, precision] : kSpellings) {
    if (name.find(word) != std::string_view::npos) return precision;
  }
  return Arithmetic::Unknown;
}

// PyTorch's element-wise kernels are told what to compute: "direct_copy_kernel_cuda" and
// "CUDAFunctor_add", among their arguments. Empty where no name is known.
std::string_view functor_of(std::string_view name) {
  const auto is_letter = [&](size_t i) {
    const auto c = static_cast<unsigned char>(name[i]);
    return std::isalnum(c) != 0 || c == '_';
  };
  const size_t at = std::min(name.find("_kernel_cuda"), name.find("Functor"));
  if (at == std::string_view::npos) return "";
  size_t first = at, last = at;
  while (first > 0 && is_letter(first - 1)) --first;
  while (last < name.size() && is_letter(last)) ++last;
  return name.substr(first, last - first);
}

std::string_view without(std::string_view text, std::string_view start) {
  if (text.starts_with(start)) text.remove_prefix(start.size());
  return text;
}

// Up to the first bracket of arguments; "(anonymous namespace)" is none.
std::string_view bare_name(std::string_view name) {
  size_t from = 0;
  for (const std::string_view unnamed : {"(anonymous namespace)::", "<unnamed>::"}) {
    const size_t at = name.substr(0, name.find_first_of("<(", from)).size();
    if (name.substr(at).starts_with(unnamed)) from = at + unnamed.size();
  }
  return name.substr(0, name.find_first_of("<(", from));
}

}  // namespace

std::string short_kernel_name(std::string_view name) {
  constexpr std::string_view kCutlass = "cutlass";
  const std::string_view whole = without(name, "void ");
  std::string_view text = bare_name(whole);
  // Cutlass has one kernel, which is told what it is.
  const size_t brace = whole.find('<');
  if (text.starts_with(kCutlass) && brace != std::string_view::npos) {
    text = whole.substr(brace + 1);
    text = text.substr(0, text.find_first_of("<>(,"));
  }
  const size_t scope = text.rfind("::");
  if (scope != std::string_view::npos && scope + 2 < text.size()) text.remove_prefix(scope + 2);
  if (text.ends_with("elementwise_kernel")) {
    const std::string_view functor = functor_of(whole.substr(bare_name(whole).size()));
    if (!functor.empty()) return str(text, " ", functor);
  }
  return std::string(text.empty() ? name : text);
}

void tell_copy_by_operator(std::string_view op, StepKind& kind) {
  constexpr std::array<std::string_view, 8> kCasts = {
      "aten::to",   "aten::_to_copy", "aten::type",     "aten::type_as",
      "aten::half", "aten::float",    "aten::bfloat16", "aten::double"};
  constexpr std::array<std::string_view, 8> kMoves = {
      "aten::contiguous", "aten::clone",     "aten::reshape", "aten::flatten",
      "aten::permute",    "aten::transpose", "aten::expand",  "aten::repeat"};
  if (kind.work.find("copy_kernel") == std::string::npos) return;
  if (std::ranges::count(kCasts, op) > 0) kind.family = StepFamily::Conversion;
  if (std::ranges::count(kMoves, op) > 0) kind.family = StepFamily::Movement;
}

StepKind kind_of_gpu_kernel(std::string_view name) {
  StepKind kind{.family = family_of_gpu_kernel(name),
                .work = short_kernel_name(name),
                .precision = precision_of_gpu_kernel(name)};
  const bool multiplies = kind.family == StepFamily::Product || kind.family == StepFamily::Winograd;
  if (!multiplies) return kind;
  if (has_any(name, kTensorWords)) {
    kind.variant = kOnTensorCores;
  } else if (has_any(name, kFp32Words)) {
    kind.variant = kOnFp32Cores;
  } else if (name.find("xmma") != std::string_view::npos && kind.precision != Arithmetic::Fp32) {
    kind.variant = kOnTensorCores;
  }
  return kind;
}

}  // namespace hone
