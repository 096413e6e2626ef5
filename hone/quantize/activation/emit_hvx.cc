#include "hone/quantize/activation/emit_hvx.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "hone/base/str.h"

namespace hone {
namespace {

constexpr int32_t kCodes = 256;
using Codes = std::array<int32_t, kCodes>;

// The results by codes, taken for unsigned bytes.
Codes results_by_byte(const std::function<int32_t(int32_t)>& run, const CodeType& in) {
  Codes results{};
  for (int32_t code = in.first(); code <= in.last(); ++code) {
    results[static_cast<size_t>(code & (kCodes - 1))] = run(code);
  }
  return results;
}

// Where vlut32 finds the result of byte e.
size_t place_of(size_t e) {
  return e / 128 * 128 + 2 * (e % 64) + e / 64 % 2;
}

std::string lines_of(const Codes& values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    text += str(i % 16 == 0 ? "\n    " : " ", values[i], ",");
  }
  return text;
}

const char* byte_type(const CodeType& type) {
  return type.dtype == DType::U8 ? "uint8_t" : "int8_t";
}

// What is meant for vectors would be plain C without a word.
constexpr std::string_view kVectors =
    R"c(#if defined(__hexagon__) && !(defined(__HVX__) && __HVX_LENGTH__ == 128)
#error "vectors of 128 bytes expected: build with -mhvx -mhvx-length=128b, or write the function as plain C"
#endif
)c";

// With NAME, IN and OUT in place of names.
constexpr std::string_view kKernel = R"c(
/* y[i] = f(x[i]). x and y may be the same; they are looked up fastest where both are aligned to 128 bytes. */
void NAME(const IN *x, OUT *y, size_t count) {
  size_t i = 0;
#if defined(__HVX__) && __HVX_LENGTH__ == 128
  const HVX_Vector below = *(const HVX_Vector *)NAME_table;
  const HVX_Vector above = *(const HVX_Vector *)(NAME_table + 128);
  if (((uintptr_t)x | (uintptr_t)y) % 128 == 0) {
    for (; i + 128 <= count; i += 128) {
      *(HVX_Vector *)(y + i) = NAME_found(*(const HVX_Vector *)(x + i), below, above);
    }
  }
  for (; i + 128 <= count; i += 128) {
    *(HVX_UVector *)(y + i) = NAME_found(*(const HVX_UVector *)(x + i), below, above);
  }
#endif
  for (; i < count; ++i) {
    const uint8_t e = (uint8_t)x[i];
    y[i] = NAME_table[e / 128 * 128 + 2 * (e % 64) + e / 64 % 2];
  }
}
)c";

constexpr std::string_view kFound = R"c(
#if defined(__HVX__) && __HVX_LENGTH__ == 128
static inline HVX_Vector NAME_found(HVX_Vector at, HVX_Vector below, HVX_Vector above) {
  HVX_Vector y = Q6_Vb_vlut32_VbVbI(at, below, 0);
  y = Q6_Vb_vlut32or_VbVbVbI(y, at, below, 1);
  y = Q6_Vb_vlut32or_VbVbVbI(y, at, below, 2);
  y = Q6_Vb_vlut32or_VbVbVbI(y, at, below, 3);
  y = Q6_Vb_vlut32or_VbVbVbI(y, at, above, 4);
  y = Q6_Vb_vlut32or_VbVbVbI(y, at, above, 5);
  y = Q6_Vb_vlut32or_VbVbVbI(y, at, above, 6);
  return Q6_Vb_vlut32or_VbVbVbI(y, at, above, 7);
}
#endif
)c";

constexpr std::string_view kTestBegin = R"c(
#if defined(TEST)
#if __STDC_HOSTED__ && __has_include(<stdio.h>)
#include <stdio.h>
#define HAS_STDIO 1
#endif
static const OUT NAME_results[256] = {)c";

