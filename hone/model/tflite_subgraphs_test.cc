// IF and WHILE of .tflite files, and what hostile files could do with subgraphs.

#include <gtest/gtest.h>

#include "hone/model/load.h"
#include "hone/ops/interpreter.h"

namespace hone {
namespace {

const TensorType kVector{DType::F32, {2}};
const TensorType kFlag{DType::Bool, {}};

TfliteTensor tensor(const char* name, TensorType type) {
  return {.name = name, .type = std::move(type), .constant = {}};
}

TfliteTensor constant(const char* name, const Tensor& value) {
  return {.name = name, .type = value.type(), .constant = value};
}

TfliteOp op(const char* name, std::vector<int> inputs, std::vector<int> outputs,
            std::map<std::string, TfliteOption> options = {}) {
  TfliteOp made;
  made.name = name;
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  made.options = std::move(options);
  return made;
}

// y = x `name` c
TfliteSubgraph step(const char* name, float c) {
  TfliteSubgraph subgraph;
  subgraph.name = name;
  subgraph.tensors = {tensor("x", kVector), constant("c", Tensor::of<float>({2}, {c, c})),
                      tensor("y", kVector)};
  subgraph.inputs = {0};
  subgraph.outputs = {2};
  subgraph.ops = {op(name, {0, 1}, {2})};
  return subgraph;
}

// An extent that the file leaves open is 1, as in TFLite; where that does not fit, it is told.
TEST(TfliteOpenExtents, AreOneUnlessGiven) {
  TfliteModel file;
  file.subgraphs = {step("ADD", 1)};
  file.subgraphs[0].tensors[0].type.shape = {kUnknown, 2};
  const auto model = import_tflite(file);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->assumed_inputs, std::vector<std::string>{"x"});
  const auto given = import_tflite(file, {.shapes = {{"x", {3, 2}}}});
  ASSERT_TRUE(given.ok()) << given.error().message;
  EXPECT_TRUE(given->assumed_inputs.empty());
  file.subgraphs[0].tensors[0].type.shape = {kUnknown, 5};
  const auto wrong = import_tflite(file);
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().hint, (Hint{HintKind::Extents, "x:1x5"}));
  EXPECT_TRUE(wrong.error().message.ends_with("; input 'x' leaves extents open, taken as 1x5"))
      << wrong.error().message;
}

// y = IF(flag, then, else)(x)
TfliteSubgraph chooser(int64_t on_true, int64_t on_false) {
  TfliteSubgraph subgraph;
  subgraph.tensors = {tensor("flag", kFlag), tensor("x", kVector), tensor("y", kVector)};
  subgraph.inputs = {0, 1};
  subgraph.outputs = {2};
  subgraph.ops = {
      op("IF", {0, 1}, {2}, {{"then_subgraph_index", on_true}, {"else_subgraph_index", on_false}})};
  return subgraph;
}

// total, left = WHILE(left > 0) { total = total * 2; left = left - 1 }
TfliteModel counter() {
  const TensorType number{DType::I32, {}};
  TfliteSubgraph main;
  main.tensors = {tensor("total", kVector), tensor("left", number), tensor("total_out", kVector),
                  tensor("left_out", number)};
  main.inputs = {0, 1};
  main.outputs = {2, 3};
  main.ops = {op("WHILE", {0, 1}, {2, 3},
                 {{"cond_subgraph_index", int64_t{1}}, {"body_subgraph_index", int64_t{2}}})};
  TfliteSubgraph condition;
  condition.tensors = {tensor("total", kVector), tensor("left", number),
                       constant("zero", Tensor::scalar<int32_t>(0)), tensor("more", kFlag)};
  condition.inputs = {0, 1};
  condition.outputs = {3};
  condition.ops = {op("GREATER", {1, 2}, {3})};
  TfliteSubgraph body;
  body.tensors = {tensor("total", kVector),
                  tensor("left", number),
                  constant("two", Tensor::scalar(2.0f)),
                  constant("one", Tensor::scalar<int32_t>(1)),
                  tensor("doubled", kVector),
                  tensor("less", number)};
  body.inputs = {0, 1};
  body.outputs = {4, 5};
  body.ops = {op("MUL", {0, 2}, {4}), op("SUB", {1, 3}, {5})};
  TfliteModel model;
  model.subgraphs = {main, condition, body};
  return model;
}

