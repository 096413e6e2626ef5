// The transforms along one axis, as matrices. Points 0, 1, -1 and infinity for m = 2; 0, 1, -1, 2,
// -2 and infinity for m = 4.
#pragma once

#include <cstddef>

namespace hone {

template <size_t m>
struct Winograd1d;

template <>
struct Winograd1d<2> {
  static constexpr float kInput[4][4] = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
  static constexpr float kOutput[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
  static constexpr double kWeights[4][3] = {{1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}};
};

template <>
struct Winograd1d<4> {
  static constexpr float kInput[6][6] = {{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0},
                                         {0, 4, -4, -1, 1, 0}, {0, -2, -1, 2, 1, 0},
                                         {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
  static constexpr float kOutput[4][6] = {
      {1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}};
  static constexpr double kWeights[6][3] = {{1. / 4, 0, 0},
                                            {-1. / 6, -1. / 6, -1. / 6},
                                            {-1. / 6, 1. / 6, -1. / 6},
                                            {1. / 24, 1. / 12, 1. / 6},
                                            {1. / 24, -1. / 12, 1. / 6},
                                            {0, 0, 1}};
};

}  // namespace hone