constexpr std::string_view kTest = R"c(
/* Every code, in vectors that are aligned and not, and in what is left of them: how many results are wrong. */
int main(void) {
  enum { kCount = 2 * 256 + 77 };
  static IN x[kCount + 1] __attribute__((aligned(128)));
  static OUT y[kCount + 1] __attribute__((aligned(128)));
  int wrong = 0;
  for (int first = 0; first < 2; ++first) {
    for (int i = 0; i < kCount; ++i) x[first + i] = (IN)(i * 3);
    NAME(x + first, y + first, kCount);
    for (int i = 0; i < kCount; ++i) wrong += y[first + i] != NAME_results[(uint8_t)(i * 3)];
  }
#if defined(HAS_STDIO)
  if (wrong == 0) puts("NAME: the result of every code is right");
#endif
  return wrong < 100 ? wrong : 100;
}

#if defined(__hexagon__) && __STDC_HOSTED__ == 0 /* Without a C library programs begin here. */
void _start(void) {
  register int code __asm__("r0") = main();
  register int call __asm__("r6") = 94; /* exit_group */
  __asm__ volatile("trap0(#1)" : : "r"(code), "r"(call));
for (;;) {
}
}
#endif
)c";

std::string filled(std::string_view text, const std::string& name, const CodeType& in,
                   const CodeType& out) {
  std::string result(text);
  const auto replace = [&](std::string_view word, const std::string& by) {
    for (size_t at = 0; (at = result.find(word, at)) != std::string::npos; at += by.size()) {
      result.replace(at, word.size(), by);
    }
  };
  replace("OUT", byte_type(out));
  replace("IN", byte_type(in));
  replace("NAME", name);
  return result;
}

bool is_byte(const CodeType& type) {
  return type.dtype == DType::I8 || type.dtype == DType::U8;
}

}  // namespace

bool is_taken_in_hvx(std::string_view name) {
  constexpr std::string_view kTaken[] = {"TEST",  "HAS_STDIO", "x",     "y",     "i",     "e",
                                         "count", "below",     "above", "first", "wrong", "kCount"};
  return name.starts_with("HVX_") || name.starts_with("HEXAGON_") || name.starts_with("Q6_") ||
         std::ranges::find(kTaken, name) != std::end(kTaken);
}

Status check_hvx_types(const CodeType& in, const CodeType& out) {
  if (is_byte(in) && is_byte(out)) return Done{};
  return unsupported("kernels of HVX look 8-bit codes up: expected i8 or u8 in and out, not i16");
}

std::string emit_hvx(const std::function<int32_t(int32_t)>& run, const CodeType& in,
                     const CodeType& out, const std::string& name, const std::string& about) {
  const Codes results = results_by_byte(run, in);
  Codes table{};
  for (size_t e = 0; e < results.size(); ++e) table[place_of(e)] = results[e];
  std::string text =
      str("/* ", about, "\n\n   The test of every code, in an emulator and on this machine:\n",
          "   clang-19 -target hexagon-unknown-linux-musl -O2 -mv67 -mhvx=v67 -mhvx-length=128b "
          "-ffreestanding \\\n     -nostdlib -static -fuse-ld=lld -DTEST ",
          name, ".c -o test && qemu-hexagon -cpu v67 test\n   cc -O2 -DTEST ", name,
          ".c -o test && ./test */\n#include <stddef.h>\n#include <stdint.h>\n", kVectors,
          "#if defined(__HVX__)\n#include <hexagon_protos.h>\n#include <hexagon_types.h>\n"
          "#include <hvx_hexagon_protos.h>\n#endif\n\n",
          "/* The result of byte e lies at e / 128 * 128 + 2 (e % 64) + e / 64 % 2. */\n");
  text +=
      filled("static const OUT NAME_table[256] __attribute__((aligned(128))) = {", name, in, out);
  text += lines_of(table) + "\n};\n";
  text += filled(kFound, name, in, out) + filled(kKernel, name, in, out);
  text += filled(kTestBegin, name, in, out);
  return text + lines_of(results) + "\n};\n" + filled(kTest, name, in, out) + "#endif\n";
}

}  // namespace hone
