// Damaged, lying and hostile model files: a one-line error that names the file, exit code 3 or 4,
// and never a crash.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <span>
#include <sstream>

#include "hone/cli/command_def.h"
#include "hone/model/save.h"
#include "hone/wire/npy.h"
#include "hone/workbench/workbench.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class BadInput : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / "hone_bad_input";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  // Runs a command that must fail with exit code 3 or 4 and one line that names the file.
  void expect_refused(const std::vector<std::string>& command, const std::string& named,
                      const std::string& also = "") {
    std::ostringstream out, err;
    const int exit = run_cli(command, out, err);
    EXPECT_TRUE(exit == 3 || exit == 4) << exit << " " << out.str() << err.str();
    const std::string message = err.str();
    EXPECT_EQ(std::ranges::count(message, '\n'), 1) << message;
    EXPECT_NE(message.find(named), std::string::npos) << message;
    EXPECT_NE(message.find(also), std::string::npos) << message;
  }

  // A model with one node, to be made wrong.
  static OnnxModel relu() {
    OnnxModel model;
    model.ir_version = 8;
    model.opsets[""] = 13;
    model.graph.name = "g";
    const OnnxType type{.dtype = DType::F32, .shape = std::vector<OnnxDim>{{1, ""}, {4, ""}}};
    model.graph.inputs = {{"x", type}};
    model.graph.outputs = {{"y", type}};
    model.graph.nodes = {OnnxNode{"n", "Relu", "", {"x"}, {"y"}, {}, {}}};
    return model;
  }

  std::string path_of(const OnnxModel& model) {
    const auto bytes = write_onnx_bytes(model);
    return write("model.onnx", *bytes).string();
  }

  fs::path folder_;
};

TEST_F(BadInput, EveryTruncationIsRefused) {
  auto network = open_model("zoo:ds_cnn_kws");
  ASSERT_TRUE(network.ok()) << network.error().message;
  const auto model = export_onnx(network->graph);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const std::string bytes = *write_onnx_bytes(*model);
  for (size_t length = 0; length < bytes.size(); length += 1 + bytes.size() / 97) {
    const fs::path path = write("cut.onnx", bytes.substr(0, length));
    expect_refused({"inspect", path.string()}, "cut.onnx");
  }
}

TEST_F(BadInput, FlippedBitsNeverCrash) {
  auto network = open_model("zoo:ds_cnn_kws");
  ASSERT_TRUE(network.ok()) << network.error().message;
  const std::string bytes = *write_onnx_bytes(*export_onnx(network->graph));
  std::mt19937 rng(1);
  for (int i = 0; i < 200; ++i) {
    std::string flipped = bytes;
    // Structure is dense at the front, weights fill the rest.
    const size_t range = i % 2 == 0 ? flipped.size() : std::min<size_t>(flipped.size(), 4096);
    flipped[rng() % range] ^= static_cast<char>(1 << (rng() % 8));
    std::ostringstream out, err;
    const int exit = run_cli({"inspect", write("flip.onnx", flipped).string()}, out, err);
    EXPECT_TRUE(exit == 0 || exit == 3 || exit == 4) << exit << " " << err.str();
  }
}

TEST_F(BadInput, NotAModelAtAll) {
  expect_refused({"inspect", write("text.onnx", "hello, world\n").string()}, "text.onnx");
  expect_refused({"inspect", write("text.tflite", "hello, world\n").string()}, "text.tflite");
  expect_refused({"inspect", write("empty.tflite", "").string()}, "empty.tflite");
  expect_refused({"inspect", folder_.string() + "/folder.onnx"}, "folder.onnx", "no such file");
}

// As an unset variable of a script gives it: a limit must not vanish.
TEST_F(BadInput, AnEmptyTextIsNoLimit) {
  expect_refused({"validate", "zoo:resnet8", "--max-latency", ""}, "--max-latency",
                 "expected a value, got an empty text");
}

