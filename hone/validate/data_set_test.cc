#include "hone/validate/data_set.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hone/wire/npy.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// A folder of arrays that is gone afterwards.
class DataSetTest : public ::testing::Test {
 protected:
  DataSetTest() : folder_(fs::temp_directory_path() / str("hone_data_set_", getpid())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~DataSetTest() override { fs::remove_all(folder_); }

  void write(const std::string& name, const Tensor& tensor) {
    ASSERT_TRUE(write_npy(tensor, folder_ / (name + ".npy")).ok());
  }

  // What reading says, without the folder's name.
  std::string error() {
    const auto data = read_data_set(folder_, graph_);
    if (data.ok()) return "ok";
    const std::string prefix = folder_.string() + "/";
    const std::string& message = data.error().message;
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }

  fs::path folder_;
  Graph graph_ = *parse_graph("graph(%x: f32[1,2]) -> (%y) {\n  %y: f32[1,2] = relu(%x)\n}\n");
};

TEST_F(DataSetTest, GivesOneItemPerInputInTheFormTheGraphTakes) {
  write("inputs", Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  write("labels", Tensor::of<int32_t>({3, 1}, {1, 0, 1}));
  const auto data = read_data_set(folder_, graph_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->samples, 3);
  EXPECT_EQ(*data->labels, (std::vector<int64_t>{1, 0, 1}));
  EXPECT_FALSE(data->targets);
  const auto items = data->sample(2, graph_);
  ASSERT_TRUE(items.ok()) << items.error().message;
  EXPECT_EQ(text_of((*items)[0].tensor.type()), "f32[1,2]");
  EXPECT_EQ(to_doubles((*items)[0].tensor), (std::vector<double>{5, 6}));
}

TEST_F(DataSetTest, GroupsHaveOneLabelEach) {
  write("inputs", Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  write("groups", Tensor::of<int32_t>({3}, {5, 9, 5}));
  const auto unlabelled = read_data_set(folder_, graph_);
  ASSERT_TRUE(unlabelled.ok()) << unlabelled.error().message;
  EXPECT_EQ(*unlabelled->pick({2, 1}).groups, (std::vector<int64_t>{5, 9}));
  write("labels", Tensor::of<int32_t>({3}, {1, 0, 0}));
  EXPECT_EQ(error(), "groups.npy: sample 2 has the label 0, but others of its group 5 have 1");
  write("groups", Tensor::of<int32_t>({2}, {5, 9}));
  EXPECT_EQ(error(), "groups.npy: holds 2 samples, expected 3");
  write("groups", Tensor::of<float>({3}, {5, 9, 5}));
  EXPECT_EQ(error(), "groups.npy: holds f32, expected integers");
  write("groups", Tensor::of<int32_t>({3, 2}, {5, 9, 5, 5, 9, 5}));
  EXPECT_EQ(error(), "groups.npy: is i32[3,2], expected one group's number per sample");
}

TEST_F(DataSetTest, NamesLongerThanAnyFileAreNoSurprise) {
  const std::string name(300, 'x');
  graph_ = *parse_graph("graph(%" + name + ": f32[1]) -> (%y) {\n  %y: f32[1] = relu(%" + name +
                        ")\n}\n");
  EXPECT_EQ(error(), "inputs.npy: no such file; input '" + name + "' needs it");
  write("inputs", Tensor::of<float>({2, 1}, {1, 2}));
  EXPECT_EQ(error(), "ok");
}

TEST_F(DataSetTest, SeveralInputsHaveAFileEach) {
  graph_ = *parse_graph("graph(%a: f32[1], %b: f32[1]) -> (%y) {\n  %y: f32[1] = add(%a, %b)\n}\n");
  write("inputs_a", Tensor::of<float>({2, 1}, {1, 2}));
  EXPECT_EQ(error(), "inputs_b.npy: no such file; input 'b' needs it");
  write("inputs_b", Tensor::of<float>({3, 1}, {1, 2, 3}));
  EXPECT_EQ(error(), "inputs_b.npy: holds 3 samples, expected 2");
  write("inputs_b", Tensor::of<float>({2, 1}, {3, 4}));
  ASSERT_EQ(error(), "ok");
  const auto items = read_data_set(folder_, graph_)->sample(1, graph_);
  EXPECT_EQ(to_doubles((*items)[1].tensor), std::vector<double>{4});
}

TEST_F(DataSetTest, FloatsMeetAnIntegerInputThroughItsScale) {
  write("inputs", Tensor::of<float>({1, 2}, {0.5F, -100}));
  graph_.inputs()[0]->type.tensor.dtype = DType::I8;
  EXPECT_EQ(error(),
            "inputs.npy: input 'x': samples are f32, but the model's input is i8 without a scale "
            "to quantize them by");
  graph_.inputs()[0]->type.tensor.quant =
      std::make_shared<Quantization>(Quantization{{0.25F}, {3}});
  const auto data = read_data_set(folder_, graph_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(to_ints((*data->sample(0, graph_))[0].tensor), (std::vector<int64_t>{5, -128}));
}

TEST_F(DataSetTest, FloatsMeetAnIntegerInputThroughTheConversionBehindIt) {
  write("inputs", Tensor::of<float>({1, 2}, {0.5F, -100}));
  graph_ = *parse_graph(R"(graph(%x: i8[1,2]) -> (%y) {
    %y: f32[1,2] = dequantize_linear(%x, f32[]{0.25}, i8[]{3})
  }
)");
  const auto data = read_data_set(folder_, graph_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  const Tensor sample = (*data->sample(0, graph_))[0].tensor;
  EXPECT_EQ(to_ints(sample), (std::vector<int64_t>{5, -128}));
  EXPECT_EQ(sample.type(), graph_.inputs()[0]->type.tensor);
}

TEST_F(DataSetTest, AnUnknownBatchIsOneSample) {
  write("inputs", Tensor::of<float>({2, 2}, {1, 2, 3, 4}));
  graph_.inputs()[0]->type.tensor.shape = {kUnknown, 2};
  const auto data = read_data_set(folder_, graph_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ((*data->sample(1, graph_))[0].tensor.shape(), (Shape{1, 2}));
}

TEST_F(DataSetTest, ImagesAreTurnedWhereTheModelHasTheOtherLayout) {
  write("inputs", Tensor::of<float>({1, 2, 1, 3}, {1, 2, 3, 4, 5, 6}));
  graph_.inputs()[0]->type.tensor.shape = {1, 3, 2, 1};
  const auto data = read_data_set(folder_, graph_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(to_doubles((*data->sample(0, graph_))[0].tensor),
            (std::vector<double>{1, 4, 2, 5, 3, 6}));
  graph_.inputs()[0]->type.tensor.shape = {1, 6};
  EXPECT_EQ(to_doubles((*read_data_set(folder_, graph_)->sample(0, graph_))[0].tensor),
            (std::vector<double>{1, 2, 3, 4, 5, 6}));
  graph_.inputs()[0]->type.tensor.shape = {1, 3, 2, 2};
  EXPECT_EQ(error(),
            "inputs.npy: input 'x': a sample is 2x1x3, but the model's input is "
            "f32[1,3,2,2]");
}

TEST_F(DataSetTest, WhatDoesNotFitIsSaidBeforeAnythingRuns) {
  EXPECT_EQ(error(), "inputs.npy: no such file; input 'x' needs it");
  write("inputs", Tensor::of<float>({1, 3}, {1, 2, 3}));
  EXPECT_EQ(error(), "inputs.npy: input 'x': a sample is 3, but the model's input is f32[1,2]");
  write("inputs", Tensor::of<double>({1, 2}, {1, 2}));
  EXPECT_EQ(error(), "inputs.npy: input 'x': samples are f64, but the model's input is f32");
  write("inputs", Tensor(TensorType{DType::F32, {0, 2}}));
  EXPECT_EQ(error(), "inputs.npy: holds no samples");
  write("inputs", Tensor::scalar<float>(1));
  EXPECT_EQ(error(), "inputs.npy: is a scalar, expected [N, ...]");
}

TEST_F(DataSetTest, WrongLabelsAndTargetsAreRefused) {
  write("inputs", Tensor::of<float>({2, 2}, {1, 2, 3, 4}));
  write("labels", Tensor::of<float>({2}, {0, 1}));
  EXPECT_EQ(error(), "labels.npy: holds f32, expected integers");
  write("labels", Tensor::of<int64_t>({3}, {0, 1, 1}));
  EXPECT_EQ(error(), "labels.npy: holds 3 samples, expected 2");
  write("labels", Tensor::of<int64_t>({2, 2}, {0, 1, 1, 0}));
  EXPECT_EQ(error(), "labels.npy: is i64[2,2], expected one class number per sample");
  write("labels", Tensor::of<int64_t>({2}, {0, -1}));
  EXPECT_EQ(error(), "labels.npy: sample 1 has the label -1, expected 0 or more");
  fs::remove(folder_ / "labels.npy");
  write("targets", Tensor::of<float>({1, 2}, {0, 1}));
  EXPECT_EQ(error(), "targets.npy: holds 1 samples, expected 2");
  write("targets", Tensor::of<std::string>({2}, {"a", "b"}));
  EXPECT_EQ(error(), "targets.npy: holds strings, expected numbers");
}

// Rows of 2 floats are scanned a hundred thousand at a time, so the last of these lies in another
// block than the first.
TEST_F(DataSetTest, NumbersThatAreNotFiniteAreFoundWhereverTheyAre) {
  constexpr int64_t kSamples = 300000;
  Tensor inputs(TensorType{DType::F32, {kSamples, 2}});
  inputs.mutable_data<float>()[2 * (kSamples - 1) + 1] = -INFINITY;
  write("inputs", inputs);
  EXPECT_EQ(error(), "inputs.npy: sample 299999 holds -inf at element 1, expected finite numbers");
  inputs.mutable_data<float>()[7] = NAN;
  write("inputs", inputs);
  EXPECT_EQ(error(), "inputs.npy: sample 3 holds nan at element 1, expected finite numbers");
  EXPECT_FALSE(data_set_of(inputs, graph_).ok());
}

TEST_F(DataSetTest, AFileOfSamplesIsASetToo) {
  write("samples", Tensor::of<float>({1, 2}, {1, 2}));
  const auto data = open_data_set(folder_ / "samples.npy", graph_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->samples, 1);
  EXPECT_FALSE(open_data_set(folder_ / "none.npy", graph_).ok());
}

}  // namespace
}  // namespace hone
