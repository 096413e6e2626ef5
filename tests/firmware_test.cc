// Networks written as C give, built for this machine and for emulated boards, the bytes that the reference
// gives: the projects' own self-tests. Skipped, with the reason, where there is no compiler or emulator.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "hone/base/file.h"
#include "hone/base/peek_file.h"
#include "hone/base/process.h"
#include "hone/model/load.h"
#include "hone/ops/op_case.h"
#include "hone/targets/c_code/plan.h"
#include "hone/targets/target.h"
#include "hone/workbench/workbench.h"
#include "tests/int8_layers.h"
#include "tests/real_inputs.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// A folder of its own for every test of every process.
fs::path fresh_folder() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = str(test->test_suite_name(), "_", test->name());
  std::ranges::replace(name, '/', '_');
  const fs::path folder = fs::path(testing::TempDir()) / str("firmware_", getpid()) / name;
  fs::remove_all(folder);
  return folder;
}

Status write_firmware(const Graph& graph, Rounding rounding, const fs::path& folder,
                      const FirmwareOptions& firmware = {}) {
  const CompileOptions options{.eval = {.rounding = rounding}, .threads = 1, .firmware = firmware};
  HONE_TRY(const auto program,
           (*find_target("cortex-m7"))->open()->compile(std::move(*graph.clone()), options));
  return program->write(folder);
}

// Builds and runs what the Makefile would; what it says where it does not end well.
std::string ran(const std::vector<std::string>& build, const std::vector<std::string>& run) {
  const auto built = run_program(build, 120);
  if (!built.ok()) return built.error().message;
  if (built->status != 0 || !built->text.empty()) return "building: " + built->text;
  const auto output = run_program(run, 120);
  if (!output.ok()) return output.error().message;
  return output->status == 0 ? "" : str("status ", output->status, ": ", output->text);
}

std::vector<std::string> sources_of(const fs::path& folder) {
  std::vector<std::string> sources;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const bool network = entry.path().filename().string().starts_with("hone_");
    if (network && entry.path().extension() == ".c") sources.push_back(entry.path().string());
  }
  sources.push_back((folder / "selftest.c").string());
  return sources;
}

std::string selftest_here(const fs::path& folder, const std::vector<std::string>& flags = {}) {
  const std::string program = (folder / "selftest").string();
  std::vector<std::string> build = {"cc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-o", program};
  std::ranges::copy(flags, std::back_inserter(build));
  std::ranges::copy(sources_of(folder), std::back_inserter(build));
  // Who looks for leaks takes seconds, where there is no heap.
  return ran(build, {"env", "ASAN_OPTIONS=detect_leaks=0", program});
}

// The same, where what is undefined ends the program.
std::string strict_selftest(const fs::path& folder) {
  return selftest_here(folder, {"-fsanitize=undefined", "-fno-sanitize-recover=all"});
}

struct Board {
  std::string name;
  std::string core;
  std::string machine;
  std::string script;
  std::vector<std::string> flags;
};
const Board kBoards[] = {
    {"m7", "cortex-m7", "mps2-an500", "mps2_an500.ld", {"-mfpu=fpv5-d16", "-mfloat-abi=hard"}},
    {"m4", "cortex-m4", "mps2-an500", "mps2_an500.ld", {}},
    {"m3", "cortex-m3", "mps2-an500", "mps2_an500.ld", {}},
    {"m55", "cortex-m55", "mps3-an547", "mps3_an547.ld", {"-mfloat-abi=hard"}},
};
// Loads have to be aligned. Its memory is as large as that of small products.
const Board kSmallest = {"m0", "cortex-m0", "microbit", "microbit.ld", {}};

std::string selftest_on(const Board& board, const fs::path& folder) {
  const std::string program = (folder / str("firmware_", board.name, ".elf")).string();
  std::vector<std::string> build = {"arm-none-eabi-gcc",
                                    "-std=gnu11",
                                    "-O2",
                                    "-mthumb",
                                    "-ffunction-sections",
                                    "-fdata-sections",
                                    "-fno-tree-loop-distribute-patterns",
                                    "-nostartfiles",
                                    "--specs=nano.specs",
                                    "-mcpu=" + board.core,
                                    "-L",
                                    folder.string(),
                                    "-T",
                                    (folder / board.script).string(),
                                    (folder / "startup.c").string(),
                                    "-o",
                                    program};
  std::ranges::copy(board.flags, std::back_inserter(build));
  std::ranges::copy(sources_of(folder), std::back_inserter(build));
  return ran(build, {"qemu-system-arm", "-M", board.machine, "-nographic", "-monitor", "none",
                     "-serial", "none", "-semihosting", "-kernel", program});
}

