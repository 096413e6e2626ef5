// Functions of x as people write them: "x * sigmoid(beta * x)".
#pragma once

#include <cstdint>
#include <map>
#include <set>
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
  // Whether it is an expression, whatever values its names will have.
  static Status check(std::string_view text);

  double operator()(double x) const;
  const std::string& text() const { return text_; }
  // Names of parameters that it takes the values of.
  const std::set<std::string>& parameters() const { return parameters_; }

  // Instructions for a machine with a stack.
  enum class Code : uint8_t {
    Number,  // Pushes `number`.
    X,
    Negate,
    Call,  // Of `function`, with one or two arguments.
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
  };
  struct Function {
    std::string_view name;  // The operator has the same.
    double (*one)(double) = nullptr;
    double (*two)(double, double) = nullptr;
  };
  struct Instruction {
    Code code;
    double number = 0;
    const Function* function = nullptr;
  };
  const std::vector<Instruction>& program() const { return program_; }

 private:
  friend class ExpressionParser;

  std::string text_;
  std::set<std::string> parameters_;
  std::vector<Instruction> program_;
  size_t depth_ = 0;  // Of the stack, at most.
};

}  // namespace hone
