// Firmware within limits of memory: layers that run by rows give the bytes that whole ones do, and what does
// not fit is told.

#include <gtest/gtest.h>

#include <random>

#include "hone/model/load.h"
#include "hone/ops/op_case.h"
#include "hone/targets/c_code/plan.h"
#include "hone/targets/cortex_m/core.h"
#include "hone/workbench/workbench.h"
#include "tests/firmware_testing.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

// Images that layers hand on to one another, as a graph's text: every window, stride and border.
class RandomImages {
 public:
  explicit RandomImages(uint32_t seed) : random_(seed) {
    h_ = between(9, 21), w_ = between(5, 12), c_ = between(1, 9);
    text_ = str("graph(%v0: ", type(), ") -> (%out) {\n");
  }

  std::string text(size_t layers) {
    for (size_t i = 0; i < layers; ++i) add_layer();
    const std::string last = str("%v", made_);
    return text_ +
           str("%out: i8[1,", c_, "]<0.2:1> = reduce_mean(", last, ", i64[2]{1 2}) keepdims=0\n}");
  }

 private:
  int64_t between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  std::string type() const { return str("i8[1,", h_, ",", w_, ",", c_, "]<0.1:3>"); }
  std::string constant(std::string_view type, int64_t count, int64_t most) {
    std::string values;
    for (int64_t i = 0; i < count; ++i) values += str(i == 0 ? "" : " ", between(-most, most));
    return str(type, "{", values, "}");
  }

  void add_layer() {
    switch (between(0, 5)) {
      case 0:
        return add("hard_swish", "", "");
      case 1:
        return add("add", ", " + constant(str("i8[", c_, "]<0.1:2>"), c_, 100), "");
      case 2:
        return add(between(0, 1) == 0 ? "max_pool" : "average_pool", "", window(1, true));
      default:
        return add_conv(between(0, 1) == 0);
    }
  }

  // As `between` has it, and the image that comes of it.
  std::string window(int64_t most_dilation, bool pool) {
    const int64_t kernel_h = between(1, 5), kernel_w = between(1, 3),
                  dilation = between(1, most_dilation);
    const int64_t stride = h_ > 6 ? between(1, 2) : 1;
    const int64_t top = std::min(kernel_h - 1, between(0, 2)), left = kernel_w / 2;
    const int64_t reach_h = (kernel_h - 1) * dilation + 1, reach_w = (kernel_w - 1) * dilation + 1;
    const int64_t bottom = std::max(std::min(kernel_h - 1, between(0, 2)), reach_h - h_ - top);
    const int64_t right = std::max(kernel_w / 2, reach_w - w_ - left);
    h_ = (h_ + top + bottom - reach_h) / stride + 1;
    w_ = (w_ + left + right - reach_w) / stride + 1;
    kernel_h_ = kernel_h, kernel_w_ = kernel_w;
    return str(" layout=\"nhwc\" pads=[", top, ",", left, ",", bottom, ",", right, "] strides=[",
               stride, ",", stride, "] dilations=[", dilation, ",", dilation, "]",
               pool ? str(" kernel_shape=[", kernel_h, ",", kernel_w, "]") : "");
  }

  void add_conv(bool depthwise) {
    const int64_t in = c_;
    const std::string attributes = window(2, false);
    if (!depthwise) c_ = between(1, 9);
    const int64_t depth = depthwise ? 1 : in;
    const std::string weights =
        str("i8[", c_, ",", kernel_h_, ",", kernel_w_, ",", depth, "]<0.02:0>");
    add("conv",
        str(", ", constant(weights, c_ * kernel_h_ * kernel_w_ * depth, 127), ", ",
            constant(str("i32[", c_, "]"), c_, 999)),
        str(attributes, " group=", depthwise ? in : 1));
  }

  void add(std::string_view op, const std::string& operands, const std::string& attributes) {
    const size_t from = made_++;
    text_ +=
        str("%v", made_, ": ", type(), " = ", op, "(%v", from, operands, ")", attributes, "\n");
  }

  std::mt19937 random_;
  int64_t h_, w_, c_;
  int64_t kernel_h_ = 1, kernel_w_ = 1;
  size_t made_ = 0;
  std::string text_;
};

size_t ram_of(const Graph& graph, const FirmwareOptions& firmware,
              std::string_view core = "cortex-m7") {
  const auto plan = c_code::make_plan(
      std::move(*graph.clone()), {.threads = 1, .firmware = firmware}, cortex_m::kernels_for(core));
  HONE_CHECK(plan.ok(), plan.error().message);
  return c_code::ram_bytes(*plan);
}

