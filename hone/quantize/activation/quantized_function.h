// A function between two quantized types: what exact arithmetic gives for every input code.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "hone/base/result.h"
#include "hone/quantize/activation/expression.h"
#include "hone/tensor/dtype.h"

namespace hone {

// real = scale * (code - zero_point)
struct CodeType {
  DType dtype = DType::I8;  // I8, U8 or I16.
  double scale = 1;
  int32_t zero_point = 0;

  int32_t first() const;  // The codes of the type.
  int32_t last() const;
  double real(int32_t code) const { return scale * (code - zero_point); }
};

struct RealRange {
  double low;
  double high;
};

class QuantizedFunction {
 public:
  // `range` says for which x the function is asked; codes beyond it give what its ends give.
  // BadInput when a scale is no positive number, when no code lies in the range, or where the
  // function has no value or an infinite one; the message names the x.
  static Result<QuantizedFunction> make(const Expression& expression, const CodeType& in,
                                        const CodeType& out, std::optional<RealRange> range = {});

  const CodeType& in() const { return in_; }
  const CodeType& out() const { return out_; }
  // The exact result in units of the output's last place, as code: 3.2 lies between codes 3 and 4.
  // Cut to the codes of the output.
  double exact(int32_t code) const { return exact_[static_cast<size_t>(code - in_.first())]; }
  // The nearest code.
  int32_t rounded(int32_t code) const;

 private:
  CodeType in_;
  CodeType out_;
  std::vector<double> exact_;  // By input code.
};

// How far an implementation is from the exact function, over every input code.
struct CodeError {
  double worst = 0;  // In units of the output's last place; rounding alone costs up to 0.5.
  int32_t worst_at = 0;
  double mean = 0;  // With its sign: a bias.
  int64_t codes = 0;
};

template <class Implementation>
CodeError check_every_code(const QuantizedFunction& function,
                           const Implementation& implementation) {
  CodeError error;
  for (int32_t code = function.in().first(); code <= function.in().last(); ++code) {
    const double difference = implementation(code) - function.exact(code);
    error.mean += difference;
    ++error.codes;
    if (std::abs(difference) > error.worst) {
      error.worst = std::abs(difference);
      error.worst_at = code;
    }
  }
  error.mean /= static_cast<double>(error.codes);
  return error;
}

}  // namespace hone
