#include "hone/ops/rnn/gate_functions.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace hone {
namespace {

struct Known {
  const char* name;  // In lower case.
  double (*fn)(double, double, double);
  bool takes_alpha = false;
  bool takes_beta = false;
  double alpha = 0;
  double beta = 0;
  bool needs_both = false;  // No default is defined.
};

constexpr double kAlphaOfHardSigmoid = 0.2, kBetaOfHardSigmoid = 0.5, kAlphaOfLeakyRelu = 0.01;

const std::vector<Known>& known_functions() {
  static const std::vector<Known> kKnown = {
      {"relu", [](double x, double, double) { return std::max(x, 0.0); }},
      {"tanh", [](double x, double, double) { return std::tanh(x); }},
      {"sigmoid", [](double x, double, double) { return 1 / (1 + std::exp(-x)); }},
      {"softsign", [](double x, double, double) { return x / (1 + std::fabs(x)); }},
      {"softplus", [](double x, double,
                      double) { return std::log1p(std::exp(-std::fabs(x))) + std::max(x, 0.0); }},
      {"affine", [](double x, double a, double b) { return a * x + b; }, true, true, 1, 0},
      {"leakyrelu", [](double x, double a, double) { return x < 0 ? a * x : x; }, true, false,
       kAlphaOfLeakyRelu},
      {"thresholdedrelu", [](double x, double a, double) { return x > a ? x : 0; }, true, false, 1},
      {"elu", [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; }, true, false,
       1},
      {"scaledtanh", [](double x, double a, double b) { return a * std::tanh(b * x); }, true, true,
       0, 0, true},
      {"hardsigmoid", [](double x, double a, double b) { return std::clamp(a * x + b, 0.0, 1.0); },
       true, true, kAlphaOfHardSigmoid, kBetaOfHardSigmoid},
  };
  return kKnown;
}

Result<const Known*> find_function(const std::string& name) {
  std::string lower = name;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  for (const Known& known : known_functions()) {
    if (lower == known.name) return &known;
  }
  return unsupported("activation '", name, "' is not known");
}

// The values of activation_alpha or activation_beta, one per function. ONNX says that functions
// consume them in order; some writers give one for every function, used or not.
Result<std::vector<std::optional<double>>> parameters(const Floats& given,
                                                      const std::vector<const Known*>& functions,
                                                      bool Known::*takes, const char* what) {
  std::vector<std::optional<double>> result(functions.size());
  if (given.empty()) return result;
  const auto takers = static_cast<size_t>(
      std::ranges::count_if(functions, [&](const Known* known) { return known->*takes; }));
  if (given.size() != functions.size() && given.size() != takers) {
    return bad_input(what, " has ", given.size(), " numbers for ", functions.size(),
                     " activations, of which ", takers, " take one");
  }
  size_t next = 0;
  for (size_t i = 0; i < functions.size(); ++i) {
    if (given.size() == functions.size()) {
      result[i] = given[i];
    } else if (functions[i]->*takes) {
      result[i] = given[next++];
    }
  }
  return result;
}

}  // namespace

Result<std::vector<GateFunction>> gate_functions(const NodeContext& node,
                                                 const std::vector<const char*>& defaults,
                                                 int64_t directions) {
  Strings names = node.attr<Strings>("activations");
  for (int64_t d = 0; d < directions && node.attr<Strings>("activations").empty(); ++d) {
    names.insert(names.end(), defaults.begin(), defaults.end());
  }
  if (names.size() != defaults.size() * static_cast<size_t>(directions)) {
    return bad_input("has ", names.size(), " activations, expected ", defaults.size(),
                     " for each of ", directions, " directions");
  }
  std::vector<const Known*> known;
  for (const std::string& name : names) {
    HONE_TRY(const Known* function, find_function(name));
    known.push_back(function);
  }
  HONE_TRY(const auto alphas, parameters(node.attr<Floats>("activation_alpha"), known,
                                         &Known::takes_alpha, "activation_alpha"));
  HONE_TRY(const auto betas, parameters(node.attr<Floats>("activation_beta"), known,
                                        &Known::takes_beta, "activation_beta"));
  std::vector<GateFunction> functions;
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i]->needs_both && (!alphas[i] || !betas[i])) {
      return bad_input("activation ", names[i], " needs an alpha and a beta");
    }
    functions.push_back(
        {known[i]->fn, alphas[i].value_or(known[i]->alpha), betas[i].value_or(known[i]->beta)});
  }
  return functions;
}

}  // namespace hone