// In as little memory as they can: rows that are gone, or not there yet, would show.
TEST(FirmwareByRows, HasTheBytesOfTheReference) {
  SKIP_WITHOUT_COMPILER();
  int with_less = 0;
  for (uint32_t seed = 0; seed < 12; ++seed) {
    const std::string text = RandomImages(seed).text(3 + seed % 5);
    SCOPED_TRACE(text);
    const auto graph = parse_graph(text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const std::string core = seed % 4 < 2 ? "cortex-m7" : "cortex-m55";
    FirmwareOptions firmware{.max_ram = 1, .inputs_in_arena = seed % 2 == 1};
    firmware.max_ram = ram_of(*graph, firmware, core);
    if (firmware.max_ram < ram_of(*graph, {.inputs_in_arena = seed % 2 == 1}, core)) ++with_less;
    const fs::path folder = fresh_folder();
    const Status written =
        write_firmware(*graph, static_cast<Rounding>(seed % 3), folder, firmware, core);
    ASSERT_TRUE(written.ok()) << written.error().message;
    EXPECT_EQ(
        selftest_here(folder, {"-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}),
        "");
    if (seed < 4 && has_emulator()) {
      EXPECT_EQ(selftest_on(kBoards[seed < 2 ? 0 : 3], folder), "");
    }
  }
  EXPECT_GT(with_less, 8);
}

// Half of the arena with the input outside of it, and half of all with the input inside.
TEST(FirmwareByRows, HalvesTheMemoryOfANetwork) {
  const fs::path file = shared_dir() / "models" / "mlperf_tiny" / "vww_int8.tflite";
  HONE_SKIP_WITHOUT(file);
  SKIP_WITHOUT_COMPILER();
  const auto model = load_model(file.string());
  ASSERT_TRUE(model.ok()) << model.error().message;
  const size_t whole = ram_of(model->graph, {});
  const size_t outside = 96 * 96 * 3 + 2 + 4;
  const FirmwareOptions halves[] = {{.max_ram = outside + (whole - outside) / 2},
                                    {.max_ram = whole / 2, .inputs_in_arena = true}};
  for (const FirmwareOptions& half : halves) {
    const fs::path folder = fresh_folder();
    const Status written = write_firmware(model->graph, Rounding::Double, folder, half);
    ASSERT_TRUE(written.ok()) << written.error().message;
    EXPECT_EQ(selftest_here(folder), "");
    if (has_emulator()) {
      EXPECT_EQ(selftest_on(kBoards[0], folder), "");
    }
  }
}

TEST(FirmwareBudget, OfKeywordsIs32KiB) {
  auto model = open_model("zoo:ds_cnn_kws:int8", {});
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto plan =
      c_code::make_plan(std::move(model->graph), {.firmware = {.max_ram = 32 * 1024}});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_TRUE(plan->chains.empty());
  EXPECT_LE(c_code::ram_bytes(*plan), size_t{32 * 1024});
}

// Why a network of the zoo does not fit a Cortex-M4 with 640 KiB of RAM; empty where it does.
std::string misfit_of(const std::string& model, uint64_t max_ram) {
  auto opened = open_model(model, {});
  if (!opened.ok()) return opened.error().message;
  const CompileOptions options{.threads = 1, .firmware = {.max_ram = max_ram}};
  const auto program =
      (*find_target("cortex-m4"))->open()->compile(std::move(*opened->graph.clone()), options);
  return program.ok() ? (*program)->modelled()->misfit : program.error().message;
}

TEST(FirmwareRam, IsThatOfBytesNotOfFloatsAtTheEnds) {
  EXPECT_EQ(misfit_of("zoo:shufflenet_v2_05:int8", 0), "");
}

TEST(FirmwareRam, IsNoMoreThanTheDevices) {
  EXPECT_EQ(misfit_of("zoo:mobilenet_v2_035:int8", 0), "");
  EXPECT_EQ(misfit_of("zoo:mobilenet_v2_035:int8", uint64_t{4} << 20), "");
}

TEST(FirmwareErrors, NameTheMemoryThatIsTooSmall) {
  const auto large = graph_of_case("conv",
                                   "i8[1,512,512,8]<0.5:3> = (i8[1,512,512,8]<0.1:5>, const "
                                   "i8[8,1,1,8]<0.05:0>, const i32[8]) layout=\"nhwc\"");
  ASSERT_TRUE(large.ok());
  const Status written = write_firmware(*large, Rounding::Double, fresh_folder());
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().kind, ErrorKind::Resource);
  EXPECT_EQ(written.error().message,
            "does not fit: activations take 4.00 MiB, cortex-m7 has 1.32 MiB of RAM, most in "
            "'y0', 4.00 MiB");
}

// Code is part of it: what was linked says how much it takes, and a byte less is refused.
TEST(FirmwareBudget, OfFlashIsThatOfTheLinkedNetwork) {
  if (!find_program("arm-none-eabi-gcc") || !find_program("arm-none-eabi-objdump")) {
    GTEST_SKIP() << "no arm-none-eabi-gcc, or no objdump of its";
  }
  const auto graph = graph_of_case(
      "conv",
      "i8[1,8,8,12]<0.4:3> = (i8[1,8,8,16]<0.1:5>, const i8[12,1,1,16]<0.02:0>, const i32[12]) "
      "layout=\"nhwc\"");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto compiled = [&](uint64_t flash) {
    return (*find_target("cortex-m7"))
        ->open()
        ->compile(std::move(*graph->clone()),
                  {.threads = 1, .firmware = FirmwareOptions{.max_flash = flash}});
  };
  // Room for constants alone.
  const auto refused = compiled(12 * 16 + 12 * 9);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::Resource);
  const std::string& message = refused.error().message;
  const size_t at = message.find("code and constants take ");
  ASSERT_NE(at, std::string::npos) << message;
  const uint64_t bytes =
      std::stoull(message.substr(at + std::string("code and constants take ").size()));
  EXPECT_TRUE(compiled(bytes).ok());
  EXPECT_FALSE(compiled(bytes - 1).ok());
}

}  // namespace
}  // namespace hone