std::vector<float> floats(const Item& item) {
  const auto data = item.tensor.data<float>();
  return {data.begin(), data.end()};
}

ErrorKind kind_of_error(const TfliteModel& file) {
  const auto model = import_tflite(file);
  EXPECT_FALSE(model.ok());
  return model.ok() ? ErrorKind::Resource : model.error().kind;
}

TEST(TfliteSubgraphs, IfRunsOneOfTwo) {
  TfliteModel file;
  file.subgraphs = {chooser(1, 2), step("ADD", 10), step("MUL", 3)};
  const auto model = import_tflite(file);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_TRUE(model->unsupported.empty());
  for (const bool flag : {true, false}) {
    const auto outputs =
        run_graph(model->graph, {Tensor::scalar(flag), Tensor::of<float>({2}, {1, 2})});
    ASSERT_TRUE(outputs.ok()) << outputs.error().message;
    EXPECT_EQ(floats((*outputs)[0]),
              flag ? (std::vector<float>{11, 12}) : (std::vector<float>{3, 6}));
  }
}

TEST(TfliteSubgraphs, WhileAsksBeforeEveryRound) {
  const auto model = import_tflite(counter());
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_TRUE(verify(model->graph).ok());
  for (const int32_t rounds : {0, 1, 5}) {
    const auto outputs =
        run_graph(model->graph, {Tensor::of<float>({2}, {1, 3}), Tensor::scalar(rounds)});
    ASSERT_TRUE(outputs.ok()) << outputs.error().message;
    const auto factor = static_cast<float>(1 << rounds);
    EXPECT_EQ(floats((*outputs)[0]), (std::vector<float>{factor, 3 * factor}));
    EXPECT_EQ((*outputs)[1].tensor.data<int32_t>()[0], 0);
  }
}

TEST(TfliteSubgraphs, WhileStatesMayGrow) {
  TfliteModel file = counter();
  TfliteSubgraph& body = file.subgraphs[2];
  body.tensors[4].type = TensorType{DType::F32, {4}};
  body.ops[0] = op("CONCATENATION", {0, 0}, {4}, {{"axis", int64_t{0}}});
  const auto model = import_tflite(file);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto outputs =
      run_graph(model->graph, {Tensor::of<float>({2}, {1, 3}), Tensor::scalar<int32_t>(2)});
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  EXPECT_EQ(floats((*outputs)[0]), (std::vector<float>{1, 3, 1, 3, 1, 3, 1, 3}));
}

TEST(TfliteSubgraphs, BranchesMayBranch) {
  TfliteModel file;
  TfliteSubgraph inner;
  inner.tensors = {tensor("x", kVector), constant("no", Tensor::scalar(false)),
                   tensor("y", kVector)};
  inner.inputs = {0};
  inner.outputs = {2};
  inner.ops = {op("IF", {1, 0}, {2},
                  {{"then_subgraph_index", int64_t{2}}, {"else_subgraph_index", int64_t{3}}})};
  file.subgraphs = {chooser(1, 2), inner, step("ADD", 10), step("MUL", 3)};
  const auto model = import_tflite(file);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto outputs =
      run_graph(model->graph, {Tensor::scalar(true), Tensor::of<float>({2}, {1, 2})});
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  EXPECT_EQ(floats((*outputs)[0]), (std::vector<float>{3, 6}));
}

TEST(TfliteSubgraphs, RecursionIsRefused) {
  TfliteModel file;
  file.subgraphs = {chooser(0, 1), step("ADD", 1)};
  EXPECT_EQ(kind_of_error(file), ErrorKind::BadInput);
  TfliteSubgraph first = step("ADD", 1);
  TfliteSubgraph second = first;
  for (TfliteSubgraph* subgraph : {&first, &second}) {
    subgraph->tensors[1] = constant("yes", Tensor::scalar(true));
    subgraph->ops = {op("IF", {1, 0}, {2},
                        {{"then_subgraph_index", int64_t{subgraph == &first ? 2 : 1}},
                         {"else_subgraph_index", int64_t{subgraph == &first ? 2 : 1}}})};
  }
  file.subgraphs = {chooser(1, 2), first, second};
  EXPECT_EQ(kind_of_error(file), ErrorKind::BadInput);
}

