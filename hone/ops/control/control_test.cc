#include "hone/ops/infer_types.h"
#include "hone/ops/testing.h"

namespace hone {
namespace {

Result<Tensor> first(Result<std::vector<Item>> items) {
  if (!items.ok()) return std::move(items).error();
  return (*items)[0].tensor;
}

Result<Tensor> second(Result<std::vector<Item>> items) {
  if (!items.ok()) return std::move(items).error();
  return (*items)[1].tensor;
}

constexpr std::string_view kControlIf = R"(graph(%c: bool[], %x: f32[2]) -> %y {
  %y = if(%c, %x) captures=1
    then_branch=graph(%x: f32[...]) -> %t { %t: f32[...] = neg(%x) }
    else_branch=graph(%x: f32[...]) -> %x { }
})";

TEST(If, RunsTheBranchThatTheConditionNames) {
  const Tensor x = vector_of<float>({1, 2});
  expect_tensor<float>(first(run_text(kControlIf, {Tensor::scalar(true), x})), {2}, {-1, -2});
  expect_tensor<float>(first(run_text(kControlIf, {Tensor::scalar(false), x})), {2}, {1, 2});
}

// What branches and iterations make has the extents that follow from what they are given.
TensorType inferred(std::string_view text, size_t output = 0) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  const auto types = infer_types(*graph);
  EXPECT_TRUE(types.ok()) << types.error().message;
  return graph->outputs()[output]->type.tensor;
}

TEST(If, HasTheExtentsThatItsBranchesAgreeOn) {
  EXPECT_EQ(inferred(kControlIf), (TensorType{DType::F32, {2}}));
  EXPECT_EQ(inferred(R"(graph(%c: bool[], %x: f32[2,3]) -> %y {
    %y: f32[7,7] = if(%c, %x) captures=1
      then_branch=graph(%x: f32[...]) -> %t { %t: f32[...] = slice(%x, i64[1]{0}, i64[1]{1}) }
      else_branch=graph(%x: f32[...]) -> %x { }
  })"),
            (TensorType{DType::F32, {kUnknown, 3}}));
}

TEST(If, RefusesBranchesThatDoNotFit) {
  expect_bad_input(run_text(R"(graph(%c: bool[]) -> %y {
    %y = if(%c) then_branch=graph() -> () { } else_branch=graph() -> () { }
  })",
                            {Tensor::scalar(true)}));
  expect_bad_input(run_text(R"(graph(%c: bool[]) -> %y {
    %y = if(%c) captures=1 then_branch=graph() -> () { } else_branch=graph() -> () { }
  })",
                            {Tensor::scalar(true)}));
}

TEST(If, RefusesAConditionThatIsNoScalar) {
  EXPECT_FALSE(run_text("graph(%c: bool[2]) -> %y { %y = if(%c)\n"
                        "then_branch=graph() -> %a { const %a: f32[1] = {1} }\n"
                        "else_branch=graph() -> %a { const %a: f32[1] = {2} } }",
                        {vector_of<bool>({true, false})})
                   .ok());
}

// Sums 0 .. trips-1 times a captured factor, and keeps every sum.
constexpr std::string_view kLoop = R"(graph(%trips: i64[], %cond: bool[], %k: i64[]) -> (%s, %all) {
  %s, %all = loop(%trips, %cond, i64[]{0}, %k) captures=1
    body=graph(%i: i64[], %c: bool[], %sum: i64[...], %k: i64[...]) -> (%c, %next, %next) {
      %step: i64[...] = mul(%i, %k)
      %next: i64[] = add(%sum, %step)
    }
})";

TEST(Loop, CarriesStatesAndStacksScans) {
  const std::vector<Item> inputs{Tensor::scalar<int64_t>(4), Tensor::scalar(true),
                                 Tensor::scalar<int64_t>(10)};
  expect_tensor<int64_t>(first(run_text(kLoop, inputs)), {}, {60});
  expect_tensor<int64_t>(second(run_text(kLoop, inputs)), {4}, {0, 10, 30, 60});
}

TEST(Loop, HasTheExtentsOfStatesThatStay) {
  EXPECT_EQ(inferred(kLoop, 0), (TensorType{DType::I64, {}}));
  EXPECT_EQ(inferred(kLoop, 1), (TensorType{DType::I64, {kUnknown}}));
  // Doubles its length each time, whatever is stated.
  EXPECT_FALSE(inferred(R"(graph(%n: i64[], %x: f32[2]) -> %y {
    %y: f32[2] = loop(%n, _, %x)
      body=graph(%i: i64[], %c: bool[], %s: f32[2]) -> (%c, %t) {
        %t: f32[2] = concat(%s, %s) axis=0
      }
  })")
                   .ranked);
}

