#include "hone/quantize/activation/expression.h"

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

#include "hone/base/printable.h"
#include "hone/base/short_name.h"
#include "hone/base/text.h"

namespace hone {
namespace {

double sigmoid(double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}
double relu(double x) {
  return x > 0 ? x : 0;
}
double sign(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}
double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}
double smaller(double a, double b) {
  return std::fmin(a, b);
}
double larger(double a, double b) {
  return std::fmax(a, b);
}

using Function = Expression::Function;
constexpr std::array<Function, 18> kFunctions = {{
    {"abs", [](double x) { return std::abs(x); }, nullptr},
    {"ceil", [](double x) { return std::ceil(x); }, nullptr},
    {"cos", [](double x) { return std::cos(x); }, nullptr},
    {"erf", [](double x) { return std::erf(x); }, nullptr},
    {"exp", [](double x) { return std::exp(x); }, nullptr},
    {"floor", [](double x) { return std::floor(x); }, nullptr},
    {"log", [](double x) { return std::log(x); }, nullptr},
    {"max", nullptr, larger},
    {"min", nullptr, smaller},
    {"relu", relu, nullptr},
    {"round", [](double x) { return std::nearbyint(x); }, nullptr},
    {"sigmoid", sigmoid, nullptr},
    {"sign", sign, nullptr},
    {"sin", [](double x) { return std::sin(x); }, nullptr},
    {"softplus", softplus, nullptr},
    {"sqrt", [](double x) { return std::sqrt(x); }, nullptr},
    {"tanh", [](double x) { return std::tanh(x); }, nullptr},
    {"tan", [](double x) { return std::tan(x); }, nullptr},
}};

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

// Descends from the loosest operators to the tightest, writing instructions as it returns.
class ExpressionParser {
  using Code = Expression::Code;

 public:
  // Any name has a value where `parameters` is null.
  ExpressionParser(std::string_view text, const std::map<std::string, double>* parameters)
      : text_(text), parameters_(parameters) {}

  Result<Expression> run() {
    HONE_RETURN_IF_ERROR(comparison());
    skip_spaces();
    if (at_ < text_.size()) return wrong(str("expected an operator, found '", character(), "'"));
    result_.text_ = text_;
    return std::move(result_);
  }

 private:
  static constexpr int kDeepest = 200;  // Of parentheses: a hostile text does not end the program.

  Error wrong(const std::string& what) const {
    return bad_input("expression '", short_name(printable(text_), 200), "', column ", at_ + 1, ": ",
                     what);
  }

  // Whole, however many bytes it has.
  std::string_view character() const {
    const auto first = first_character(text_.substr(at_));
    return text_.substr(at_, first ? first->bytes : 1);
  }

  void skip_spaces() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  bool take(std::string_view token) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void emit(Expression::Instruction instruction, int change) {
    result_.program_.push_back(instruction);
    height_ += change;
    result_.depth_ = std::max(result_.depth_, static_cast<size_t>(height_));
  }

  Status comparison() {
    HONE_RETURN_IF_ERROR(sum());
    static constexpr std::pair<std::string_view, Code> kOperators[] = {
        {"<=", Code::LessOrEqual}, {">=", Code::GreaterOrEqual},
        {"==", Code::Equal},       {"!=", Code::NotEqual},
        {"<", Code::Less},         {">", Code::Greater}};
    for (const auto& [token, code] : kOperators) {
      if (!take(token)) continue;
      HONE_RETURN_IF_ERROR(sum());
      emit({code}, -1);
      break;
    }
    return Done{};
  }

  Status sum() {
    HONE_RETURN_IF_ERROR(product());
    while (true) {
      const bool add = take("+");
      if (!add && !take("-")) return Done{};
      HONE_RETURN_IF_ERROR(product());
      emit({add ? Code::Add : Code::Subtract}, -1);
    }
  }

  Status product() {
    HONE_RETURN_IF_ERROR(signed_power());
    while (true) {
      const bool multiply = take("*");
      if (!multiply && !take("/")) return Done{};
      HONE_RETURN_IF_ERROR(signed_power());
      emit({multiply ? Code::Multiply : Code::Divide}, -1);
    }
  }

  Status signed_power() {
    if (++nested_ > kDeepest) return wrong("nested too deeply");
    const bool negative = take("-");
    if (!negative) take("+");
    HONE_RETURN_IF_ERROR(negative ? signed_power() : power());
    if (negative) emit({Code::Negate}, 0);
    --nested_;
    return Done{};
  }

