#include "hone/targets/cuda/product_i8.h"

#include <algorithm>
#include <cmath>

#include "hone/targets/cuda/tiles.h"

namespace hone::cuda {
namespace {

// A tile of results, its depth in bytes, and how the warps of a block share it.
struct TileI8 {
  int rows;
  int columns;
  int depth;
  int stages;
  int down;
  int across;

  int threads() const { return down * across * 32; }
  int64_t shared_bytes() const {
    return std::max(int64_t{stages} * (rows + columns) * depth, int64_t{rows} * (columns + 8) * 4);
  }
};

constexpr TileI8 kTiles[] = {
    {256, 128, 64, 4, 4, 2}, {128, 256, 64, 4, 2, 4}, {128, 128, 128, 3, 2, 4},
    {128, 128, 64, 4, 2, 2}, {128, 64, 128, 3, 2, 2}, {128, 64, 64, 4, 4, 1},
    {128, 96, 32, 4, 4, 3},  {64, 128, 128, 3, 2, 2}, {64, 64, 128, 4, 2, 2},
    {64, 64, 64, 4, 2, 2},   {64, 64, 32, 4, 2, 2},   {64, 64, 256, 2, 2, 2},
    {64, 96, 32, 4, 2, 3},   {64, 48, 32, 4, 2, 3},   {128, 32, 128, 3, 4, 1},
    {128, 32, 32, 4, 4, 1},  {128, 16, 32, 4, 4, 1},  {64, 32, 128, 4, 2, 2},
    {64, 32, 64, 4, 2, 2},   {64, 16, 128, 4, 4, 1},  {32, 64, 128, 4, 2, 2},
    {32, 64, 64, 4, 2, 2},   {32, 96, 64, 4, 2, 3},   {32, 32, 128, 5, 2, 2},
    {32, 32, 256, 3, 2, 2},  {32, 128, 128, 4, 1, 4}, {16, 64, 128, 5, 1, 4},
    {16, 64, 256, 3, 1, 4},  {16, 32, 256, 4, 1, 2},  {16, 32, 128, 5, 1, 2},
    {16, 96, 128, 4, 1, 3},  {16, 128, 128, 4, 1, 4}, {16, 128, 256, 3, 1, 4},
    {16, 128, 64, 4, 1, 4},  {16, 160, 64, 4, 1, 5},
};
constexpr int kSplitsI8[] = {1, 2, 4, 8};
constexpr size_t kMostCandidatesI8 = 14;

// A coarse model, of an H200, good enough to leave most candidates out. Of a multiprocessor, in a
// microsecond: operations, bytes that are loaded, results that are finished. In microseconds: what a
// block, a step and a split take besides.
constexpr double kOperationsRate = 8e6;
constexpr double kBytesRate = 120e3;
constexpr double kResultsRate = 4e3;
constexpr double kBlockI8Microseconds = 0.7;
constexpr double kStepI8Microseconds = 0.08;
constexpr double kSplitI8Microseconds = 1.3;

struct CandidateI8 {
  TileI8 tile;
  int split;
  double microseconds;
};

double microseconds_of(const ProductI8Shape& shape, const TileI8& tile, int split,
                       const GpuInfo& gpu) {
  const int64_t blocks =
      parts_of(shape.rows, tile.rows) * parts_of(shape.columns, tile.columns) * split;
  const int64_t steps = parts_of(parts_of(shape.sets * shape.w_set(), tile.depth), split);
  const auto each = static_cast<double>(parts_of(blocks, gpu.multiprocessors));
  const auto room = static_cast<double>(blocks_at_once(gpu, tile.shared_bytes(), tile.threads()));
  const double operations = 2.0 * tile.rows * tile.columns * tile.depth;
  const double step = kStepI8Microseconds +
                      static_cast<double>((tile.rows + tile.columns) * tile.depth) / kBytesRate;
  const double computing = each * static_cast<double>(steps) * operations / kOperationsRate;
  const double waiting = std::ceil(each / room) * static_cast<double>(steps) * step;
  const double finishing = each * tile.rows * tile.columns / split / kResultsRate;
  return kBlockI8Microseconds * std::ceil(each / room) + std::max(computing, waiting) + finishing +
         (split > 1 ? kSplitI8Microseconds : 0);
}

std::vector<CandidateI8> candidates_i8(const ProductI8Shape& shape, const GpuInfo& gpu) {
  std::vector<CandidateI8> all;
  for (const TileI8& tile : kTiles) {
    if (tile.shared_bytes() > static_cast<int64_t>(gpu.most_shared_bytes)) continue;
    for (const int split : kSplitsI8) {
      const bool clusters =
          gpu.major >= 9 && parts_of(shape.sets * shape.w_set(), tile.depth) >= 2 * split;
      if (split > 1 && !clusters) continue;
      all.push_back({tile, split, microseconds_of(shape, tile, split, gpu)});
    }
  }
  std::ranges::stable_sort(all, {}, &CandidateI8::microseconds);
  if (all.size() > kMostCandidatesI8) all.resize(kMostCandidatesI8);
  return all;
}

// Bytes of x that lie side by side wherever a piece of them begins.
int64_t load_bytes(const ProductI8Shape& shape) {
  int64_t bytes = 16;
  while (shape.x_pitch % bytes != 0 || shape.depth % bytes != 0 ||
         (shape.window && shape.channels % bytes != 0)) {
    bytes /= 2;
  }
  return bytes;
}

SourceMaker common_i8(const ProductI8Shape& shape, const TailI8& tail, int64_t piece,
                      const StepBuilder& builder) {
  SourceMaker source;
  define_rounding(source, builder).define("T", shape.x_unsigned ? "u8" : "i8");
  source.define("X_UNSIGNED", shape.x_unsigned ? 1 : 0).define("M", shape.rows);
  source.define("N", shape.columns).define("K", shape.depth).define("X_PITCH", shape.x_pitch);
  source.define("W_PITCH", shape.sets * shape.w_set()).define("W_SET", shape.w_set());
  source.define("Y_PITCH", shape.y_pitch).define("FINISH_PITCH", shape.finish_pitch);
  source.define("Y_ZERO", int64_t{shape.y_zero}).define("Y_LOW", int64_t{shape.range.low});
  source.define("Y_HIGH", int64_t{shape.range.high}).define("CONV", shape.window ? 1 : 0);
  source.define("X_ZERO", shape.window ? int64_t{shape.x_zero} : 0);
  source.define("FINISH_DOWN", shape.scales_down ? 1 : 0);
  if (shape.window) source.window(*shape.window).define("CHANNELS", shape.channels);
  define_tail(tail, piece, source);
  return source;
}

Variant tile_i8_variant(const ProductI8Shape& shape, const ProductI8Operands& operands,
                        const TailI8& tail, const CandidateI8& candidate,
                        const StepBuilder& builder) {
  const TileI8& tile = candidate.tile;
  const bool whole = tail.piece % 4 == 0 && shape.columns % 4 == 0 && shape.y_pitch % 4 == 0;
  SourceMaker source = common_i8(shape, tail, whole ? 4 : 1, builder);
  source.define("LOAD", load_bytes(shape)).define("SPLIT", candidate.split);
  source.define("BM", tile.rows).define("BN", tile.columns).define("BK", tile.depth);
  source.define("STAGES", tile.stages).define("THREADS", tile.threads());
  source.define("WARPS_M", tile.down).define("WARPS_N", tile.across);
  std::string name = str(tile.rows, "x", tile.columns, "x", tile.depth);
  if (candidate.split > 1) name += str(" split ", candidate.split);
  const auto split = static_cast<unsigned>(candidate.split);
  Launch launch{
      .kernel = source.make("product_i8", "product_i8 " + name,
                            {"copies", "matrices", "integers", "bytes", "product_rows", "finish"}),
      .grid = {static_cast<unsigned>(parts_of(shape.rows, tile.rows)) * split,
               static_cast<unsigned>(parts_of(shape.columns, tile.columns)), 1},
      .block = static_cast<unsigned>(tile.threads()),
      .shared_bytes = static_cast<unsigned>(tile.shared_bytes()),
      .cluster = split,
      .arguments = arguments_of(operands, tail)};
  return {std::move(name), {std::move(launch)}};
}

// Few rows: the matrix is what is read, and a warp has a column of it.
constexpr int64_t kFewRowsI8 = 8;

Variant few_rows_i8_variant(const ProductI8Shape& shape, const ProductI8Operands& operands,
                            const TailI8& tail, const StepBuilder& builder) {
  constexpr unsigned kWarps = 4;
  SourceMaker source = common_i8(shape, tail, 1, builder);
  source.define("VEC", load_bytes(shape) / 4).define("WARPS", int64_t{kWarps});
  Launch launch{.kernel = source.make("vector_product_i8", "vector_product_i8",
                                      {"integers", "bytes", "finish"}),
                .grid = {static_cast<unsigned>(parts_of(shape.columns, kWarps)), 1, 1},
                .block = kWarps * 32,
                .arguments = arguments_of(operands, tail)};
  return {"few rows", {std::move(launch)}};
}

}  // namespace

std::vector<Slot> arguments_of(const ProductI8Operands& operands, const TailI8& tail) {
  std::vector<Slot> arguments = {operands.x, operands.w, operands.finish, operands.y};
  arguments.insert(arguments.end(), tail.slots.begin(), tail.slots.end());
  return arguments;
}

std::vector<Variant> product_i8_variants(const ProductI8Shape& shape,
                                         const ProductI8Operands& operands, const TailI8& tail,
                                         const StepBuilder& builder) {
  std::vector<Variant> variants;
  if (shape.rows <= kFewRowsI8 && !shape.window && shape.sets == 1) {
    variants.push_back(few_rows_i8_variant(shape, operands, tail, builder));
  }
  for (const CandidateI8& candidate : candidates_i8(shape, builder.gpu())) {
    variants.push_back(tile_i8_variant(shape, operands, tail, candidate, builder));
  }
  return variants;
}

}  // namespace hone::cuda
