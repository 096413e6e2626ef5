#include "hone/device/cost_prior.h"

namespace hone {
namespace {

constexpr double kVarianceTogether = 0.1;

}  // namespace

FamilyMatrix covariance_of(const CostPrior& prior) {
  FamilyMatrix covariance = diagonal(prior.others);
  const auto set = [&](std::string_view family, double variance) {
    covariance[family_index(family)][family_index(family)] = variance;
  };
  for (const char* family : {"pointwise", "window", "dense", "matmul"}) set(family, prior.products);
  for (const char* family : {"step", "run"}) set(family, prior.starts);
  FamilyWork ones = {};
  ones.fill(1);
  add_square(covariance, ones, kVarianceTogether);
  return covariance;
}

}  // namespace hone