bool has_emulator() {
  return find_program("arm-none-eabi-gcc") && find_program("qemu-system-arm");
}

#define SKIP_WITHOUT_COMPILER() \
  if (!find_program("cc")) GTEST_SKIP() << "no C compiler: cc is not here"

// Kernels are of int8.
bool has_kernel(const Int8Layer& layer) {
  for (const char* other : {"u8[", "i16[", "f32", "quantize_linear"}) {
    if (layer.text.find(other) != std::string::npos || layer.op.ends_with(other)) return false;
  }
  return true;
}

const Int8Layer kMoreLayers[] = {
    // Channels with one result, and with factors above one.
    {"conv",
     "i8[1,5,5,7]<0.4:3> = (i8[1,5,5,16]<0.1:-5>, const i8[7,1,1,16]<axis 0, 0.02:0 1e-11:0 "
     "0.02:0 1e-10:0 1e-11:0 5:0 1e-9:0>, const i32[7]) layout=\"nhwc\""},
    {"conv",
     "i8[1,4,5,3]<0.4:3> = (i8[1,4,5,5]<0.1:-5>, const i8[3,3,3,5]<axis 0, 1e-11:0 1e-10:0 "
     "1e-11:0>, const i32[3]) layout=\"nhwc\" pads=[1,1,1,1]"},
    {"gemm",
     "i8[1,4]<0.4:3> = (i8[1,30]<0.1:-5>, const i8[4,30]<axis 0, 1e-11:0 0.02:0 0.02:0 "
     "0.01:0>, const i32[4]) transB=1"},
    // What moves elements, picks them, or blends them.
    {"pad", "i8[1,7,9,3]<0.5:3> = (i8[1,4,5,3]<0.5:3>, i64[8]{0 1 2 0 0 2 2 0})"},
    {"pad", "i8[3,8]<0.5:3> = (i8[2,5]<0.5:3>, i64[2]{1 2}, i8[]<0.5:3>{-7}, i64[1]{1})"},
    {"pad", "i8[2,5,4]<0.5:3> = (i8[2,3,4]<0.5:3>, i64[2]{0 2}, _, i64[1]{1})"},
    {"slice",
     "i8[2,3,2]<0.5:3> = (i8[4,6,2]<0.5:3>, i64[2]{1 0}, i64[2]{3 6}, i64[2]{0 1}, "
     "i64[2]{1 2})"},
    {"slice", "i8[4,2]<0.5:3> = (i8[4,6]<0.5:3>, i64[1]{-1}, i64[1]{-5}, i64[1]{1}, i64[1]{-2})"},
    {"split", "i8[2,3,4]<0.5:0>, i8[2,2,4]<0.5:0> = (i8[2,5,4]<0.5:0>, i64[2]{3 2}) axis=1"},
    {"transpose", "i8[3,5,4,2]<0.5:3> = (i8[2,3,4,5]<0.5:3>) perm=[1,3,2,0]"},
    {"tile", "i8[4,9]<0.5:3> = (i8[2,3]<0.5:3>, i64[2]{2 3})"},
    {"expand", "i8[4,5,3]<0.5:3> = (i8[4,1,3]<0.5:3>, i64[3]{4 5 3})"},
    {"gather", "i8[2,5,3]<0.5:3> = (i8[2,4,3]<0.5:3>, i64[5]{0 3 3 1 0}) axis=1"},
    {"depth_to_space", "i8[1,6,4,2]<0.5:3> = (i8[1,3,2,8]<0.5:3>) blocksize=2 layout=\"nhwc\""},
    {"space_to_depth", "i8[1,2,3,12]<0.5:3> = (i8[1,4,6,3]<0.5:3>) blocksize=2 layout=\"nhwc\""},
    {"resize", "i8[1,8,6,5]<0.1:3> = (i8[1,4,3,5]<0.1:3>, _, f32[4]{1 2 2 1})"},
    {"resize", "i8[2,7,5,3]<0.1:3> = (i8[2,4,3,3]<0.1:3>, _, _, i64[4]{2 7 5 3})"},
    {"resize",
     "i8[2,7,9,3]<0.1:3> = (i8[2,4,5,3]<0.1:3>, _, _, i64[2]{7 9}) axes=[1,2] "
     "mode=\"linear\""},
    {"resize",
     "i8[1,7,3,3]<0.1:3> = (i8[1,4,5,3]<0.1:3>, _, _, i64[2]{7 3}) axes=[1,2] "
     "mode=\"linear\" coordinate_transformation_mode=\"align_corners\""},
    {"resize",
     "i8[1,9,8,3]<0.1:3> = (i8[1,4,5,3]<0.1:3>, _, _, i64[2]{9 8}) axes=[1,2] "
     "mode=\"linear\" coordinate_transformation_mode=\"asymmetric\""},
    {"max", "i8[2,5,7,12]<0.2:-7> = (i8[2,5,7,12]<0.2:-7>, i8[2,5,7,12]<0.2:-7>)"},
    {"min", "i8[2,5,7,12]<0.2:-7> = (i8[2,5,7,12]<0.2:-7>, i8[12]<0.2:-7>)"},
    {"prelu", "i8[1,5,7,12]<0.15:9> = (i8[1,5,7,12]<0.2:-7>, const i8[12]<0.01:3>)"},
    {"leaky_relu", "i8[3,50]<0.15:9> = (i8[3,50]<0.2:-7>) alpha=0.1"},
    {"reduce_mean", "i8[3,5]<0.05:3> = (i8[2,3,4,5]<0.1:-20>, i64[2]{0 2}) keepdims=0"},
    {"reduce_mean", "i8[2,1,4,1]<0.05:3> = (i8[2,3,4,5]<0.1:-20>, i64[2]{1 3})"},
};

