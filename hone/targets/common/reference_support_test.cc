#include "hone/targets/common/reference_support.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(ReferenceSupport, OperatorsWithAReferenceRun) {
  Graph graph;
  const Node* node = graph.add_node("relu", {}, {}, {}, "n");
  EXPECT_TRUE(reference_support(*node).full);
  EXPECT_TRUE(check_reference(*node).ok());
}

TEST(ReferenceSupport, UnknownOperatorsAreNamed) {
  Graph graph;
  const Node* node = graph.add_node("fancy", {}, {}, {}, "n");
  EXPECT_EQ(reference_support(*node).reason, "no such operator");
  const Status status = check_reference(*node);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(status.error().message, "node 'n' (fancy): no such operator");
}

TEST(ReferenceSupport, CustomNodesTellWhatTheirImportSaid) {
  Graph graph;
  const Node* node =
      graph.add_node("custom", {}, {},
                     {{"op_type", std::string("Fancy")}, {"reason", std::string("too new")}}, "n");
  const Status status = check_reference(*node);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "node 'n' (Fancy): too new");
  EXPECT_EQ(status.error().hint, Hint{});  // An expression of x is one value of one.
}

TEST(ReferenceSupport, CustomNodesOfOneValueNeedAMeaning) {
  Graph graph;
  Value* x = graph.add_input("x", ValueType(DType::F32, {1}));
  const Node* node =
      graph.add_node("custom", {x}, {ValueType(DType::F32, {1})},
                     {{"domain", std::string("acme")}, {"op_type", std::string("Fancy")}}, "n");
  EXPECT_EQ(check_reference(*node).error().hint, (Hint{HintKind::OperatorMeaning, "acme.Fancy"}));
}

}  // namespace
}  // namespace hone