// Each subgraph calls the next one twice: 2^30 operators when inlined.
TEST(TfliteSubgraphs, GrowthIsBounded) {
  TfliteModel file;
  file.subgraphs = {chooser(1, 1)};
  for (int64_t i = 1; i <= 30; ++i) {
    TfliteSubgraph subgraph = step("ADD", 1);
    subgraph.tensors[1] = constant("yes", Tensor::scalar(true));
    subgraph.ops = {
        op("IF", {1, 0}, {2}, {{"then_subgraph_index", i + 1}, {"else_subgraph_index", i + 1}})};
    file.subgraphs.push_back(subgraph);
  }
  file.subgraphs.push_back(step("ADD", 1));
  EXPECT_EQ(kind_of_error(file), ErrorKind::BadInput);
}

TEST(TfliteSubgraphs, WhatDoesNotFitIsRefused) {
  TfliteModel file;
  file.subgraphs = {chooser(1, 7), step("ADD", 1)};
  EXPECT_EQ(kind_of_error(file), ErrorKind::BadInput);
  file.subgraphs = {chooser(1, 1), step("ADD", 1)};
  file.subgraphs[1].inputs = {0, 0};
  EXPECT_EQ(kind_of_error(file), ErrorKind::BadInput);
  file.subgraphs[1] = step("ADD", 1);
  file.subgraphs[1].tensors[0].type.dtype = DType::I32;
  EXPECT_EQ(kind_of_error(file), ErrorKind::BadInput);
  TfliteModel loop = counter();
  loop.subgraphs[1].tensors[3].type.dtype = DType::F32;
  EXPECT_EQ(kind_of_error(loop), ErrorKind::BadInput);
}

TEST(TfliteSubgraphs, StateInsideIsNotRun) {
  TfliteModel file;
  file.subgraphs = {chooser(1, 1), step("ADD", 1)};
  file.subgraphs[1].tensors.push_back(tensor("state", kVector));
  file.subgraphs[1].tensors.back().variable = true;
  const auto model = import_tflite(file);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->unsupported.size(), 1u);
}

TEST(TfliteState, StartsAtTheZeroPoint) {
  TfliteSubgraph main = step("ADD", 0);
  auto quant = std::make_shared<Quantization>(Quantization{{0.5f}, {-7}});
  main.tensors[0].type = TensorType{DType::I8, {kUnknown, 3}, quant};
  main.tensors[0].variable = true;
  main.inputs = {};
  main.outputs = {0};
  main.ops = {};
  TfliteModel file;
  file.subgraphs = {main};
  const auto model = import_tflite(file);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const Tensor& state = *model->graph.outputs()[0]->constant;
  EXPECT_EQ(state.shape(), (Shape{1, 3}));
  EXPECT_EQ(state.data<int8_t>()[2], -7);
}

// y = state + x; state = y; again = state. CALL_ONCE lets the state start at 5.
TfliteModel keeper(bool initialized) {
  const TensorType handle{DType::Undefined, {}};
  const std::map<std::string, TfliteOption> named{{"container", ""}, {"shared_name", "state"}};
  TfliteSubgraph main;
  main.tensors = {tensor("x", kVector), tensor("handle", handle), tensor("before", kVector),
                  tensor("y", kVector), tensor("again", kVector)};
  main.inputs = {0};
  main.outputs = {3, 4};
  if (initialized)
    main.ops.push_back(op("CALL_ONCE", {}, {}, {{"init_subgraph_index", int64_t{1}}}));
  main.ops.push_back(op("VAR_HANDLE", {}, {1}, named));
  main.ops.push_back(op("READ_VARIABLE", {1}, {2}));
  main.ops.push_back(op("ADD", {2, 0}, {3}));
  main.ops.push_back(op("ASSIGN_VARIABLE", {1, 3}, {}));
  main.ops.push_back(op("READ_VARIABLE", {1}, {4}));
  TfliteSubgraph start;
  start.tensors = {tensor("handle", handle), constant("five", Tensor::of<float>({2}, {5, 5}))};
  start.ops = {op("VAR_HANDLE", {}, {0}, named), op("ASSIGN_VARIABLE", {0, 1}, {})};
  TfliteModel model;
  model.subgraphs = {main, start};
  return model;
}

