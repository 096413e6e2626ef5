// An operator that Hone does not know, from the file that gives it a meaning to the NPU that runs
// it: by a table, by a command of the device's own, or on the host where it has neither.

#include <gtest/gtest.h>

#include <fstream>

#include "hone/model/save.h"
#include "hone/quantize/quantize.h"
#include "hone/sim/vector_op.h"
#include "hone/targets/npu/npu_program.h"
#include "hone/workbench/operators.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = R"toml(
[[operator]]
name = "acme.SwishBeta"
expression = "x*sigmoid(beta*x)"

[[operator]]
name = "acme.NotInTheModel"
expression = "gamma*x"
)toml";

// A convolution, the operator, and another convolution; large enough that an NPU pays.
Model model_with_operator() {
  const ValueType image(DType::F32, {1, 64, 32, 32});
  Model model;
  model.name = "model";
  Graph& graph = model.graph;
  Value* value = graph.add_input("x", image);
  const auto add = [&](std::string_view op, std::string name, Attrs attrs) {
    std::vector<Value*> inputs = {value};
    if (op == "conv") {
      const TensorType type{DType::F32, {64, 64, 3, 3}};
      inputs.push_back(graph.add_constant(name + ".weights", random_tensor(type, 1)));
    }
    Node* node = graph.add_node(op, std::move(inputs), {image}, std::move(attrs), name);
    node->origins = {static_cast<int>(graph.sources.size())};
    const std::string type = op == "conv" ? "Conv" : "acme.SwishBeta";
    graph.sources.push_back({name, type, node->origins[0]});
    value = node->outputs[0];
  };
  add("conv", "first", {{"pads", Ints{1, 1, 1, 1}}});
  add("custom", "act",
      {{"domain", std::string("acme")},
       {"op_type", std::string("SwishBeta")},
       {"reason", std::string("unknown")},
       {"names", Strings{"beta"}},
       {"numbers", Floats{1.7}}});
  add("conv", "last", {{"pads", Ints{1, 1, 1, 1}}});
  graph.add_output(value);
  return model;
}

TEST(OwnOperators, AreNamedWithTheirDomain) {
  const Model model = model_with_operator();
  const auto cpu = find_target("cpu");
  ASSERT_TRUE(cpu.ok());
  const auto program = (*cpu)->open()->compile(std::move(*model.graph.clone()), {});
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().message, "node 'act' (acme.SwishBeta): unknown");
}

Graph quantized_with(std::string_view operators) {
  Model model = model_with_operator();
  const auto entries = parse_operators(operators, "ops.toml");
  EXPECT_TRUE(entries.ok()) << entries.error().message;
  const Status bound = bind_operators(model, *entries);
  EXPECT_TRUE(bound.ok()) << bound.error().message;
  EXPECT_TRUE(model.unsupported.empty());
  const Status status = quantize_static(model.graph, {*make_inputs(model.graph, {}, 1)});
  EXPECT_TRUE(status.ok()) << status.error().message;
  return std::move(model.graph);
}

struct OnNpu {
  bool on_npu = false;
  std::string reason = {};
  double cycles_per_element = 0;  // Of its command; 0: what a table takes.
  double ms = 0;
};

// Where the network's only table went.
OnNpu place(const Graph& graph, const Device& device) {
  auto plan = npu::make_npu_plan(std::move(*graph.clone()), device, {});
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  OnNpu result;
  for (const Placement& placement : (*plan)->placed.placements) {
    if (placement.node->op != "lookup") continue;
    result.on_npu = placement.on_target;
    result.reason = placement.reason;
  }
  for (const sim::Command& command : (*plan)->schedule.stream.commands) {
    const auto* vector = std::get_if<sim::VectorCommand>(&command.work);
    if (vector != nullptr && vector->op == &sim::vector_op_table) {
      result.cycles_per_element = vector->cycles_per_element;
    }
  }
  result.ms = *npu::modelled_run(**plan).latency.value;
  return result;
}

Device npu_with(bool tables, double cycles_per_element) {
  Device device = **find_device("npu");
  NpuSpec& spec = *device.npu();
  spec.limits.tables = tables;
  if (cycles_per_element > 0) {
    spec.operators = {{"acme.SwishBeta", "x*sigmoid(beta*x)", cycles_per_element}};
  }
  return device;
}

TEST(OwnOperator, IsATableUnlessTheDeviceHasACommandForIt) {
  const Graph graph = quantized_with(kFile);
  const OnNpu table = place(graph, npu_with(true, 0));
  EXPECT_TRUE(table.on_npu) << table.reason;
  EXPECT_EQ(table.cycles_per_element, 0);

  const OnNpu own = place(graph, npu_with(true, 0.25));
  EXPECT_TRUE(own.on_npu) << own.reason;
  EXPECT_EQ(own.cycles_per_element, 0.25);
  EXPECT_GT(own.ms, table.ms) << "2 cycles for 64 elements of a table, here 16";

  const OnNpu without_tables = place(graph, npu_with(false, 0.25));
  EXPECT_TRUE(without_tables.on_npu) << without_tables.reason;
}

TEST(OwnOperator, GoesToTheHostWhereTheDeviceHasNeither) {
  const OnNpu host = place(quantized_with(kFile), npu_with(false, 0));
  EXPECT_FALSE(host.on_npu);
  EXPECT_NE(host.reason.find("table of 256"), std::string::npos) << host.reason;
}

TEST(OwnOperator, IsStillKnownInTheFileThatWasWritten) {
  const Graph graph = quantized_with(kFile);
  const auto file = export_onnx(graph);
  ASSERT_TRUE(file.ok()) << file.error().message;
  const auto model = import_onnx(*file);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(place(model->graph, npu_with(true, 0.25)).cycles_per_element, 0.25);
}

TEST(OwnOperator, OfADevicesFileHasAMeaning) {
  const fs::path path = fs::path(testing::TempDir()) / "own_operators_test.toml";
  std::ofstream(path) << device_text(npu_with(true, 0.25));
  const auto entries = device_operators(path.string());
  ASSERT_TRUE(entries.ok()) << entries.error().message;
  Model model = model_with_operator();
  ASSERT_TRUE(bind_operators(model, *entries).ok());
  EXPECT_TRUE(infer_types(model.graph)->unsupported.empty());
  EXPECT_TRUE(device_operators("cpu")->empty());
  EXPECT_TRUE(device_operators("npu")->empty());
  fs::remove(path);
}

TEST(OwnOperator, WithABadExpressionIsNamedByItsLine) {
  Model model = model_with_operator();
  const auto error_of = [&](const std::string& expression) {
    const auto entries = parse_operators(
        str("[[operator]]\nname=\"acme.SwishBeta\"\nexpression=\"", expression, "\"\n"),
        "ops.toml");
    const Status status = bind_operators(model, *entries);
    return status.ok() ? std::string("no error") : status.error().message;
  };
  EXPECT_EQ(error_of("x*sgimoid(x)"),
            "ops.toml: line 3: operator[0].expression: expression 'x*sgimoid(x)', column 3: no "
            "function 'sgimoid' (did you mean 'sigmoid'?)");
  const std::string missing = error_of("x*sigmoid(gamma*x)");
  EXPECT_TRUE(missing.starts_with("ops.toml: line 3: operator[0].expression: node")) << missing;
  EXPECT_NE(missing.find("'gamma' has no value"), std::string::npos) << missing;
}

}  // namespace
}  // namespace hone
