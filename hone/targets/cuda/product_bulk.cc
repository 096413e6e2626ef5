#include "hone/targets/cuda/product_bulk.h"

#include <algorithm>

#include "hone/targets/cuda/multiply_group.h"
#include "hone/targets/cuda/tiles.h"

namespace hone::cuda {
namespace {

// Of the first operand of the cores a tile has 128 rows, of the second so many.
constexpr int64_t kFirst = 128;
struct BulkTile {
  int64_t second;
  int64_t stages;
  int64_t cluster;

  int64_t shared_bytes(bool turned) const {
    const int64_t rows = turned ? second : kFirst;
    const int64_t columns = turned ? kFirst : second;
    const int64_t barriers = stages * 16;
    return std::max(stages * (kFirst + second) * 128 + barriers, rows * (columns + 4) * 4);
  }
};
constexpr BulkTile kBulkTiles[] = {
    {256, 4, 2}, {256, 4, 1}, {128, 3, 2}, {128, 3, 1}, {64, 4, 1},
};
constexpr int64_t kLeastRows = 1024;  // Below, tiles are too few to feed all multiprocessors.

bool is_turned(const ProductShape& shape) {
  return shape.w_n == 1;
}

// Of a step: 128 bytes.
int64_t depth_of(const ProductShape& shape) {
  return 1024 / bits_of(shape.dtype);
}

MatrixMap x_map(const ProductShape& shape, const ProductOperands& operands, const BulkTile& tile) {
  return {.slot = operands.x,
          .dtype = shape.dtype,
          .tf32 = shape.tf32,
          .columns = shape.depth,
          .rows = shape.rows,
          .pitch = shape.x_pitch,
          .box_rows = is_turned(shape) ? tile.second / tile.cluster : kFirst};
}

MatrixMap w_map(const ProductShape& shape, const ProductOperands& operands, const BulkTile& tile) {
  if (is_turned(shape)) {  // Threads round what they load.
    return {.slot = operands.w,
            .dtype = shape.dtype,
            .columns = shape.columns,
            .rows = shape.depth,
            .pitch = shape.w_k,
            .box_rows = depth_of(shape)};
  }
  return {.slot = operands.w,
          .dtype = shape.dtype,
          .tf32 = shape.tf32,
          .columns = shape.depth,
          .rows = shape.columns,
          .pitch = shape.w_n,
          .box_rows = tile.second / tile.cluster};
}

Variant bulk_variant(const ProductShape& shape, const ProductOperands& operands,
                     const BulkTile& tile) {
  const bool turned = is_turned(shape);
  const int64_t threads = kFirst * 2;
  SourceMaker source = product_defines(shape, operands);
  source.define("W_CONSTANT", shape.constant_weights ? 1 : 0).define("SPLIT", 1);
  source.define("TURNED", turned ? 1 : 0).define("CLUSTER", tile.cluster);
  source.define("BM", turned ? tile.second : kFirst).define("BN", turned ? kFirst : tile.second);
  source.define("BK", depth_of(shape)).define("STAGES", tile.stages).define("THREADS", threads);
  std::string text;
  for (const char* part : {"product_rows", "product_tile"}) text += source_text(part);
  text +=
      multiply_group_text({.columns = tile.second, .dtype = shape.dtype, .from_registers = turned});
  text += source_text("product_bulk");
  std::string name = str("bulk ", kFirst, "x", tile.second);
  if (tile.cluster > 1) name += str(" by ", tile.cluster);
  const int64_t first = parts_of(turned ? shape.columns : shape.rows, kFirst * tile.cluster);
  const int64_t second = parts_of(turned ? shape.rows : shape.columns, tile.second);
  Launch launch{
      .kernel = source.make_of(text, "product_bulk", "product " + name),
      .grid = {static_cast<unsigned>(first * tile.cluster), static_cast<unsigned>(second), 1},
      .block = static_cast<unsigned>(threads + 32),
      .shared_bytes = static_cast<unsigned>(tile.shared_bytes(turned)),
      .cluster = static_cast<unsigned>(tile.cluster),
      .maps = {x_map(shape, operands, tile), w_map(shape, operands, tile)},
      .arguments = {operands.bias, operands.residual, operands.y}};
  return {std::move(name), {std::move(launch)}};
}

// Matrices as they lie, in whole pieces of 16 bytes.
bool suits_copies(const ProductShape& shape, const GpuInfo& gpu) {
  const int64_t chunk = 128 / bits_of(shape.dtype);
  const int64_t pitch = is_turned(shape) ? shape.w_k : shape.w_n;
  return gpu.major == 9 && !shape.window && shape.batches == 1 && shape.groups == 1 &&
         !gathers(shape) && pitch % chunk == 0;
}

bool suits_bulk(const ProductShape& shape, const GpuInfo& gpu) {
  if (is_turned(shape)) return suits_turned(shape, gpu);
  const bool type = shape.dtype == DType::F16 || shape.dtype == DType::BF16 || shape.tf32;
  return type && suits_copies(shape, gpu) && shape.rows >= kLeastRows && shape.columns >= 64;
}

}  // namespace

bool suits_turned(const ProductShape& shape, const GpuInfo& gpu) {
  return is_turned(shape) && shape.tf32 && suits_copies(shape, gpu) && shape.rows >= 2;
}

std::vector<Variant> bulk_variants(const ProductShape& shape, const ProductOperands& operands,
                                   const GpuInfo& gpu) {
  std::vector<Variant> variants;
  if (!suits_bulk(shape, gpu)) return variants;
  const int64_t extent = is_turned(shape) ? shape.rows : shape.columns;
  for (const BulkTile& tile : kBulkTiles) {
    if (tile.second > 64 && tile.second >= 2 * extent) continue;
    variants.push_back(bulk_variant(shape, operands, tile));
  }
  return variants;
}

}  // namespace hone::cuda
