// Every operator's cases (OpDef::cases) give on every target what the reference gives.

#include <gtest/gtest.h>

#include "hone/ops/op_case.h"
#include "hone/tensor/compare.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

Result<std::vector<Item>> run_on(const std::string& target, const Graph& graph,
                                 const std::vector<Item>& inputs) {
  HONE_TRY(const TargetDef* def, find_target(target));
  HONE_TRY(const auto program, def->open()->compile(std::move(*graph.clone()), {.threads = 2}));
  return program->run(inputs);
}

// Sequences of two tensors, and optionals that hold one.
Result<std::vector<Item>> inputs_of(const Graph& graph) {
  Graph tensors;
  for (const Value* input : graph.inputs()) tensors.add_input(input->name, input->type.tensor);
  HONE_TRY(std::vector<Item> items, make_inputs(tensors, {}, 1));
  for (size_t i = 0; i < items.size(); ++i) {
    const Tensor tensor = items[i].tensor;
    if (graph.inputs()[i]->type.sequence) items[i] = Item(std::vector<Tensor>{tensor, tensor});
  }
  return items;
}

// Those with arithmetic of their own: processors by a formula compute on this CPU.
std::vector<std::string> targets() {
  std::vector<std::string> names;
  for (const TargetDef* target : all_targets()) {
    if (target->here != nullptr && !target->here().full) continue;
    if (target->name != "ref" && target->name != "null") names.emplace_back(target->name);
  }
  for (const char* npu : {"npu", "ethos-u55-128", "edge-tpu-usb"}) {
    if (std::ranges::find(names, npu) == names.end()) names.emplace_back(npu);
  }
  return names;
}

std::string difference_of(const Item& actual, const Item& expected);

std::string difference_of(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected) {
  if (actual.size() != expected.size()) return "not as many elements";
  for (size_t i = 0; i < actual.size(); ++i) {
    const std::string difference = difference_of(Item(actual[i]), Item(expected[i]));
    if (!difference.empty()) return difference;
  }
  return "";
}

// Floats are summed in another order; integers are equal.
std::string difference_of(const Item& actual, const Item& expected) {
  if (actual.kind != expected.kind) return "not the same kind of value";
  if (actual.is_sequence()) return difference_of(actual.sequence, expected.sequence);
  if (actual.absent()) return "";
  const Difference difference = compare(actual.tensor, expected.tensor);
  if (!difference.comparable) return difference.what;
  const bool floats = kFloat.contains(expected.tensor.dtype());
  const double allowed = floats ? 1e-4 * std::max(1.0, difference.max_magnitude) : 0;
  const bool same = floats ? difference.max_abs <= allowed : difference.different == 0;
  return same ? "" : str("apart by ", difference.max_abs);
}

class OpCases : public testing::TestWithParam<const OpDef*> {};

TEST_P(OpCases, GiveOnEveryTargetWhatTheReferenceGives) {
  const OpDef& op = *GetParam();
  for (const std::string_view text : op.cases) {
    SCOPED_TRACE(str(op.name, text));
    const Result<Graph> graph = graph_of_case(op.name, text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const auto inputs = inputs_of(*graph);
    ASSERT_TRUE(inputs.ok()) << inputs.error().message;
    const auto expected = run_on("ref", *graph, *inputs);
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    for (const std::string& target : targets()) {
      const auto actual = run_on(target, *graph, *inputs);
      ASSERT_TRUE(actual.ok()) << target << ": " << actual.error().message;
      ASSERT_EQ(actual->size(), expected->size());
      for (size_t i = 0; i < expected->size(); ++i) {
        EXPECT_EQ(difference_of((*actual)[i], (*expected)[i]), "") << target << ", output " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OpCases, testing::ValuesIn(all_ops()),
                         [](const auto& param) { return std::string(param.param->name); });

// What engines say they compute on integers are operators that have such a form.
TEST(OpCases, EnginesNameOperatorsWithIntegerForms) {
  for (const std::string& name : targets()) {
    const TargetDef* target = *find_target(name);
    if (target->integers == nullptr) continue;
    for (const std::string_view op : target->integers->ops) {
      const OpDef* def = find_op(op);
      ASSERT_NE(def, nullptr) << name << ": " << op;
      EXPECT_NE(def->integers, IntegerForm::None) << name << ": " << op;
    }
  }
}

// What can be run has something to run. Results of chance cannot be compared.
TEST(OpCases, AreThereForEveryOperatorThatRuns) {
  for (const OpDef* op : all_ops()) {
    EXPECT_TRUE(!op->cases.empty() || op->eval == nullptr || op->random) << op->name;
  }
}

}  // namespace
}  // namespace hone
