#include "hone/quantize/activation/expression.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone {
namespace {

double value_of(std::string_view text, double x, const std::map<std::string, double>& named = {}) {
  const Result<Expression> expression = Expression::parse(text, named);
  EXPECT_TRUE(expression.ok()) << expression.error().message;
  return expression.ok() ? (*expression)(x) : NAN;
}

std::string error_of(std::string_view text) {
  const Result<Expression> expression = Expression::parse(text);
  return expression.ok() ? "parsed" : expression.error().message;
}

TEST(Expression, BindsAsOnPaper) {
  EXPECT_DOUBLE_EQ(value_of("1 + 2 * x", 3), 7);
  EXPECT_DOUBLE_EQ(value_of("-x^2", 3), -9);
  EXPECT_DOUBLE_EQ(value_of("2^3^2", 0), 512);
  EXPECT_DOUBLE_EQ(value_of("2^-1", 0), 0.5);
  EXPECT_DOUBLE_EQ(value_of("8 / 4 / 2", 0), 1);
  EXPECT_DOUBLE_EQ(value_of("(1 - x) * -x", 3), 6);
  EXPECT_DOUBLE_EQ(value_of("1e-3 * x + .5", 2), 0.502);
}

TEST(Expression, ComparisonsAreNumbers) {
  EXPECT_DOUBLE_EQ(value_of("(x > 0) * x + (x <= 0) * 0.1 * x", -2), -0.2);
  EXPECT_DOUBLE_EQ(value_of("x == 2", 2), 1);
  EXPECT_DOUBLE_EQ(value_of("x != 2", 2), 0);
}

TEST(Expression, HasTheFunctionsOfActivations) {
  EXPECT_NEAR(value_of("x * sigmoid(beta * x)", 1.3, {{"beta", 1.7}}),
              1.3 / (1 + std::exp(-1.7 * 1.3)), 1e-15);
  EXPECT_NEAR(value_of("x * tanh(softplus(x))", 0.7), 0.7 * std::tanh(std::log1p(std::exp(0.7))),
              1e-15);
  EXPECT_NEAR(value_of("x/2 * (1 + erf(x / sqrt(2)))", -1), -0.5 * (1 + std::erf(-std::sqrt(0.5))),
              1e-15);
  EXPECT_DOUBLE_EQ(value_of("max(0, min(6, x))", 9), 6);
  EXPECT_DOUBLE_EQ(value_of("cos(pi)", 0), -1);
}

TEST(Expression, PointsAtWhatIsWrong) {
  EXPECT_EQ(error_of("x +"), "expression 'x +', column 4: ends where a value is expected");
  EXPECT_EQ(error_of("x * $"), "expression 'x * $', column 5: expected a value, found '$'");
  EXPECT_EQ(error_of("(x"), "expression '(x', column 3: expected ')'");
  EXPECT_EQ(error_of("x y"), "expression 'x y', column 3: expected an operator, found 'y'");
  EXPECT_EQ(error_of("max(x)"), "expression 'max(x)', column 6: max takes two arguments");
  EXPECT_NE(error_of("sigmiod(x)").find("did you mean 'sigmoid'"), std::string::npos);
  EXPECT_EQ(Expression::parse("beta * x").error().hint, (Hint{HintKind::Parameter, "beta"}));
  EXPECT_NE(error_of(std::string(100000, '(')).find("nested too deeply"), std::string::npos);
}

TEST(Expression, CanBeCheckedBeforeItsNamesHaveValues) {
  EXPECT_TRUE(Expression::check("x*sigmoid(beta*x)").ok());
  EXPECT_FALSE(Expression::check("x*sigmiod(beta*x)").ok());
  EXPECT_FALSE(Expression::check("x*").ok());
}

}  // namespace
}  // namespace hone
