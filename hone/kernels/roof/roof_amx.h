// The loop of AMX's roofs: two by two tiles of sums, operands loaded anew in every round.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hone/kernels/amx_tiles.h"

// A macro, since instructions name their tiles. Leaves the sums in `sums`, of 4 x 256 elements.
#define HONE_AMX_ROOF(product, rounds, one, sums)   \
  const AmxTiles tiles(kAmxRows);                   \
  alignas(64) uint32_t ones[kAmxRows][16];          \
  for (auto& row : ones) {                          \
    for (uint32_t & element : row) element = one;   \
  }                                                 \
  asm volatile("" : : "r"(ones) : "memory");        \
  _tile_zero(0);                                    \
  _tile_zero(1);                                    \
  _tile_zero(2);                                    \
  _tile_zero(3);                                    \
  for (size_t round = 0; round < rounds; ++round) { \
    _tile_loadd(4, ones, 64);                       \
    _tile_loadd(6, ones, 64);                       \
    product(0, 4, 6);                               \
    _tile_loadd(7, ones, 64);                       \
    product(1, 4, 7);                               \
    _tile_loadd(5, ones, 64);                       \
    product(2, 5, 6);                               \
    product(3, 5, 7);                               \
  }                                                 \
  _tile_stored(0, sums, 64);                        \
  _tile_stored(1, sums + 256, 64);                  \
  _tile_stored(2, sums + 512, 64);                  \
  _tile_stored(3, sums + 768, 64)