TEST(TfliteVariables, StartAtTheirInitialValueInEveryRun) {
  for (const bool initialized : {true, false}) {
    const auto model = import_tflite(keeper(initialized));
    ASSERT_TRUE(model.ok()) << model.error().message;
    EXPECT_TRUE(model->unsupported.empty());
    const float start = initialized ? 5 : 0;
    for (int run = 0; run < 2; ++run) {
      const auto outputs = run_graph(model->graph, {Tensor::of<float>({2}, {1, 2})});
      ASSERT_TRUE(outputs.ok()) << outputs.error().message;
      EXPECT_EQ(floats((*outputs)[0]), (std::vector<float>{start + 1, start + 2}));
      EXPECT_EQ(floats((*outputs)[1]), (std::vector<float>{start + 1, start + 2}));
    }
  }
}

TEST(TfliteVariables, InsideABranchAreRefused) {
  TfliteModel file = keeper(false);
  TfliteSubgraph branch = file.subgraphs[0];
  branch.outputs = {3};
  file.subgraphs = {chooser(1, 1), branch};
  const auto model = import_tflite(file);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_FALSE(
      run_graph(model->graph, {Tensor::scalar(true), Tensor::of<float>({2}, {1, 2})}).ok());
}

// RFFT2D and what reads its complex numbers become operators that Hone does not know.
TEST(TfliteOpaque, FilesWithComplexNumbersCanBeInspected) {
  const TensorType complex{DType::Undefined, {2}};
  TfliteSubgraph main;
  main.tensors = {tensor("x", kVector), tensor("table", complex), tensor("z", complex),
                  tensor("y", kVector)};
  main.inputs = {0};
  main.outputs = {3};
  main.ops = {op("RFFT2D", {0, 1}, {2}), op("COMPLEX_ABS", {2}, {3})};
  TfliteModel file;
  file.subgraphs = {main};
  const auto model = import_tflite(file);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_FALSE(model->unsupported.empty());
}

// The output shape of a TRANSPOSE_CONV, computed from the shape of another tensor.
TEST(TfliteShapes, MayBeComputedOfStaticOnes) {
  const TensorType image{DType::F32, {1, 2, 2, 1}}, twice{DType::F32, {1, 4, 4, 1}};
  TfliteSubgraph main;
  main.tensors = {tensor("x", image),
                  tensor("like", twice),
                  constant("w", Tensor::of<float>({1, 2, 2, 1}, {1, 2, 3, 4})),
                  tensor("shape", {DType::I32, {4}}),
                  constant("one", Tensor::of<int32_t>({4}, {1, 1, 1, 1})),
                  tensor("product", {DType::I32, {4}}),
                  tensor("y", twice)};
  main.inputs = {0, 1};
  main.outputs = {6};
  main.ops = {op("SHAPE", {1}, {3}, {{"out_type", "i32"}}), op("MUL", {3, 4}, {5}),
              op("TRANSPOSE_CONV", {5, 2, 0}, {6},
                 {{"padding", "SAME"}, {"stride_h", int64_t{2}}, {"stride_w", int64_t{2}}})};
  TfliteModel file;
  file.subgraphs = {main};
  const auto model = import_tflite(file);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_TRUE(model->unsupported.empty()) << model->unsupported[0].reason;
  const auto outputs =
      run_graph(model->graph, {Tensor::of<float>(image.shape, {1, 10, 100, 1000}), Tensor(twice)});
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  EXPECT_EQ(floats((*outputs)[0]), (std::vector<float>{1, 2, 10, 20, 3, 4, 30, 40, 100, 200, 1000,
                                                       2000, 300, 400, 3000, 4000}));
}

}  // namespace
}  // namespace hone
