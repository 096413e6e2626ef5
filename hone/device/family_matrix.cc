#include "hone/device/family_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "hone/base/check.h"

namespace hone {
namespace {

// The lower triangle L with L * L' = a; none where there is no such.
std::optional<FamilyMatrix> cholesky(const FamilyMatrix& a) {
  FamilyMatrix lower = {};
  for (size_t r = 0; r < kFamilyCount; ++r) {
    for (size_t c = 0; c <= r; ++c) {
      double rest = a[r][c];
      for (size_t k = 0; k < c; ++k) rest -= lower[r][k] * lower[c][k];
      if (r != c) {
        lower[r][c] = rest / lower[c][c];
        continue;
      }
      if (!(rest > 0)) return std::nullopt;
      lower[r][r] = std::sqrt(rest);
    }
  }
  return lower;
}

// x of L * L' * x = b.
FamilyWork solved(const FamilyMatrix& lower, FamilyWork b) {
  for (size_t r = 0; r < kFamilyCount; ++r) {
    for (size_t k = 0; k < r; ++k) b[r] -= lower[r][k] * b[k];
    b[r] /= lower[r][r];
  }
  for (size_t r = kFamilyCount; r-- > 0;) {
    for (size_t k = r + 1; k < kFamilyCount; ++k) b[r] -= lower[k][r] * b[k];
    b[r] /= lower[r][r];
  }
  return b;
}

}  // namespace

FamilyMatrix diagonal(double value) {
  FamilyMatrix a = {};
  for (size_t i = 0; i < kFamilyCount; ++i) a[i][i] = value;
  return a;
}

FamilyMatrix sum(const FamilyMatrix& a, const FamilyMatrix& b) {
  FamilyMatrix total = a;
  for (size_t r = 0; r < kFamilyCount; ++r) {
    for (size_t c = 0; c < kFamilyCount; ++c) total[r][c] += b[r][c];
  }
  return total;
}

FamilyMatrix scaled(const FamilyMatrix& a, double factor) {
  FamilyMatrix result = a;
  for (FamilyWork& row : result) {
    for (double& value : row) value *= factor;
  }
  return result;
}

void add_square(FamilyMatrix& a, const FamilyWork& v, double factor) {
  for (size_t r = 0; r < kFamilyCount; ++r) {
    for (size_t c = 0; c < kFamilyCount; ++c) a[r][c] += factor * v[r] * v[c];
  }
}

FamilyWork product(const FamilyMatrix& a, const FamilyWork& v) {
  FamilyWork result = {};
  for (size_t r = 0; r < kFamilyCount; ++r) result[r] = dot(a[r], v);
  return result;
}

double dot(const FamilyWork& a, const FamilyWork& b) {
  double total = 0;
  for (size_t i = 0; i < kFamilyCount; ++i) total += a[i] * b[i];
  return total;
}

FamilyWork minus(const FamilyWork& a, const FamilyWork& b) {
  FamilyWork result = a;
  for (size_t i = 0; i < kFamilyCount; ++i) result[i] -= b[i];
  return result;
}

static double largest_of_diagonal(const FamilyMatrix& a) {
  double most = 0;
  for (size_t i = 0; i < kFamilyCount; ++i) most = std::max(most, std::abs(a[i][i]));
  return most;
}

static FamilyMatrix cholesky_of_nearest(const FamilyMatrix& a) {
  constexpr double kMostAdded = 1e3;
  std::optional<FamilyMatrix> lower = cholesky(a);
  const double size = std::max(largest_of_diagonal(a), std::numeric_limits<double>::min());
  for (double part = 1e-12; !lower && part <= kMostAdded; part *= 10) {
    lower = cholesky(sum(a, diagonal(part * size)));
  }
  HONE_CHECK(lower, "a matrix of numbers that are none");
  return *lower;
}

bool positive_definite(const FamilyMatrix& a) {
  return cholesky(a).has_value();
}

FamilyMatrix inverse(const FamilyMatrix& a) {
  const FamilyMatrix lower = cholesky_of_nearest(a);
  FamilyMatrix result = {};
  for (size_t c = 0; c < kFamilyCount; ++c) {
    FamilyWork unit = {};
    unit[c] = 1;
    const FamilyWork column = solved(lower, unit);
    for (size_t r = 0; r < kFamilyCount; ++r) result[r][c] = column[r];
  }
  return result;
}

}  // namespace hone
