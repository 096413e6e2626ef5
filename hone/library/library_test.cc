#include <gtest/gtest.h>

#include <thread>

#include "hone/library/inside.h"
#include "hone/library/programs.h"
#include "hone/targets/common/references.h"

namespace hone::v1 {
namespace {

// What a call is refused with; empty where it is not.
template <class Call>
std::string refusal(Fault fault, Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault) << error.what();
    return error.what();
  }
  return "";
}

TEST(Tensor, SharesCopiesOrShows) {
  const Tensor own = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(own.elements(), 4);
  EXPECT_EQ(own.values<float>()[3], 4);
  const Tensor same = own;
  EXPECT_EQ(same.bytes().data(), own.bytes().data());
  const int8_t elsewhere[3] = {1, 2, 3};
  const Tensor shown = Tensor::view("i8", {3}, elsewhere);
  EXPECT_EQ(static_cast<const void*>(shown.bytes().data()), elsewhere);
  EXPECT_EQ(Tensor("i32", {3, 2}).values<int32_t>()[5], 0);
}

TEST(Tensor, RefusesWhatItIsNot) {
  EXPECT_NE(refusal(Fault::BadInput, [] { Tensor("float", {1}); }), "");
  EXPECT_NE(refusal(Fault::BadInput, [] { Tensor("f32", {-1}); }), "");
  EXPECT_NE(refusal(Fault::BadInput, [] { Tensor::of<float>({3}, {1, 2}); }), "");
  EXPECT_NE(refusal(Fault::BadInput, [] { Tensor("f32", {1}).values<int8_t>(); }), "");
  EXPECT_NE(refusal(Fault::BadInput, [] { Tensor::view("f32", {1}, nullptr); }), "");
}

