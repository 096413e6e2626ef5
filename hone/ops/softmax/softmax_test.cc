#include "hone/ops/testing.h"

namespace hone {
namespace {

TEST(Softmax, OldVersionsNormaliseOverAllAxesFromTheGivenOneOn) {
  const Tensor x = Tensor::of<float>({1, 2, 2}, {0, 0, 0, 0});
  expect_tensor<float>(run_onnx("Softmax", 11, {x}), {1, 2, 2}, {0.25f, 0.25f, 0.25f, 0.25f});
  expect_tensor<float>(run_onnx("Softmax", 13, {x}), {1, 2, 2}, {0.5f, 0.5f, 0.5f, 0.5f});
  expect_tensor<float>(run_onnx("Hardmax", 11, {x}), {1, 2, 2}, {1, 0, 0, 0});
}

TEST(Softmax, AcceptsEmptyTensors) {
  const Tensor empty = Tensor::of<float>({2, 0}, {});
  for (const char* op : {"Softmax", "LogSoftmax", "Hardmax"}) {
    expect_tensor<float>(run_onnx(op, 11, {empty}), {2, 0}, {});
    expect_tensor<float>(run_onnx(op, 13, {empty}), {2, 0}, {});
  }
}

TEST(Softmax, RefusesAnAxisOutside) {
  for (const char* op : {"softmax", "log_softmax", "hardmax"}) {
    expect_bad_input(run_op(op, {Tensor::of<float>({1}, {1})}, {{"axis", int64_t{1}}}));
  }
}

}  // namespace
}  // namespace hone
