#include "hone/targets/cuda/product_groups.h"

#include <algorithm>
#include <cmath>

#include "hone/targets/cuda/multiply_group.h"
#include "hone/targets/cuda/tiles.h"

namespace hone::cuda {
namespace {

// 64 rows for each group of four warps, so many stages of 128 bytes of depth.
struct GroupTile {
  int64_t rows;
  int64_t columns;
  int64_t stages;

  int64_t threads() const { return rows * 2; }
  int64_t shared_bytes() const {
    return std::max(stages * (rows + columns) * 128, rows * (columns + 4) * 4);
  }
};
constexpr GroupTile kGroupTiles[] = {
    {128, 256, 3}, {256, 128, 3}, {128, 128, 4}, {128, 128, 3}, {64, 256, 4},
    {64, 128, 4},  {128, 64, 4},  {256, 64, 4},  {64, 64, 6},
};
constexpr int64_t kGroupSplits[] = {1, 2, 4};
constexpr size_t kMostGroupCandidates = 6;

struct GroupCandidate {
  GroupTile tile;
  int64_t split;
  double microseconds;
};

// As a coarse model has it, of an H200: good enough to leave most out.
double expected_of(const ProductShape& shape, const GroupTile& tile, int64_t split,
                   const GpuInfo& gpu) {
  const double rate = shape.tf32 ? 3e6 : 6e6;  // Of a multiprocessor in a microsecond.
  constexpr double kBlock = 1.5;
  constexpr double kSplit = 1;
  constexpr double kStep = 0.15;
  constexpr double kResults = 6e3;  // Written by a multiprocessor in a microsecond.
  const int64_t depth = 1024 / bits_of(shape.dtype);
  const int64_t blocks =
      parts_of(shape.rows, tile.rows) * parts_of(shape.columns, tile.columns) * split;
  const auto steps = static_cast<double>(parts_of(parts_of(shape.depth, depth), split));
  const auto each = static_cast<double>(parts_of(blocks, gpu.multiprocessors));
  const auto room = static_cast<double>(blocks_at_once(gpu, tile.shared_bytes(), tile.threads()));
  const double operations = 2.0 * static_cast<double>(tile.rows * tile.columns * depth);
  const double computing = each * steps * operations / rate;
  const double waiting = std::ceil(each / room) * steps * kStep;
  const double writing = each * static_cast<double>(tile.rows * tile.columns / split) / kResults;
  return kBlock * std::ceil(each / room) + std::max(computing, waiting) + writing +
         (split > 1 ? kSplit : 0);
}

std::vector<GroupCandidate> group_candidates(const ProductShape& shape, const GpuInfo& gpu) {
  const int64_t depth = 1024 / bits_of(shape.dtype);
  std::vector<GroupCandidate> all;
  for (const GroupTile& tile : kGroupTiles) {
    if (tile.shared_bytes() > static_cast<int64_t>(gpu.most_shared_bytes)) continue;
    if (tile.columns > 64 && tile.columns >= 2 * shape.columns) continue;
    for (const int64_t split : kGroupSplits) {
      if (split > 1 && parts_of(shape.depth, depth) < 2 * split) continue;
      all.push_back({tile, split, expected_of(shape, tile, split, gpu)});
    }
  }
  std::ranges::stable_sort(all, {}, &GroupCandidate::microseconds);
  if (all.size() > kMostGroupCandidates) all.resize(kMostGroupCandidates);
  return all;
}

Variant group_variant(const ProductShape& shape, const ProductOperands& operands,
                      const GroupCandidate& candidate) {
  const auto& [tile, split, microseconds] = candidate;
  SourceMaker source = product_defines(shape, operands);
  source.define("W_CONSTANT", shape.constant_weights ? 1 : 0).define("SPLIT", split);
  source.define("BM", tile.rows).define("BN", tile.columns);
  source.define("BK", 1024 / bits_of(shape.dtype)).define("W_PITCH", shape.w_n);
  source.define("STAGES", tile.stages).define("THREADS", tile.threads());
  std::string text;
  for (const char* part : {"copies", "matrices", "product_rows", "product_tile"}) {
    text += source_text(part);
  }
  text += multiply_group_text({.columns = tile.columns, .dtype = shape.dtype});
  text += source_text("product_groups");
  std::string name = str("groups ", tile.rows, "x", tile.columns, "x", tile.stages);
  if (split > 1) name += str(" split ", split);
  Launch launch{.kernel = source.make_of(text, "product_groups", "product " + name),
                .grid = {static_cast<unsigned>(parts_of(shape.rows, tile.rows) * split),
                         static_cast<unsigned>(parts_of(shape.columns, tile.columns)), 1},
                .block = static_cast<unsigned>(tile.threads()),
                .shared_bytes = static_cast<unsigned>(tile.shared_bytes()),
                .cluster = static_cast<unsigned>(split),
                .arguments = product_arguments(operands)};
  return {std::move(name), {std::move(launch)}};
}

// Rows of w lie along k, in whole pieces of 16 bytes, and there is enough to multiply.
bool suits_groups(const ProductShape& shape, const GpuInfo& gpu) {
  const bool type = shape.dtype == DType::F16 || shape.dtype == DType::BF16 || shape.tf32;
  const int64_t chunk = 128 / bits_of(shape.dtype);
  return gpu.major == 9 && type && shape.batches == 1 && !gathers(shape) && shape.w_k == 1 &&
         shape.w_n % chunk == 0 && shape.rows >= 64 && shape.columns >= 32;
}

}  // namespace

std::vector<Variant> group_variants(const ProductShape& shape, const ProductOperands& operands,
                                    const GpuInfo& gpu) {
  std::vector<Variant> variants;
  if (!suits_groups(shape, gpu)) return variants;
  for (const GroupCandidate& candidate : group_candidates(shape, gpu)) {
    variants.push_back(group_variant(shape, operands, candidate));
  }
  return variants;
}

}  // namespace hone::cuda