TEST(Library, RunsAModelOnWhatLiesElsewhere) {
  const Model model = open("op:add:2x3");
  ASSERT_EQ(model.inputs().size(), 2);
  EXPECT_EQ(model.inputs()[0].type, "f32");
  EXPECT_EQ(model.inputs()[0].shape, (std::vector<int64_t>{2, 3}));
  const std::vector<float> a = {1, 2, 3, 4, 5, 6}, b = {10, 20, 30, 40, 50, 60};
  Session session = model.session({.threads = 1});
  const auto outputs =
      session.run({Tensor::view("f32", {2, 3}, a.data()), Tensor::view("f32", {2, 3}, b.data())});
  ASSERT_EQ(outputs.size(), 1);
  EXPECT_EQ(outputs[0].shape(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(outputs[0].values<float>()[5], 66);
}

// Results stay what they are when the session runs again.
TEST(Library, ResultsAreTheirOwn) {
  Session session = open("op:relu:4").session({.threads = 1});
  const auto first = session.run({Tensor::of<float>({4}, {1, 2, 3, 4})});
  const auto second = session.run({Tensor::of<float>({4}, {5, 6, 7, 8})});
  EXPECT_EQ(first[0].values<float>()[0], 1);
  EXPECT_EQ(second[0].values<float>()[0], 5);
}

TEST(Library, SessionsOfOneProgramRunSideBySide) {
  const Session session = open("zoo:ds_cnn_kws").session({.threads = 1});
  const Tensor input("f32", open("zoo:ds_cnn_kws").inputs()[0].shape);
  const std::vector<Tensor> expected = session.another().run({input});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, mine = session.another()]() mutable {
      for (int run = 0; run < 25; ++run) {
        const auto outputs = mine.run({input});
        EXPECT_TRUE(std::ranges::equal(outputs[0].bytes(), expected[0].bytes()));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Softmax of rows of any number and length.
std::shared_ptr<const Model::State> model_of_rows() {
  const auto state = std::make_shared<Model::State>();
  state->model.graph = unwrap(parse_graph("graph(%x: f32[?,?]) -> (%y) {\n  %y = softmax(%x)\n}"));
  unwrap(infer_types(state->model.graph));
  return state;
}

std::vector<Item> rows(int64_t n, int64_t length) {
  return {Item(hone::Tensor(TensorType{DType::F32, {n, length}}))};
}

TEST(Library, OpenExtentsAreThoseOfTheInputs) {
  const std::shared_ptr<Programs> programs = unwrap(Programs::make(model_of_rows(), {}));
  EXPECT_EQ(programs->only(), nullptr);
  const std::shared_ptr<const Program> first = unwrap(programs->find(rows(2, 5)));
  EXPECT_EQ(count_references(first->steps()).count, 0);
  EXPECT_EQ(unwrap(programs->find(rows(2, 5))), first);
  EXPECT_NE(unwrap(programs->find(rows(2, 6))), first);
}

// Of the programs for other extents those are kept that were asked for last.
TEST(Library, KeepsAFewProgramsOfOpenExtents) {
  const std::shared_ptr<Programs> programs = unwrap(Programs::make(model_of_rows(), {}));
  const std::weak_ptr<const Program> used = unwrap(programs->find(rows(1, 1)));
  const std::weak_ptr<const Program> left = unwrap(programs->find(rows(1, 2)));
  for (int64_t length = 3; length < 6; ++length) {
    unwrap(programs->find(rows(1, length)));
    unwrap(programs->find(rows(1, 1)));
  }
  EXPECT_FALSE(used.expired());
  EXPECT_TRUE(left.expired());
}

// More extents than programs are kept for, by threads that need them at the same time.
TEST(Library, SessionsOfOpenExtentsRunSideBySide) {
  const Session session = Model(model_of_rows()).session({.threads = 1});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i, mine = session.another()]() mutable {
      for (int run = 0; run < 250; ++run) {
        const int64_t n = 1 + run % 3, length = 2 + (run + i) % 3;
        const std::vector<Tensor> outputs = mine.run({Tensor("f32", {n, length})});
        ASSERT_EQ(outputs[0].shape(), (std::vector<int64_t>{n, length}));
        EXPECT_FLOAT_EQ(outputs[0].values<float>()[0], 1.0F / static_cast<float>(length));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Library, OpenExtentsMayBeNone) {
  Session session = Model(model_of_rows()).session({.threads = 1});
  EXPECT_EQ(session.run({Tensor("f32", {0, 3})})[0].shape(), (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(refusal(Fault::BadInput, [&] { session.run({Tensor("f32", {3})}); }),
            "input 'x' is f32[?,?], given was f32[3]");
}

TEST(Library, QuantizedInputsHaveTheirScale) {
  const Model model = open("op:add:2x3:int8");
  EXPECT_EQ(model.inputs()[0].type, "i8");
  Session session = model.session({.threads = 1});
  EXPECT_EQ(session.run({Tensor("i8", {2, 3}), Tensor("i8", {2, 3})})[0].type(), "i8");
}

TEST(Library, SaysWhatIsWrong) {
  EXPECT_NE(refusal(Fault::BadInput, [] { open("nowhere.onnx"); }).find("nowhere.onnx"),
            std::string::npos);
  const Model model = open("op:relu:4");
  EXPECT_EQ(refusal(Fault::BadInput, [&] { model.session().run({}); }),
            "0 inputs, the model has 1");
  EXPECT_EQ(refusal(Fault::BadInput, [&] { model.session().run({Tensor("f32", {5})}); }),
            "input 'input' is f32[4], given was f32[5]");
  EXPECT_NE(refusal(Fault::BadInput, [&] { model.session({.target = "nothing"}); }), "");
  EXPECT_NE(refusal(Fault::BadInput, [&] { model.session({.precision = "int3"}); }), "");
  EXPECT_NE(refusal(Fault::BadInput, [&] { profile(model, {.target = "nothing"}); }), "");
}

TEST(Library, CommandsGiveTextResultAndPage) {
  const Report report = profile(open("zoo:ds_cnn_kws:int8"), {.target = "ethos-u55-128"});
  EXPECT_TRUE(report.passed());
  EXPECT_NE(report.text().find("latency"), std::string::npos);
  EXPECT_EQ(report.text().find("result.json"), std::string::npos);
  EXPECT_TRUE(report.json().starts_with("{"));
  EXPECT_NE(report.html().find("<html"), std::string::npos);
}

// Shapes that a model was opened with are those that commands see.
TEST(Library, CommandsSeeTheShapes) {
  const Model model = open("zoo:ds_cnn_kws", {"input:3x1x49x10"});
  EXPECT_NE(inspect(model).text().find("f32[3,1,49,10]"), std::string::npos);
}

TEST(Library, WhatDoesNotFitIsAResultThatDoesNotPass) {
  const Report report = profile(open("zoo:resnet18:int8"), {.target = "cortex-m4"});
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.exit_code(), 5);
  EXPECT_NE(report.text().find("does not fit"), std::string::npos);
}

}  // namespace
}  // namespace hone::v1
