#include "hone/quantize/activation/quantized_function.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

Status check_type(const CodeType& type, const char* what) {
  if (type.dtype != DType::I8 && type.dtype != DType::U8 && type.dtype != DType::I16) {
    return unsupported(what, " of type ", type.dtype, ", expected i8, u8 or i16");
  }
  if (!std::isfinite(type.scale) || type.scale <= 0) {
    return bad_input(what, " scale ", type.scale, ", expected a positive number");
  }
  if (type.zero_point < type.first() || type.zero_point > type.last()) {
    return bad_input(what, " zero point ", type.zero_point, ", expected ", type.first(), " to ",
                     type.last());
  }
  return Done{};
}

}  // namespace

int32_t CodeType::first() const {
  return dtype == DType::U8 ? 0 : dtype == DType::I8 ? -128 : -32768;
}

int32_t CodeType::last() const {
  return dtype == DType::U8 ? 255 : dtype == DType::I8 ? 127 : 32767;
}

Result<QuantizedFunction> QuantizedFunction::make(const Expression& expression, const CodeType& in,
                                                  const CodeType& out,
                                                  std::optional<RealRange> range) {
  HONE_RETURN_IF_ERROR(check_type(in, "input"));
  HONE_RETURN_IF_ERROR(check_type(out, "output"));
  if (range && !(range->low < range->high)) {
    return bad_input("range ", range->low, ",", range->high, ", expected LOW,HIGH");
  }
  QuantizedFunction function;
  function.in_ = in;
  function.out_ = out;
  bool any = false;
  for (int32_t code = in.first(); code <= in.last(); ++code) {
    double x = in.real(code);
    const bool inside = !range || (x >= range->low && x <= range->high);
    any = any || inside;
    if (!inside) x = std::clamp(x, range->low, range->high);
    const double y = expression(x);
    if (!std::isfinite(y)) {
      return bad_input("'", expression.text(), "' has no value at x = ", x,
                       "; a range can leave such x out")
          .needs({HintKind::Range});
    }
    const double code_value = y / out.scale + out.zero_point;
    function.exact_.push_back(std::clamp(code_value, double(out.first()), double(out.last())));
  }
  if (!any) return bad_input("no code of the input lies in the range");
  return function;
}

int32_t QuantizedFunction::rounded(int32_t code) const {
  return static_cast<int32_t>(std::lround(exact(code)));
}

}  // namespace hone