TEST(Loop, MayRunZeroTimes) {
  for (const bool cond : {true, false}) {
    const std::vector<Item> inputs{Tensor::scalar<int64_t>(cond ? 0 : 9), Tensor::scalar(cond),
                                   Tensor::scalar<int64_t>(10)};
    expect_tensor<int64_t>(first(run_text(kLoop, inputs)), {}, {0});
    expect_tensor<int64_t>(second(run_text(kLoop, inputs)), {0}, {});
  }
  const std::vector<Item> negative{Tensor::scalar<int64_t>(-3), Tensor::scalar(true),
                                   Tensor::scalar<int64_t>(10)};
  expect_tensor<int64_t>(second(run_text(kLoop, negative)), {0}, {});
}

// The extents of what one iteration would have made follow from what it would have been given.
TEST(Loop, HasScansOfTheShapeOfItsBodyWithoutIterations) {
  constexpr std::string_view kText = R"(graph(%n: i64[], %x: f32[3], %k: f32[2,1]) -> %y {
    %s, %all, %more = loop(%n, _, %x, %k) captures=1
      body=graph(%i: i64[], %c: bool[], %s: f32[...], %k: f32[...]) -> (%c, %t, %u, %v) {
        %t: f32[...] = relu(%s)
        %u: f32[...] = neg(%t)
        %v: f32[...] = mul(%u, %k)
      }
    const %ones: f32[2,3] = {1 1 1 1 1 1}
    %y: f32[...] = concat(%all, %ones) axis=0
  })";
  const Tensor x = vector_of<float>({1, 2, 3}), k = Tensor::of<float>({2, 1}, {1, 2});
  const auto run = [&](int64_t trips) {
    return first(run_text(kText, {Tensor::scalar(trips), x, k}));
  };
  expect_tensor<float>(run(0), {2, 3}, {1, 1, 1, 1, 1, 1});
  expect_tensor<float>(run(1), {3, 3}, {-1, -2, -3, 1, 1, 1, 1, 1, 1});
  std::string scans(kText);
  scans.replace(scans.find("-> %y"), 5, "-> %more");
  expect_tensor<float>(first(run_text(scans, {Tensor::scalar(int64_t{0}), x, k})), {0, 2, 3}, {});
}

TEST(Loop, EndsWhenTheBodySaysSo) {
  expect_tensor<int64_t>(first(run_text(R"(graph() -> %n {
    %n = loop(_, _, i64[]{1}) body=graph(%i: i64[], %c: bool[], %n: i64[]) -> (%more, %twice) {
      %twice: i64[] = add(%n, %n)
      %more: bool[] = less(%twice, i64[]{100})
    }
  })")),
                         {}, {128});
}

TEST(Loop, RefusesScansThatChangeShapeAndCapturesThatAreNotThere) {
  expect_bad_input(run_text(R"(graph(%x: f32[1]) -> (%s, %all) {
    %s, %all = loop(i64[]{2}, _, %x) body=graph(%i, %c, %x: f32[...]) -> (%c, %y, %y) {
      %y: f32[...] = concat(%x, %x) axis=0
    }
  })",
                            {vector_of<float>({1})}));
  expect_bad_input(run_text(R"(graph() -> %s {
    %s = loop(i64[]{2}, _, i64[]{0}) captures=9 body=graph(%i, %c, %x) -> (%c, %x) { }
  })"));
}

TEST(Loop, InputsLeftOutBeforeCapturesArePutBack) {
  auto body = std::make_shared<Graph>(
      *parse_graph("graph(%i: i64[], %c: bool[], %x: f32[1]) -> (%stop, %y) {\n"
                   "  %stop: bool[] = not(%c) %y: f32[1] = neg(%x)\n"
                   "}"));
  // Only the captured x is left of the inputs: neither trip count nor condition is given.
  expect_tensor<float>(
      run_onnx("Loop", 13, {vector_of<float>({3})}, {{"body", body}, {"captures", int64_t{1}}}),
      {1, 1}, {-3});
}

constexpr std::string_view kScanBody =
    "body=graph(%s: f32[...], %x: f32[...]) -> (%t, %t) { %t: f32[...] = add(%s, %x) }";

