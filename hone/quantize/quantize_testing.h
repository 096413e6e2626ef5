#pragma once

#include <random>
#include <string>
#include <vector>

namespace hone {

// The same for the same seed.
inline std::vector<float> normals(size_t n, unsigned seed, float sigma = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, sigma);
  std::vector<float> values(n);
  for (float& x : values) x = normal(random);
  return values;
}

// As the text form of a constant has them.
inline std::string join_numbers(const std::vector<float>& values) {
  std::string text;
  for (const float x : values) text += std::to_string(x) + " ";
  return text;
}

}  // namespace hone