class Firmware : public testing::TestWithParam<Rounding> {
 protected:
  // Of the rounding that files have, each layer on another board.
  std::string selftest_on_next_board(const fs::path& folder) {
    if (GetParam() != Rounding::Double || !has_emulator()) return "";
    return selftest_on(kBoards[boards_used_++ % std::size(kBoards)], folder);
  }

 private:
  size_t boards_used_ = 0;
};

TEST_P(Firmware, HasTheBytesOfTheReferenceInEveryLayer) {
  SKIP_WITHOUT_COMPILER();
  for (const Int8Layer& layer : kInt8Layers) {
    SCOPED_TRACE(layer.op + " " + layer.text);
    const auto graph = graph_of_case(layer.op, layer.text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const fs::path folder = fresh_folder();
    const Status written = write_firmware(*graph, GetParam(), folder);
    EXPECT_EQ(written.ok(), has_kernel(layer)) << (written.ok() ? "" : written.error().message);
    if (written.ok()) {
      EXPECT_EQ(strict_selftest(folder), "");
      EXPECT_EQ(selftest_on_next_board(folder), "");
    }
  }
}

TEST_P(Firmware, HasThemInMoreLayers) {
  SKIP_WITHOUT_COMPILER();
  for (const Int8Layer& layer : kMoreLayers) {
    SCOPED_TRACE(layer.op + " " + layer.text);
    const auto graph = graph_of_case(layer.op, layer.text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const fs::path folder = fresh_folder();
    const Status written = write_firmware(*graph, GetParam(), folder);
    ASSERT_TRUE(written.ok()) << written.error().message;
    EXPECT_EQ(strict_selftest(folder), "");
    EXPECT_EQ(selftest_on_next_board(folder), "");
  }
}

// Windows that reach over every border, channels and depths of every remainder.
TEST_P(Firmware, HasThemForRandomWindows) {
  SKIP_WITHOUT_COMPILER();
  std::mt19937 random(static_cast<uint32_t>(GetParam()) + 1);
  const auto between = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int i = 0; i < 9; ++i) {
    const bool depthwise = i % 3 == 1, grouped = i % 3 == 2;
    const int64_t kernel = i == 1 ? 3 : between(1, 4), stride = between(1, 3 - i % 2);
    const int64_t dilation = i == 1 ? 1 : between(1, 2);
    const int64_t pad = between(0, 2), h = between(7, 11), w = between(7, 11);
    const int64_t groups = grouped ? between(2, 3) : 1, in = groups * between(1, 13 / groups);
    const int64_t out = depthwise ? in : groups * between(1, 9 / groups);
    const auto extent = [&](int64_t size) {
      return (size + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1;
    };
    const std::string text = str(
        "i8[2,", extent(h), ",", extent(w), ",", out, "]<0.4:", between(-9, 9), "> = (i8[2,", h,
        ",", w, ",", in, "]<0.1:", between(-128, 127), ">, const i8[", out, ",", kernel, ",",
        kernel, ",", depthwise ? 1 : in / groups, "]<0.02:0>, const i32[", out,
        "]) layout=\"nhwc\" pads=[", pad, ",", pad, ",", pad, ",", pad, "] strides=[", stride, ",",
        stride, "] dilations=[", dilation, ",", dilation, "] group=", depthwise ? in : groups);
    SCOPED_TRACE(text);
    const auto graph = graph_of_case("conv", text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const fs::path folder = fresh_folder();
    const Status written = write_firmware(*graph, GetParam(), folder);
    ASSERT_TRUE(written.ok()) << written.error().message;
    EXPECT_EQ(strict_selftest(folder), "");
    if (i < 3 && has_emulator()) {
      EXPECT_EQ(selftest_on(kBoards[0], folder), "");
    }
  }
}

std::string rounding_name(const testing::TestParamInfo<Rounding>& info) {
  constexpr const char* kNames[] = {"twice", "once", "twice_upward"};
  return kNames[static_cast<size_t>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Roundings, Firmware,
                         testing::Values(Rounding::Double, Rounding::Single,
                                         Rounding::DoubleUpward),
                         rounding_name);

// As hone quantize leaves them: floats at the ends, and a softmax of them.
TEST(FirmwareEnds, AreIntegers) {
  SKIP_WITHOUT_COMPILER();
  auto model = open_model("zoo:ds_cnn_kws:int8", {});
  ASSERT_TRUE(model.ok()) << model.error().message;
  const fs::path folder = fresh_folder();
  const Status written = write_firmware(model->graph, Rounding::Double, folder);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(selftest_here(folder), "");
}

// A convolution of int8 with random weights; factors of all channels but every third are next to nothing.
Value* add_conv(Graph& graph, Value* x, Shape weights, int64_t pad, bool pruned) {
  std::mt19937 random(7);
  Quantization scales;
  scales.axis = 0;
  for (int64_t n = 0; n < weights[0]; ++n) {
    scales.scales.push_back(pruned && n % 3 != 0 ? 1e-11F : 0.02F);
    scales.zero_points.push_back(0);
  }
  Tensor w({DType::I8, weights, std::make_shared<const Quantization>(scales)});
  for (int8_t& value : w.mutable_data<int8_t>()) value = static_cast<int8_t>(random() % 255 - 127);
  Tensor bias({DType::I32, {weights[0]}});
  for (int32_t& value : bias.mutable_data<int32_t>()) {
    value = static_cast<int32_t>(random() % 2000) - 1000;
  }
  TensorType y = x->type.tensor;
  y.shape.back() = weights[0];
  y.quant = std::make_shared<const Quantization>(Quantization{{0.4F}, {3}});
  const int64_t groups = weights.back() == 1 ? weights[0] : 1;
  return graph
      .add_node(
          "conv",
          {x, graph.add_constant("w", std::move(w)), graph.add_constant("b", std::move(bias))}, {y},
          {{"layout", std::string("nhwc")}, {"pads", Ints{pad, pad, pad, pad}}, {"group", groups}})
      ->outputs[0];
}

TEST(FirmwareChannels, GoWhereTheyAreAlwaysZero) {
  SKIP_WITHOUT_COMPILER();
  Graph graph;
  const auto quant = std::make_shared<const Quantization>(Quantization{{0.1F}, {-5}});
  Value* x = graph.add_input("x", TensorType{DType::I8, {1, 6, 5, 8}, quant});
  Value* wide = add_conv(graph, x, {24, 1, 1, 8}, 0, true);
  Value* filtered = add_conv(graph, wide, {24, 3, 3, 1}, 1, false);
  graph.add_output(add_conv(graph, filtered, {5, 1, 1, 24}, 0, false));
  const fs::path folder = fresh_folder();
  const Status written = write_firmware(graph, Rounding::Double, folder);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(strict_selftest(folder), "");
  const auto source = read_text(folder / "hone_network.c");
  ASSERT_TRUE(source.ok());
  EXPECT_NE(source->find("int8 [1, 6, 5, 8]"), std::string::npos);
  EXPECT_EQ(source->find("int8 [1, 6, 5, 24]"), std::string::npos);
}

// Whatever a file calls its layers and tensors, it is C.
TEST(FirmwareNames, AreNoneOfTheLanguage) {
  SKIP_WITHOUT_COMPILER();
  Graph graph;
  graph.name = "kernels";
  const auto quant = std::make_shared<const Quantization>(Quantization{{0.1F}, {-5}});
  Value* x = graph.add_input("int", TensorType{DType::I8, {1, 3, 3, 8}, quant});
  Value* y = add_conv(graph, x, {4, 1, 1, 8}, 0, false);
  y->name = "arena";
  y->producer->name = "evil */ int x = 1; /* \\";
  graph.add_output(y);
  const fs::path folder = fresh_folder();
  const Status written = write_firmware(graph, Rounding::Double, folder);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(strict_selftest(folder), "");
}

// As images of channels first leave a network that computes with channels last.
TEST(FirmwareEnds, AreMovedAsIntegers) {
  SKIP_WITHOUT_COMPILER();
  auto graph = parse_graph(R"(graph(%x: i8[1,2,8,8]) -> (%y) {
    %f: f32[1,2,8,8] = dequantize_linear(%x, f32[]{0.1}, i8[]{3})
    %p: f32[1,2,4,4] = max_pool(%f) kernel_shape=[2,2] strides=[2,2]
    %q: i8[1,2,4,4] = quantize_linear(%p, f32[]{0.1}, i8[]{3})
    %d: f32[1,2,4,4] = dequantize_linear(%q, f32[]{0.1}, i8[]{3})
    %i: f32[1,2,4,4] = identity(%d)
    %y: f32[1,4,2,4] = transpose(%i) perm=[0,2,1,3]
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const fs::path folder = fresh_folder();
  const Status written = write_firmware(*graph, Rounding::Double, folder);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(strict_selftest(folder), "");
}

// Sums whose quarter is a tie: floats between the pairs would round them in another way.
TEST(FirmwarePairs, AreIntegersInVectorsToo) {
  SKIP_WITHOUT_COMPILER();
  auto graph = parse_graph(R"(graph(%x: i8[1,2,8,8]) -> (%y) {
    %f: f32[1,2,8,8] = dequantize_linear(%x, f32[]{0.1}, i8[]{3})
    %p: f32[1,2,4,4] = average_pool(%f) kernel_shape=[2,2] strides=[2,2]
    %y: i8[1,2,4,4] = quantize_linear(%p, f32[]{0.1}, i8[]{3})
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const fs::path folder = fresh_folder();
  const Status written = write_firmware(*graph, Rounding::Double, folder);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(strict_selftest(folder), "");
}

// With inputs that are more than noise, where they are here.
Status write_network(const std::string& network, const Graph& graph, const fs::path& folder) {
  HONE_TRY(const c_code::Plan plan,
           c_code::make_plan(std::move(*graph.clone()), CompileOptions{.threads = 1}));
  std::vector<c_code::Bytes> inputs = real_inputs(network, plan);
  if (inputs.empty()) inputs = c_code::noise_inputs(plan, 2);
  HONE_TRY(const auto tests, c_code::reference_tests(graph, plan, inputs));
  return c_code::write_project(
      plan, {.model = network, .device = "cortex-m7", .prefix = "hone_" + network}, tests, folder);
}

class FirmwareNetworks : public testing::TestWithParam<std::string> {};

TEST_P(FirmwareNetworks, HaveTheBytesOfTheReferenceOnEveryCore) {
  const fs::path file = shared_dir() / "models" / "mlperf_tiny" / (GetParam() + "_int8.tflite");
  HONE_SKIP_WITHOUT(file);
  SKIP_WITHOUT_COMPILER();
  const auto model = load_model(file.string());
  ASSERT_TRUE(model.ok()) << model.error().message;
  const fs::path folder = fresh_folder();
  const Status written = write_network(GetParam(), model->graph, folder);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(selftest_here(folder), "");
  if (!has_emulator()) GTEST_SKIP() << "no arm-none-eabi-gcc or qemu-system-arm";
  for (const Board& board : kBoards) {
    // A core without the DSP extension is tried on one network.
    if (GetParam() != "kws" && board.name == "m3") continue;
    EXPECT_EQ(selftest_on(board, folder), "") << board.name;
  }
}

TEST(FirmwareSmall, RunsWhereLoadsAreAligned) {
  if (!has_emulator()) GTEST_SKIP() << "no arm-none-eabi-gcc or qemu-system-arm";
  for (const char* text :
       {"i8[1,7,6,5]<0.4:3> = (i8[1,7,6,3]<0.1:-5>, const i8[5,3,3,3]<0.02:0>, const i32[5]) "
        "layout=\"nhwc\" pads=[1,1,1,1]",
        "i8[1,7,6,5]<0.4:3> = (i8[1,7,6,5]<0.1:-5>, const i8[5,3,3,1]<0.02:0>, const i32[5]) "
        "layout=\"nhwc\" pads=[1,1,1,1] group=5",
        "i8[1,7,6,5]<0.4:3> = (i8[1,7,6,5]<0.1:-5>, const i8[5,4,3,1]<0.02:0>, const i32[5]) "
        "layout=\"nhwc\" pads=[2,1,1,1] group=5"}) {
    SCOPED_TRACE(text);
    const auto graph = graph_of_case("conv", text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const fs::path folder = fresh_folder();
    const Status written = write_firmware(*graph, Rounding::Double, folder);
    ASSERT_TRUE(written.ok()) << written.error().message;
    ASSERT_TRUE(write_file(folder / "microbit.ld",
                           "MEMORY {\n  FLASH (rx) : ORIGIN = 0, LENGTH = 256K\n"
                           "  RAM (rw) : ORIGIN = 0x20000000, LENGTH = 16K\n}\n"
                           "REGION_ALIAS(\"BOOT\", FLASH)\nREGION_ALIAS(\"TESTS\", FLASH)\n"
                           "INCLUDE sections.ld\n")
                    .ok());
    EXPECT_EQ(selftest_on(kSmallest, folder), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Tiny, FirmwareNetworks, testing::Values("ad", "ic", "kws", "vww"),
                         [](const auto& param) { return param.param; });

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

size_t ram_of(const Graph& graph, const FirmwareOptions& firmware) {
  const auto plan =
      c_code::make_plan(std::move(*graph.clone()), {.threads = 1, .firmware = firmware});
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
    FirmwareOptions firmware{.max_ram = 1, .inputs_in_arena = seed % 2 == 1};
    firmware.max_ram = ram_of(*graph, firmware);
    if (firmware.max_ram < ram_of(*graph, {.inputs_in_arena = seed % 2 == 1})) ++with_less;
    const fs::path folder = fresh_folder();
    const Status written =
        write_firmware(*graph, static_cast<Rounding>(seed % 3), folder, firmware);
    ASSERT_TRUE(written.ok()) << written.error().message;
    EXPECT_EQ(
        selftest_here(folder, {"-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}),
        "");
    if (seed < 2 && has_emulator()) {
      EXPECT_EQ(selftest_on(kBoards[0], folder), "");
    }
  }
  EXPECT_GT(with_less, 8);
}

TEST(FirmwareErrors, NameTheLayerAndWhatWouldDo) {
  const auto floats = graph_of_case("conv", "(f32[1,6,6,4], const f32[8,3,3,4]) layout=\"nhwc\"");
  ASSERT_TRUE(floats.ok());
  const Status written = write_firmware(*floats, Rounding::Double, fresh_folder());
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(written.error().message.find("expected int8"), std::string::npos);
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

}  // namespace
}  // namespace hone