  Status power() {
    HONE_RETURN_IF_ERROR(primary());
    if (!take("^")) return Done{};
    HONE_RETURN_IF_ERROR(signed_power());
    emit({Code::Power}, -1);
    return Done{};
  }

  Status primary() {
    skip_spaces();
    if (at_ == text_.size()) return wrong("ends where a value is expected");
    const char c = text_[at_];
    if (is_digit(c) || c == '.') return number();
    if (is_letter(c)) return name();
    if (!take("(")) return wrong(str("expected a value, found '", character(), "'"));
    HONE_RETURN_IF_ERROR(comparison());
    return close();
  }

  Status close() {
    if (!take(")")) return wrong("expected ')'");
    return Done{};
  }

  Status number() {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) return wrong("not a number");
    at_ = static_cast<size_t>(end - text_.data());
    emit({Code::Number, value}, 1);
    return Done{};
  }

  Status name() {
    const size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string name(text_.substr(start, at_ - start));
    if (take("(")) return call(name, start);
    if (name == "x") {
      emit({Code::X}, 1);
    } else if (const auto value = value_of(name)) {
      result_.parameters_.insert(name);
      emit({Code::Number, *value}, 1);
    } else if (name == "pi" || name == "e") {
      emit({Code::Number, name == "pi" ? std::numbers::pi : std::numbers::e}, 1);
    } else {
      at_ = start;
      return wrong(str("'", name, "' has no value")).needs({HintKind::Parameter, name});
    }
    return Done{};
  }

  std::optional<double> value_of(const std::string& name) const {
    if (parameters_ == nullptr) return 1;
    const auto found = parameters_->find(name);
    return found == parameters_->end() ? std::nullopt : std::optional(found->second);
  }

  Status call(const std::string& name, size_t start) {
    std::vector<std::string> names;
    for (const Function& function : kFunctions) {
      names.emplace_back(function.name);
      if (function.name != name) continue;
      HONE_RETURN_IF_ERROR(comparison());
      const bool two = function.two != nullptr;
      if (two) {
        if (!take(",")) return wrong(str(name, " takes two arguments"));
        HONE_RETURN_IF_ERROR(comparison());
      }
      emit({.code = Code::Call, .function = &function}, two ? -1 : 0);
      return close();
    }
    at_ = start;
    return wrong(str("no function '", name, "'", did_you_mean(name, names)));
  }

  std::string_view text_;
  const std::map<std::string, double>* parameters_;
  size_t at_ = 0;
  int height_ = 0;
  int nested_ = 0;
  Expression result_;
};

Result<Expression> Expression::parse(std::string_view text,
                                     const std::map<std::string, double>& parameters) {
  return ExpressionParser(text, &parameters).run();
}

Status Expression::check(std::string_view text) {
  HONE_RETURN_IF_ERROR(ExpressionParser(text, nullptr).run());
  return Done{};
}

double Expression::operator()(double x) const {
  std::vector<double> stack(depth_ + 1);
  size_t top = 0;  // One past the last.
  for (const Instruction& one : program_) {
    if (one.code == Code::Number || one.code == Code::X) {
      stack[top++] = one.code == Code::X ? x : one.number;
      continue;
    }
    const bool unary =
        one.code == Code::Negate || (one.code == Code::Call && one.function->one != nullptr);
    const double b = unary ? 0 : stack[--top];
    double& a = stack[top - 1];
    switch (one.code) {
      case Code::Negate:
        a = -a;
        break;
      case Code::Call:
        a = unary ? one.function->one(a) : one.function->two(a, b);
        break;
      case Code::Add:
        a += b;
        break;
      case Code::Subtract:
        a -= b;
        break;
      case Code::Multiply:
        a *= b;
        break;
      case Code::Divide:
        a /= b;
        break;
      case Code::Power:
        a = std::pow(a, b);
        break;
      case Code::Less:
        a = a < b;
        break;
      case Code::LessOrEqual:
        a = a <= b;
        break;
      case Code::Greater:
        a = a > b;
        break;
      case Code::GreaterOrEqual:
        a = a >= b;
        break;
      case Code::Equal:
        a = a == b;
        break;
      default:
        a = a != b;
        break;
    }
  }
  return stack[0];
}

}  // namespace hone
