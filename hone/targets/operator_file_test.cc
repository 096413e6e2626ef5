#include "hone/device/operator_file.h"

#include <gtest/gtest.h>

#include "hone/targets/devices.h"

namespace hone {
namespace {

std::string error_of_operator_file(std::string_view text) {
  const auto result = parse_operators(text, "ops.toml");
  return result.ok() ? "no error" : result.error().message;
}

TEST(OperatorFile, HoldsNamesExpressionsAndPrices) {
  const auto entries = parse_operators(R"toml(
[[operator]]
name = "acme.SwishBeta"
expression = "x*sigmoid(beta*x)"
cycles_per_element = 0.5

[[operator]]
name = "Cut"
expression = "min(x, 4)"
)toml",
                                       "ops.toml");
  ASSERT_TRUE(entries.ok()) << entries.error().message;
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[0].op.name, "acme.SwishBeta");
  EXPECT_EQ((*entries)[0].op.cycles_per_element, 0.5);
  EXPECT_EQ((*entries)[1].op.expression, "min(x, 4)");
  EXPECT_EQ((*entries)[1].op.cycles_per_element, 0) << "not said";
  EXPECT_EQ((*entries)[1].where, "ops.toml: line 9: operator[1].expression");
}

TEST(OperatorFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of_operator_file("[[operator]]\nname = 3\n"),
            "ops.toml: line 2: operator[0].name: expected a text, found a number, 3");
  EXPECT_NE(error_of_operator_file("[[operator]]\nname = \"A\"\n")
                .find("operator[0].expression: missing"),
            std::string::npos);
  EXPECT_NE(
      error_of_operator_file("[[operator]]\nname=\"A\"\nexpression=\"x\"\ncycles_per_element=-1\n")
          .find("line 4: operator[0].cycles_per_element"),
      std::string::npos);
  EXPECT_NE(
      error_of_operator_file("[[operator]]\nname=\"A\"\nexpression=\"x\"\nprice=1\n").find("price"),
      std::string::npos);
  EXPECT_NE(error_of_operator_file(
                "[[operator]]\nname=\"A\"\nexpression=\"x\"\n[[operator]]\nname=\"A\"\n"
                "expression=\"x\"\n")
                .find("line 5: operator[1].name: 'A' comes twice"),
            std::string::npos);
  EXPECT_NE(error_of_operator_file("").find("operator: missing"), std::string::npos);
  EXPECT_NE(error_of_operator_file("[[operator]\n").find("ops.toml: line 1"), std::string::npos);
}

TEST(OperatorFile, TakesThoseOfADevice) {
  Device device = **find_device("npu");
  const auto none = parse_operators(device_text(device), "mine.toml");
  ASSERT_TRUE(none.ok()) << none.error().message;
  EXPECT_TRUE(none->empty());
  device.npu()->operators = {{"acme.A", "x", 2}, {"acme.B", "-x", 0}};
  const auto entries = parse_operators(device_text(device), "mine.toml");
  ASSERT_TRUE(entries.ok()) << entries.error().message;
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[1].op.name, "acme.B");
  EXPECT_TRUE((*entries)[1].where.starts_with("mine.toml: line ")) << (*entries)[1].where;
}

}  // namespace
}  // namespace hone