TEST_F(BadInput, CyclesAreNamed) {
  OnnxModel model = relu();
  model.graph.nodes = {OnnxNode{"a", "Add", "", {"x", "q"}, {"p"}, {}, {}},
                       OnnxNode{"b", "Relu", "", {"p"}, {"q"}, {}, {}},
                       OnnxNode{"c", "Relu", "", {"q"}, {"y"}, {}, {}}};
  expect_refused({"inspect", path_of(model)}, "model.onnx", "cycle");
}

TEST_F(BadInput, WrongTypesNameTheLayer) {
  OnnxModel model = relu();
  model.graph.nodes[0].op_type = "And";
  model.graph.nodes[0].inputs = {"x", "x"};
  expect_refused({"run", path_of(model)}, "model.onnx", "'n'");
}

TEST_F(BadInput, ClaimedTerabytesAreRefusedBeforeTheyAreAllocated) {
  OnnxModel model = relu();
  model.graph.inputs[0].type->shape = std::vector<OnnxDim>{{int64_t{1} << 40, ""}, {4, ""}};
  expect_refused({"run", path_of(model)}, "model.onnx", "'x'");
  model.graph.inputs[0].type->shape = std::vector<OnnxDim>{{int64_t{1} << 62, ""}, {16, ""}};
  expect_refused({"inspect", path_of(model)}, "model.onnx", "'x'");
}

TEST_F(BadInput, AShapeThatGrowsWithoutBoundIsRefused) {
  OnnxModel model = relu();
  model.graph.initializers.emplace_back("shape", Tensor::of_ints({int64_t{1} << 40, 4}));
  model.graph.nodes = {OnnxNode{"n", "Expand", "", {"x", "shape"}, {"y"}, {}, {}}};
  expect_refused({"run", path_of(model)}, "model.onnx", "'n'");
}

TEST_F(BadInput, UnknownOperatorsAreUnsupportedWithTheirName) {
  OnnxModel model = relu();
  model.graph.nodes[0].op_type = "FancyActivation";
  model.graph.nodes[0].domain = "com.example";
  expect_refused({"run", path_of(model)}, "model.onnx", "FancyActivation");
}

TEST_F(BadInput, AFutureOperatorSetIsUnsupported) {
  OnnxModel model = relu();
  model.opsets[""] = 99;
  expect_refused({"run", path_of(model)}, "model.onnx", "99");
}

TEST_F(BadInput, MissingTensorsAreNamed) {
  OnnxModel model = relu();
  model.graph.nodes[0].inputs = {"nowhere"};
  expect_refused({"inspect", path_of(model)}, "model.onnx", "nowhere");
}

TEST_F(BadInput, RunRefusesInputsOfAnotherShapeOrType) {
  const std::string path = path_of(relu());
  ASSERT_TRUE(write_npy(Tensor::of<float>({1, 3}, {1, 2, 3}), folder_ / "three.npy").ok());
  expect_refused({"run", path, "--inputs", "x:" + (folder_ / "three.npy").string()}, "'x'",
                 "f32[1,3]");
  ASSERT_TRUE(write_npy(Tensor::of<int32_t>({1, 4}, {1, 2, 3, 4}), folder_ / "ints.npy").ok());
  expect_refused({"run", path, "--inputs", "x:" + (folder_ / "ints.npy").string()}, "ints.npy",
                 "i32");
  write("broken.npy", "not an array");
  expect_refused({"run", path, "--inputs", "x:" + (folder_ / "broken.npy").string()}, "broken.npy");
  expect_refused({"run", path, "--shapes", "x:1x9"}, "'x'");
  expect_refused({"run", path, "--shapes", "z:1x4"}, "'z'");
  expect_refused({"run", path, "--shapes", "x=1,4"}, "x=1,4");
}

TEST_F(BadInput, ValidateRefusesFoldersThatAreNoDataSet) {
  const std::string path = path_of(relu());
  expect_refused({"validate", path, "--data", folder_.string()}, "inputs.npy");
  expect_refused({"validate", path, "--data", (folder_ / "none").string()}, "none");
}

}  // namespace
}  // namespace hone
