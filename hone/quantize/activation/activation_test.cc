#include <gtest/gtest.h>

#include "hone/quantize/activation/lookup_table.h"
#include "hone/quantize/activation/pieces.h"

namespace hone {
namespace {

QuantizedFunction function_of(std::string_view text, const CodeType& in, const CodeType& out) {
  const Result<Expression> expression = Expression::parse(text, {{"beta", 1.7}});
  EXPECT_TRUE(expression.ok()) << expression.error().message;
  Result<QuantizedFunction> function = QuantizedFunction::make(*expression, in, out);
  EXPECT_TRUE(function.ok()) << function.error().message;
  return *std::move(function);
}

constexpr CodeType kActivationIn8{DType::I8, 0.0625, 3};
constexpr CodeType kActivationOut8{DType::I8, 0.05, -100};
constexpr CodeType kActivationIn16{DType::I16, 8.0 / 32768, 0};
constexpr CodeType kActivationOut16{DType::I16, 8.0 / 32768, 0};

const char* const kFunctions[] = {"x * sigmoid(beta * x)", "tanh(x)", "x * tanh(softplus(x))",
                                  "x / 2 * (1 + erf(x / sqrt(2)))", "max(0, x)"};

TEST(LookupTable, OfEightBitsIsTheRoundedFunction) {
  for (const char* text : kFunctions) {
    const QuantizedFunction function = function_of(text, kActivationIn8, kActivationOut8);
    const Result<LookupTable> table = make_lookup_table(function, 0.5);
    ASSERT_TRUE(table.ok());
    EXPECT_EQ(table->entries.size(), 256u);
    EXPECT_LE(check_every_code(function, *table).worst, 0.5) << text;
  }
}

TEST(LookupTable, OfSixteenBitsIsTheSmallestThatIsNearEnough) {
  const QuantizedFunction function =
      function_of("x * sigmoid(beta * x)", kActivationIn16, kActivationOut16);
  const Result<LookupTable> coarse = make_lookup_table(function, 40);
  const Result<LookupTable> fine = make_lookup_table(function, 2);
  ASSERT_TRUE(coarse.ok());
  ASSERT_TRUE(fine.ok()) << fine.error().message;
  EXPECT_LT(coarse->entries.size(), fine->entries.size());
  EXPECT_LE(check_every_code(function, *coarse).worst, 40);
  EXPECT_LE(check_every_code(function, *fine).worst, 2);
  EXPECT_FALSE(make_lookup_table(function, 0.1).ok());
}

TEST(Pieces, KeepTheirPromiseAtEveryCode) {
  for (const char* text : kFunctions) {
    for (const int degree : {1, 2}) {
      for (const double limit : {0.75, 1.0, 2.0}) {
        const QuantizedFunction function = function_of(text, kActivationIn8, kActivationOut8);
        const Result<PiecewiseFunction> pieces = make_pieces(function, degree, limit);
        ASSERT_TRUE(pieces.ok()) << pieces.error().message;
        EXPECT_LE(check_every_code(function, *pieces).worst, limit) << text << " " << degree;
        EXPECT_LE(pieces->pieces.size(), 40u) << text;
      }
    }
  }
}

TEST(Pieces, OfSixteenBitsToo) {
  const QuantizedFunction function =
      function_of("x * sigmoid(beta * x)", kActivationIn16, kActivationOut16);
  const Result<PiecewiseFunction> lines = make_pieces(function, 1, 8);
  const Result<PiecewiseFunction> curves = make_pieces(function, 2, 8);
  ASSERT_TRUE(lines.ok()) << lines.error().message;
  ASSERT_TRUE(curves.ok()) << curves.error().message;
  EXPECT_LE(check_every_code(function, *lines).worst, 8);
  EXPECT_LE(check_every_code(function, *curves).worst, 8);
  EXPECT_LT(curves->pieces.size(), lines->pieces.size());
}

TEST(Pieces, AreAsFewAsTheFunctionHasBends) {
  const QuantizedFunction relu = function_of("max(0, x)", kActivationIn8, kActivationOut8);
  EXPECT_EQ(make_pieces(relu, 1, 1)->pieces.size(), 2u);
  const QuantizedFunction line = function_of("0.5 * x", kActivationIn8, kActivationOut8);
  EXPECT_EQ(make_pieces(line, 1, 0.75)->pieces.size(), 1u);
  const QuantizedFunction square = function_of("x * x / 8", kActivationIn8, {DType::I8, 0.1, 0});
  EXPECT_EQ(make_pieces(square, 2, 1)->pieces.size(), 1u);
}

TEST(QuantizedFunction, RefusesWhatHasNoValue) {
  const Expression logarithm = *Expression::parse("log(x)");
  const Result<QuantizedFunction> all =
      QuantizedFunction::make(logarithm, kActivationIn8, kActivationOut8);
  ASSERT_FALSE(all.ok());
  EXPECT_NE(all.error().message.find("has no value at x = -8.1875"), std::string::npos);
  EXPECT_TRUE(
      QuantizedFunction::make(logarithm, kActivationIn8, kActivationOut8, RealRange{0.01, 8}).ok());
  EXPECT_FALSE(QuantizedFunction::make(logarithm, {DType::I8, 0, 0}, kActivationOut8).ok());
  EXPECT_FALSE(QuantizedFunction::make(logarithm, {DType::I8, 1, 300}, kActivationOut8).ok());
}

}  // namespace
}  // namespace hone
