// --batch on models whose files leave the first extent of their inputs open.

#include <gtest/gtest.h>

#include <sstream>

#include "hone/cli/command_def.h"
#include "hone/wire/onnx.h"

namespace hone {
namespace {

class BatchOption : public testing::Test {
 protected:
  void SetUp() override { path_ = testing::TempDir() + "hone_batch_option.onnx"; }
  void TearDown() override { std::filesystem::remove(path_); }

  // y = relu(x), of the extents given.
  void write_model(const std::vector<OnnxDim>& extents) const {
    OnnxModel model;
    model.ir_version = 8;
    model.opsets[""] = 13;
    model.graph.name = "g";
    const OnnxType type{.dtype = DType::F32, .shape = extents};
    model.graph.inputs = {{"x", type}};
    model.graph.outputs = {{"y", type}};
    model.graph.nodes = {OnnxNode{"n", "Relu", "", {"x"}, {"y"}, {}, {}}};
    ASSERT_TRUE(write_onnx(model, path_).ok());
  }

  // What `hone run` says in a batch of three.
  std::string run(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> command = {"run", path_, "--batch", "3"};
    command.insert(command.end(), more.begin(), more.end());
    std::ostringstream out, err;
    run_cli(command, out, err);
    return out.str() + err.str();
  }

  std::string path_;
};

TEST_F(BatchOption, IsTheFirstExtentThatAFileLeavesOpen) {
  write_model({{kUnknown, "N"}, {4, ""}});
  EXPECT_TRUE(run().starts_with("y  f32[3,4]")) << run();
  write_model({{kUnknown, ""}, {4, ""}});
  EXPECT_TRUE(run().starts_with("y  f32[3,4]")) << run();
}

TEST_F(BatchOption, LeavesOtherOpenExtentsToShapes) {
  write_model({{kUnknown, "N"}, {kUnknown, "M"}});
  EXPECT_NE(run().find("--batch gives the first extent, and --shapes"), std::string::npos) << run();
  EXPECT_TRUE(run({"--shapes", "x:1x5"}).starts_with("y  f32[3,5]")) << run({"--shapes", "x:1x5"});
}

TEST_F(BatchOption, DoesNotChangeWhatAFileStates) {
  write_model({{2, ""}, {4, ""}});
  EXPECT_NE(run().find("--batch needs a first extent that is open or 1"), std::string::npos);
}

}  // namespace
}  // namespace hone
