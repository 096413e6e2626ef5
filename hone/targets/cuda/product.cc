#include "hone/targets/cuda/product.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <span>

#include "hone/targets/cuda/product_groups.h"
#include "hone/targets/cuda/tiles.h"

namespace hone::cuda {
namespace {

// A tile of results, and how the threads of a block share it.
struct Tile {
  int rows;
  int columns;
  int depth;
  int stages;
  // Warps down and across on tensor cores; results of a thread down and across without them.
  int down;
  int across;
};

struct Candidate {
  Tile tile;
  int split;
  double microseconds;  // As a coarse model has it: good enough to leave most out.
};

// The two kinds of kernels: what they compute with, and how fast a multiprocessor of the generation
// that this was measured on is with them.
struct TileKind {
  std::span<const Tile> tiles;
  bool tensor_cores;
  double flops_in_microsecond;

  int threads(const Tile& tile) const {
    return tensor_cores ? tile.down * tile.across * 32
                        : (tile.rows / tile.down) * (tile.columns / tile.across);
  }
  int64_t shared_bytes(const Tile& tile) const {
    const int64_t loads = tensor_cores ? int64_t{tile.rows + tile.columns} * tile.depth * 2
                                       : int64_t{tile.rows + tile.columns + 8} * tile.depth * 4;
    return std::max(tile.stages * loads, int64_t{tile.rows} * (tile.columns + 4) * 4);
  }
};

constexpr Tile kTensorTiles[] = {
    {256, 128, 32, 4, 4, 2}, {128, 256, 32, 4, 2, 4}, {128, 128, 64, 3, 2, 4},
    {128, 128, 32, 4, 2, 2}, {128, 64, 64, 3, 2, 2},  {64, 128, 64, 3, 2, 2},
    {64, 64, 64, 4, 2, 2},   {64, 64, 32, 4, 2, 2},   {128, 32, 64, 3, 4, 1},
    {64, 32, 64, 4, 2, 2},   {32, 64, 64, 4, 2, 2},   {32, 32, 64, 5, 2, 2},
    {32, 32, 128, 3, 2, 2},  {16, 64, 64, 5, 1, 4},   {16, 64, 128, 3, 1, 4},
    {16, 32, 128, 4, 1, 2},  {64, 64, 128, 2, 2, 2},
};
constexpr Tile kFloatTiles[] = {
    {128, 128, 16, 3, 8, 8}, {128, 64, 16, 3, 8, 4}, {64, 128, 16, 3, 8, 8}, {64, 64, 16, 4, 4, 4},
    {64, 64, 16, 4, 8, 4},   {32, 64, 16, 4, 4, 4},  {32, 32, 16, 4, 4, 4},
};
constexpr TileKind kOnTensorCores = {kTensorTiles, true, 4.5e6};
constexpr TileKind kOfFloats = {kFloatTiles, false, 0.35e6};
constexpr int kSplits[] = {1, 2, 4, 8};
constexpr size_t kMostCandidates = 12;
// From here on tiles of groups of warps are the likeliest.
constexpr int64_t kManyRows = 2048;

// What a step takes however little there is to multiply, and what a block and a split take besides.
constexpr double kStepMicroseconds = 0.12;
constexpr double kBlockMicroseconds = 1.2;
constexpr double kSplitMicroseconds = 0.6;

double expected_microseconds(const ProductShape& shape, const TileKind& kind, const Tile& tile,
                             int split, const GpuInfo& gpu) {
  const int64_t blocks = parts_of(shape.rows, tile.rows) * parts_of(shape.columns, tile.columns) *
                         shape.batches * split;
  const int64_t steps = parts_of(parts_of(shape.depth, tile.depth), split);
  const auto each = static_cast<double>(parts_of(blocks, gpu.multiprocessors));
  const auto room =
      static_cast<double>(blocks_at_once(gpu, kind.shared_bytes(tile), kind.threads(tile)));
  const double flops = 2.0 * tile.rows * tile.columns * tile.depth * static_cast<double>(steps);
  const double computing = each * flops / kind.flops_in_microsecond;
  const double waiting = std::ceil(each / room) * static_cast<double>(steps) * kStepMicroseconds;
  return kBlockMicroseconds * std::ceil(each / room) + std::max(computing, waiting) +
         (split > 1 ? kSplitMicroseconds : 0);
}

std::vector<Candidate> candidates_of(const ProductShape& shape, const TileKind& kind,
                                     const GpuInfo& gpu) {
  std::vector<Candidate> all;
  for (const Tile& tile : kind.tiles) {
    if (kind.shared_bytes(tile) > static_cast<int64_t>(gpu.most_shared_bytes)) continue;
    for (const int split : kSplits) {
      const bool clusters = gpu.major >= 9 && parts_of(shape.depth, tile.depth) >= 2 * split;
      if (split > 1 && !clusters) continue;
      all.push_back({tile, split, expected_microseconds(shape, kind, tile, split, gpu)});
    }
  }
  std::ranges::stable_sort(all, {}, &Candidate::microseconds);
  if (all.size() > kMostCandidates) all.resize(kMostCandidates);
  return all;
}

Variant tile_variant(const ProductShape& shape, const ProductOperands& operands,
                     const TileKind& kind, const Candidate& candidate) {
  const Tile& tile = candidate.tile;
  SourceMaker source = product_defines(shape, operands);
  source.define("W_CONSTANT", shape.constant_weights ? 1 : 0).define("SPLIT", candidate.split);
  source.define("BM", tile.rows).define("BN", tile.columns).define("BK", tile.depth);
  source.define("STAGES", tile.stages).define("THREADS", kind.threads(tile));
  if (kind.tensor_cores) {
    source.define("GATHER", gathers(shape) ? 1 : 0).define("W_ROWS", shape.w_n == 1 ? 1 : 0);
    source.define("W_PITCH", shape.w_n == 1 ? shape.w_k : shape.w_n);
    source.define("WARPS_M", tile.down).define("WARPS_N", tile.across);
  } else {
    source.define("W_K", shape.w_k).define("W_N", shape.w_n);
    source.define("TM", tile.down).define("TN", tile.across);
  }
  std::string name = str(tile.rows, "x", tile.columns, "x", tile.depth);
  if (!kind.tensor_cores) name += str(" of ", tile.down, "x", tile.across);
  if (candidate.split > 1) name += str(" split ", candidate.split);
  const auto split = static_cast<unsigned>(candidate.split);
  const auto kernel_name = "product " + name;
  Launch launch{.kernel = kind.tensor_cores
                              ? source.make("product", kernel_name,
                                            {"copies", "matrices", "product_rows", "product_tile"})
                              : source.make("product_f32", kernel_name,
                                            {"copies", "product_rows", "product_tile"}),
                .grid = {static_cast<unsigned>(parts_of(shape.rows, tile.rows)) * split,
                         static_cast<unsigned>(parts_of(shape.columns, tile.columns)),
                         static_cast<unsigned>(shape.batches)},
                .block = static_cast<unsigned>(kind.threads(tile)),
                .shared_bytes = static_cast<unsigned>(kind.shared_bytes(tile)),
                .cluster = split,
                .arguments = product_arguments(operands)};
  return {std::move(name), {std::move(launch)}};
}

// Few rows: the matrix is what is read, and a warp has a column of it.
constexpr int64_t kFewRows = 8;

bool has_few_rows(const ProductShape& shape) {
  return shape.rows <= kFewRows && shape.groups == 1 && shape.batches == 1 && !shape.window &&
         shape.w_k == 1;
}

Variant few_rows_variant(const ProductShape& shape, const ProductOperands& operands) {
  constexpr unsigned kWarps = 4;
  const int64_t most = shape.dtype == DType::F32 ? 4 : 8;
  int64_t vec = most;
  while (shape.depth % vec != 0 || shape.x_pitch % vec != 0 || shape.w_n % vec != 0) vec /= 2;
  SourceMaker source = product_defines(shape, operands);
  source.define("W_PITCH", shape.w_n).define("VEC", vec).define("WARPS", int64_t{kWarps});
  Launch launch{.kernel = source.make("vector_product", "vector_product"),
                .grid = {static_cast<unsigned>(parts_of(shape.columns, kWarps)), 1, 1},
                .block = kWarps * 32,
                .arguments = product_arguments(operands)};
  return {"few rows", {std::move(launch)}};
}

Variant plain_variant(const ProductShape& shape, const ProductOperands& operands) {
  SourceMaker source = product_defines(shape, operands);
  source.define("GROUPS", shape.groups).define("W_K", shape.w_k).define("W_N", shape.w_n);
  source.define("W_GROUP", shape.columns * std::max(shape.w_n, int64_t{1}));
  Launch launch{.kernel = source.make("plain_product", "plain_product"),
                .grid = {static_cast<unsigned>(parts_of(shape.rows, 64)),
                         static_cast<unsigned>(parts_of(shape.columns, 64)),
                         static_cast<unsigned>(std::max(shape.groups, shape.batches))},
                .block = 256,
                .arguments = product_arguments(operands)};
  return {"plain", {std::move(launch)}};
}

// Tensor cores take 16-bit floats, in rows of w that are whole 16 bytes.
bool suits_tensor_cores(const ProductShape& shape, const GpuInfo& gpu) {
  const bool type = shape.dtype == DType::F16 || (shape.dtype == DType::BF16 && gpu.major >= 8);
  const int64_t pitch = shape.w_n == 1 ? shape.w_k : shape.w_n;
  const bool rows =
      pitch % 8 == 0 && shape.w_step % 8 == 0 && (shape.w_n != 1 || shape.columns % 8 == 0);
  return type && rows && shape.rows >= 2;
}

const TileKind* tile_kind(const ProductShape& shape, const GpuInfo& gpu) {
  if (shape.groups > 1) return nullptr;
  if (suits_tensor_cores(shape, gpu)) return &kOnTensorCores;
  return shape.dtype == DType::F32 ? &kOfFloats : nullptr;
}

}  // namespace

SourceMaker product_defines(const ProductShape& shape, const ProductOperands& operands) {
  SourceMaker source;
  source.element(shape.dtype).define("M", shape.rows).define("N", shape.columns);
  source.define("K", shape.depth).define("X_PITCH", shape.x_pitch).define("Y_PITCH", shape.y_pitch);
  source.define("R_PITCH", shape.y_pitch).define("BATCHED", shape.batches > 1 ? 1 : 0);
  source.define("X_STEP", shape.x_step).define("W_STEP", shape.w_step);
  source.define("Y_STEP", shape.y_step).define("CONV", shape.window ? 1 : 0);
  if (shape.window) source.window(*shape.window).define("CHANNELS", shape.channels);
  source.define("HAS_BIAS", operands.bias != kNoSlot ? 1 : 0);
  source.define("HAS_RESIDUAL", operands.residual != kNoSlot ? 1 : 0);
  return source.define("SCALE", literal(shape.scale)).activation(shape.activation);
}

std::vector<Slot> product_arguments(const ProductOperands& operands) {
  return {operands.x, operands.w, operands.bias, operands.residual, operands.y};
}

bool gathers(const ProductShape& shape) {
  const int64_t chunk = 128 / bits_of(shape.dtype);
  return shape.x_pitch % chunk != 0 || shape.depth % chunk != 0 || shape.x_step % chunk != 0 ||
         (shape.window && shape.channels % chunk != 0);
}

std::vector<Variant> product_variants(const ProductShape& shape, const ProductOperands& operands,
                                      const GpuInfo& gpu) {
  std::vector<Variant> variants;
  if (has_few_rows(shape)) variants.push_back(few_rows_variant(shape, operands));
  if (const TileKind* kind = tile_kind(shape, gpu)) {
    std::vector<Variant> groups = group_variants(shape, operands, gpu);
    const bool groups_first = shape.rows >= kManyRows;
    if (groups_first) std::ranges::move(groups, std::back_inserter(variants));
    for (const Candidate& candidate : candidates_of(shape, *kind, gpu)) {
      variants.push_back(tile_variant(shape, operands, *kind, candidate));
    }
    if (!groups_first) std::ranges::move(groups, std::back_inserter(variants));
  }
  if (variants.empty()) variants.push_back(plain_variant(shape, operands));
  return variants;
}

Tensor pad_rows(const Tensor& weights, int64_t rows, int64_t columns, int64_t pitch) {
  if (pitch == columns) return weights;
  Tensor padded(TensorType{weights.dtype(), {rows, pitch}});
  const size_t element = weights.bytes().size() / static_cast<size_t>(rows * columns);
  const auto from_row = static_cast<size_t>(columns) * element;
  const auto to_row = static_cast<size_t>(pitch) * element;
  std::byte* to = padded.mutable_bytes().data();
  for (size_t row = 0; row < static_cast<size_t>(rows); ++row) {
    std::memcpy(to + row * to_row, weights.bytes().data() + row * from_row, from_row);
  }
  return padded;
}

Tensor as_floats(const Tensor& tensor) {
  std::vector<float> values;
  for (const double value : to_doubles(tensor)) values.push_back(static_cast<float>(value));
  return Tensor::of<float>({static_cast<int64_t>(values.size())}, values);
}

}  // namespace hone::cuda
