// Functions of x as people write them: "x * sigmoid(beta * x)".
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"

namespace hone {

// + - * / ^ and parentheses, comparisons (1 when true, 0 when not), numbers, pi, e, named
// parameters, and abs ceil cos erf exp floor log max min relu round sigmoid sign sin softplus sqrt
// tanh. Powers bind tightest and to the right, then signs, products, sums, comparisons.
class Expression {
 public:
  // BadInput points at the column. `parameters` gives values to names other than x.
  static Result<Expression> parse(std::string_view text,
                                  const std::map<std::string, double>& parameters = {});

  double operator()(double x) const;
  const std::string& text() const { return text_; }

 private:
  friend class ExpressionParser;

  enum class Code : uint8_t {
    Number,
    X,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Negate,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    One,
    Two,  // A function of one or two arguments.
  };
  using Unary = double (*)(double);
  using Binary = double (*)(double, double);
  struct Instruction {
    Code code;
    double number = 0;
    Unary unary = nullptr;
    Binary binary = nullptr;
  };

  std::string text_;
  std::vector<Instruction> program_;  // For a machine with a stack.
  size_t depth_ = 0;                  // Of that stack, at most.
};

}  // namespace hone
