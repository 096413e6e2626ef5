#include "hone/quantize/activation/emit_hvx.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "hone/quantize/activation/lookup_table.h"
#include "hone/quantize/activation/pieces.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr CodeType kHvxSigned{DType::I8, 0.0625, 3};
constexpr CodeType kHvxUnsigned{DType::U8, 0.05, 20};

bool hvx_tool_is_here(const std::string& name) {
  return std::system((name + " --version > /dev/null 2>&1").c_str()) == 0;
}

QuantizedFunction function_between(const CodeType& in, const CodeType& out) {
  return *QuantizedFunction::make(*Expression::parse("x * sigmoid(1.7 * x)"), in, out);
}

class EmitHvx : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  // How many of its results are wrong, of the program that a command builds.
  int wrong_of(const std::string& text, const std::string& build, const std::string& run) {
    std::ofstream(folder_ / "f.c") << text;
    const std::string program = (folder_ / "f").string();
    EXPECT_EQ(std::system((build + " -DTEST -o " + program + " " + program + ".c").c_str()), 0);
    const int status = std::system((run + " " + program).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  int wrong_here(const std::string& text) { return wrong_of(text, "cc -Wall -Wextra -Werror", ""); }
  int wrong_on_dsp(const std::string& text) {
    return wrong_of(text,
                    "clang-19 --target=hexagon-unknown-linux-musl -O2 -mv67 -mhvx=v67 "
                    "-mhvx-length=128b -ffreestanding -nostdlib -static -fuse-ld=lld -Wall -Werror",
                    "qemu-hexagon -cpu v67");
  }
  static bool has_dsp() {
    return hvx_tool_is_here("clang-19") && hvx_tool_is_here("ld.lld-19") &&
           hvx_tool_is_here("qemu-hexagon");
  }

  const fs::path folder_ = fs::temp_directory_path() / "hone_emit_hvx_test";
};

TEST_F(EmitHvx, HasTheResultOfEveryCode) {
  if (!hvx_tool_is_here("cc")) GTEST_SKIP() << "no C compiler";
  const std::pair<CodeType, CodeType> types[] = {{kHvxSigned, kHvxUnsigned},
                                                 {kHvxUnsigned, kHvxSigned}};
  for (const auto& [in, out] : types) {
    const auto table = make_lookup_table(function_between(in, out), 0.5);
    const auto pieces = make_pieces(function_between(in, out), 1, 1);
    ASSERT_TRUE(table.ok() && pieces.ok());
    for (const std::function<int32_t(int32_t)>& run :
         {std::function<int32_t(int32_t)>(*table), std::function<int32_t(int32_t)>(*pieces)}) {
      const std::string text = emit_hvx(run, in, out, "swish", "a test");
      EXPECT_EQ(wrong_here(text), 0);
      if (has_dsp()) {
        EXPECT_EQ(wrong_on_dsp(text), 0);
      }
    }
  }
  if (!has_dsp())
    GTEST_SKIP() << "no clang-19, ld.lld-19 or qemu-hexagon: run on this machine alone";
}

// Its program tells a table that is not the function's from one that is.
TEST_F(EmitHvx, CountsWhatIsWrong) {
  if (!hvx_tool_is_here("cc")) GTEST_SKIP() << "no C compiler";
  std::string text =
      emit_hvx([](int32_t code) { return code; }, kHvxSigned, kHvxSigned, "same", "a test");
  EXPECT_EQ(wrong_here(text), 0);
  const size_t at = text.find("    0, 64,");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 10, "    0, 63,");
  EXPECT_GT(wrong_here(text), 0);
}

TEST_F(EmitHvx, TakesEightBits) {
  const CodeType wide{DType::I16, 0.001, 0};
  EXPECT_TRUE(check_hvx_types(kHvxSigned, kHvxUnsigned).ok());
  for (const Status& status :
       {check_hvx_types(wide, kHvxSigned), check_hvx_types(kHvxSigned, wide)}) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().kind, ErrorKind::Unsupported);
    EXPECT_NE(status.error().message.find("i8 or u8"), std::string::npos);
  }
}

}  // namespace
}  // namespace hone
