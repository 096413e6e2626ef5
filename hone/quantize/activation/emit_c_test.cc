#include "hone/quantize/activation/emit_c.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace hone {
namespace {

// Compiles the C beside a program that prints the result of every code, and compares. Null when the
// machine has no C compiler.
template <class Implementation>
void expect_same_codes(const Implementation& implementation, const CodeType& in) {
  namespace fs = std::filesystem;
  if (std::system("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no C compiler";
  const fs::path folder = fs::temp_directory_path() / "hone_emit_c_test";
  fs::create_directories(folder);
  std::ofstream(folder / "f.c") << emit_c(implementation, "f", "test") << "#include <stdio.h>\n"
                                << "int main(void) { for (int i = " << in.first()
                                << "; i <= " << in.last() << "; ++i) printf(\"%d\\n\", f(i)); }\n";
  const std::string program = (folder / "f").string();
  ASSERT_EQ(std::system(("cc -Wall -Werror -o " + program + " " + program + ".c").c_str()), 0);
  ASSERT_EQ(std::system((program + " > " + program + ".txt").c_str()), 0);
  std::ifstream results(program + ".txt");
  for (int32_t code = in.first(); code <= in.last(); ++code) {
    int32_t result = 0;
    ASSERT_TRUE(results >> result);
    ASSERT_EQ(result, implementation(code)) << "code " << code;
  }
  fs::remove_all(folder);
}

QuantizedFunction swish(const CodeType& in, const CodeType& out) {
  return *QuantizedFunction::make(*Expression::parse("x * sigmoid(1.7 * x)"), in, out);
}

constexpr CodeType kEmitCIn8{DType::I8, 0.0625, 3};
constexpr CodeType kEmitCOut8{DType::U8, 0.05, 20};
constexpr CodeType kEmitCIn16{DType::I16, 8.0 / 32768, 0};
constexpr CodeType kEmitCOut16{DType::I16, 8.0 / 32768, 0};

TEST(EmitC, TableOfEightBits) {
  expect_same_codes(*make_lookup_table(swish(kEmitCIn8, kEmitCOut8), 0.5), kEmitCIn8);
}
TEST(EmitC, TableOfSixteenBits) {
  expect_same_codes(*make_lookup_table(swish(kEmitCIn16, kEmitCOut16), 2), kEmitCIn16);
}
TEST(EmitC, Lines) {
  expect_same_codes(*make_pieces(swish(kEmitCIn8, kEmitCOut8), 1, 1), kEmitCIn8);
}
TEST(EmitC, Parabolas) {
  expect_same_codes(*make_pieces(swish(kEmitCIn16, kEmitCOut16), 2, 4), kEmitCIn16);
}

}  // namespace
}  // namespace hone