TEST(Scan, WalksAnyAxisInBothDirections) {
  const Tensor x = Tensor::of<float>({2, 3}, {1, 2, 3, 10, 20, 30});
  const auto run = [&](std::string_view attrs) {
    return run_text(str("graph(%x: f32[2,3]) -> (%s, %all) {\n"
                        "%s, %all = scan(f32[2]{0 0}, %x) num_scan_inputs=1 scan_input_axes=[1] ",
                        attrs, " ", kScanBody, "}"),
                    {x});
  };
  expect_tensor<float>(first(run("")), {2}, {6, 60});
  expect_tensor<float>(second(run("")), {3, 2}, {1, 10, 3, 30, 6, 60});
  expect_tensor<float>(second(run("scan_output_axes=[-1]")), {2, 3}, {1, 3, 6, 10, 30, 60});
  expect_tensor<float>(second(run("scan_input_directions=[1]")), {3, 2}, {3, 30, 5, 50, 6, 60});
  expect_tensor<float>(second(run("scan_output_directions=[1]")), {3, 2}, {6, 60, 3, 30, 1, 10});
  expect_bad_input(run("scan_output_axes=[0,0]"));
  expect_bad_input(run("scan_output_axes=[2]"));
}

TEST(Scan, OfNoSlicesHasTheShapeOfItsBody) {
  const auto run = [](std::string_view attrs) {
    return run_text(str("graph(%x: f32[2,0]) -> (%s, %all) {\n"
                        "%s, %all = scan(f32[2]{7 8}, %x) num_scan_inputs=1 scan_input_axes=[1] ",
                        attrs, " ", kScanBody, "}"),
                    {Tensor::of<float>({2, 0}, {})});
  };
  expect_tensor<float>(first(run("")), {2}, {7, 8});
  expect_tensor<float>(second(run("")), {0, 2}, {});
  expect_tensor<float>(second(run("scan_output_axes=[1]")), {2, 0}, {});
}

TEST(Scan, RefusesWhatDoesNotFit) {
  const auto run = [&](int scans) {
    return run_text(str("graph() -> (%s, %all) { %s, %all = scan(f32[]{0}, f32[2]{1 2}) ",
                        "num_scan_inputs=", scans, " ", kScanBody, "}"));
  };
  EXPECT_TRUE(run(1).ok());
  expect_bad_input(run(0));
  expect_bad_input(run(3));
}

TEST(Scan, Opset8HasABatchAxis) {
  auto body = std::make_shared<Graph>(
      *parse_graph("graph(%s: f32[...], %x: f32[...]) -> (%t, %t) { %t: f32[...] = add(%s, %x) }"));
  const Attrs attrs{{"body", body}, {"num_scan_inputs", int64_t{1}}};
  const Tensor lengths = vector_of<int64_t>({2, 2});
  expect_unsupported(run_onnx("Scan", 8, {lengths, lengths, lengths}, attrs));
  const auto match = find_onnx_op("Scan", "");
  Graph graph;
  Value* state = graph.add_input("s", {DType::F32, {2}});
  Value* x = graph.add_input("x", {DType::F32, {2, 3}});
  OnnxImport in{.graph = graph,
                .name = "scan",
                .op_type = "Scan",
                .opset = 8,
                .inputs = {nullptr, state, x},
                .attrs = attrs,
                .outputs = 2,
                .op = "scan"};
  ASSERT_TRUE(match->rule->upgrade(in).ok());
  const Node* node = in.add(in.op, in.inputs, in.attrs, 2);
  for (Value* output : node->outputs) graph.add_output(output);
  const auto run = [&] {
    return run_graph(
        graph, {vector_of<float>({100, 200}), Tensor::of<float>({2, 3}, {1, 2, 3, 10, 20, 30})});
  };
  expect_tensor<float>(first(run()), {2}, {106, 260});
  expect_tensor<float>(second(run()), {2, 3}, {101, 103, 106, 210, 230, 260});
}

TEST(SequenceMap, GivesSequencesElementwiseAndTensorsWhole) {
  const auto run = [&](std::vector<Tensor> more) {
    return run_text(R"(graph(%s: sequence f32[...], %o: sequence f32[...], %t: f32[1]) -> %r {
      %r = sequence_map(%s, %o, %t) body=graph(%a: f32[...], %b: f32[...], %c: f32[...]) -> %y {
        %d: f32[...] = add(%a, %b)
        %y: f32[...] = add(%d, %c)
      }
    })",
                    {std::vector<Tensor>{vector_of<float>({1}), vector_of<float>({2, 3})},
                     std::move(more), vector_of<float>({100})});
  };
  const auto results = run({vector_of<float>({10}), vector_of<float>({20})});
  ASSERT_TRUE(results.ok()) << results.error().message;
  ASSERT_EQ((*results)[0].sequence.size(), 2u);
  expect_tensor<float>((*results)[0].sequence[1], {2}, {122, 123});
  expect_bad_input(run({vector_of<float>({10})}));
}

}  // namespace
}  // namespace hone
