#include "hone/targets/cuda/product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <span>

#include "hone/targets/cuda/product_blas.h"
#include "hone/targets/cuda/product_bulk.h"
#include "hone/targets/cuda/product_dnn.h"
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

// The kinds of kernels: what they compute with, and how fast a multiprocessor of the generation that
// this was measured on is with them.
struct TileKind {
  std::span<const Tile> tiles;
  bool tensor_cores;
  double flops_in_microsecond;
  bool tf32 = false;

  // Tiles for tensor cores are of 16-bit floats: in as many bytes half as many have room.
  int depth(const Tile& tile) const { return tf32 ? tile.depth / 2 : tile.depth; }

  int threads(const Tile& tile) const {
    return tensor_cores ? tile.down * tile.across * 32
                        : (tile.rows / tile.down) * (tile.columns / tile.across);
  }
  int64_t shared_bytes(const Tile& tile) const {
    const int64_t loads =
        tensor_cores
            ? int64_t{tile.rows + tile.columns} * tile.depth * 2
            : (int64_t{tile.rows} * (tile.depth + 4) + int64_t{tile.columns + 4} * tile.depth) * 4;
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
    {256, 128, 16, 3, 16, 8}, {128, 128, 16, 3, 8, 8}, {128, 128, 8, 4, 8, 8},
    {128, 64, 16, 3, 8, 4},   {64, 128, 16, 3, 8, 8},  {64, 64, 16, 4, 4, 4},
    {64, 64, 16, 4, 8, 4},    {32, 64, 16, 4, 4, 4},   {32, 32, 16, 4, 4, 4},
};
constexpr TileKind kOnTensorCores = {kTensorTiles, true, 4.5e6};
constexpr TileKind kOfTf32 = {kTensorTiles, true, 2.25e6, true};
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
  const int64_t steps = parts_of(parts_of(shape.depth, kind.depth(tile)), split);
  const auto each = static_cast<double>(parts_of(blocks, gpu.multiprocessors));
  const auto room =
      static_cast<double>(blocks_at_once(gpu, kind.shared_bytes(tile), kind.threads(tile)));
  const double flops =
      2.0 * tile.rows * tile.columns * kind.depth(tile) * static_cast<double>(steps);
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
      const bool clusters = gpu.major >= 9 && parts_of(shape.depth, kind.depth(tile)) >= 2 * split;
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
  source.define("BM", tile.rows).define("BN", tile.columns).define("BK", kind.depth(tile));
  source.define("STAGES", tile.stages).define("THREADS", kind.threads(tile));
  source.define("GATHER", gathers(shape) ? 1 : 0);
  if (kind.tensor_cores) {
    source.define("W_ROWS", shape.w_n == 1 ? 1 : 0);
    source.define("W_PITCH", shape.w_n == 1 ? shape.w_k : shape.w_n);
    source.define("WARPS_M", tile.down).define("WARPS_N", tile.across);
  } else {
    const bool whole = shape.w_n == 1 && shape.w_k % 4 == 0 && shape.w_step % 4 == 0;
    source.define("W_K", shape.w_k).define("W_N", shape.w_n).define("W_PIECE", whole ? 4 : 1);
    // As many registers are left to a thread then as its sums and what they are made of need.
    const int blocks = tile.down * tile.across > 64 ? 1 : std::max(1, 512 / kind.threads(tile));
    source.define("BLOCKS", blocks).define("TM", tile.down).define("TN", tile.across);
  }
  std::string name = str(tile.rows, "x", tile.columns, "x", kind.depth(tile));
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

// Tensor cores take floats of 16 bits, or of 32 along k, in rows of w that are whole 16 bytes.
bool suits_tensor_cores(const ProductShape& shape, const GpuInfo& gpu) {
  const bool tf32 = shape.tf32 && gpu.major >= 8 && shape.w_k == 1;
  const bool type =
      shape.dtype == DType::F16 || (shape.dtype == DType::BF16 && gpu.major >= 8) || tf32;
  const int64_t chunk = 128 / bits_of(shape.dtype);
  const int64_t pitch = shape.w_n == 1 ? shape.w_k : shape.w_n;
  const bool rows = pitch % chunk == 0 && shape.w_step % chunk == 0 &&
                    (shape.w_n != 1 || shape.columns % chunk == 0);
  return type && rows && shape.rows >= 2;
}

const TileKind* tile_kind(const ProductShape& shape, const GpuInfo& gpu) {
  if (shape.groups > 1) return nullptr;
  if (suits_tensor_cores(shape, gpu)) return shape.tf32 ? &kOfTf32 : &kOnTensorCores;
  return shape.dtype == DType::F32 ? &kOfFloats : nullptr;
}

bool computes_in_tf32(const ProductShape& shape, const GpuInfo& gpu) {
  return tile_kind(shape, gpu) == &kOfTf32 || suits_turned(shape, gpu);
}

// Rows along n, whole 16 bytes each, of such along k.
Tensor along_columns(const Tensor& weights, ProductShape& shape) {
  const int64_t from_pitch = shape.w_n;
  const int64_t pitch = (shape.columns + 3) / 4 * 4;
  Tensor turned(TensorType{DType::F32, {shape.depth, pitch}});
  const auto from = weights.data<float>();
  const auto to = turned.mutable_data<float>();
  for (int64_t k = 0; k < shape.depth; ++k) {
    for (int64_t n = 0; n < shape.columns; ++n) {
      to[static_cast<size_t>(k * pitch + n)] = from[static_cast<size_t>(n * from_pitch + k)];
    }
  }
  shape.w_k = pitch;
  shape.w_n = 1;
  return turned;
}

// To the nearest that TF32 has.
Tensor rounded_to_tf32(Tensor floats) {
  constexpr uint32_t kLeft = 13;  // Bits that are not there.
  for (float& value : floats.mutable_data<float>()) {
    if (!std::isfinite(value)) continue;
    const auto bits = std::bit_cast<uint32_t>(value) + (1u << (kLeft - 1));
    value = std::bit_cast<float>(bits >> kLeft << kLeft);
  }
  return floats;
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
                                      StepBuilder& builder) {
  const GpuInfo& gpu = builder.gpu();
  std::vector<Variant> variants;
  if (has_few_rows(shape)) variants.push_back(few_rows_variant(shape, operands));
  std::vector<Variant> bulk = bulk_variants(shape, operands, gpu);
  std::ranges::move(bulk, std::back_inserter(variants));
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
  // Last, since there may be no library.
  const bool tf32 = computes_in_tf32(shape, gpu);
  std::ranges::move(blas_variants(shape, operands, tf32, builder), std::back_inserter(variants));
  std::ranges::move(dnn_variants(shape, operands, tf32, builder), std::back_inserter(variants));
  return variants;
}

bool in_tf32(DType dtype, const StepBuilder& builder) {
  return dtype == DType::F32 && builder.options().precision == Precision::TF32;
}

Step product_step_of(StepKind kind, const ProductShape& shape, const ProductOperands& operands,
                     StepBuilder& builder) {
  if (computes_in_tf32(shape, builder.gpu())) kind.precision = Arithmetic::Tf32;
  return {.kind = std::move(kind), .variants = product_variants(shape, operands, builder)};
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

Slot packed_weights(Tensor weights, ProductShape& shape, StepBuilder& builder) {
  if (shape.tf32) return builder.packed(rounded_to_tf32(std::move(weights)));
  if (tile_kind(shape, builder.gpu()) == &kOfFloats && !has_few_rows(shape)) {
    return builder.packed(along_columns(weights, shape));
  }
  return builder.packed(std::move(weights));
}

Tensor as_floats(const Tensor& tensor) {
  std::vector<float> values;
  for (const double value : to_doubles(tensor)) values.push_back(static_cast<float>(value));
  return Tensor::of<float>({static_cast<int64_t>(values.size())}, values);
}

}  // namespace hone::cuda
