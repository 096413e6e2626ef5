// Rotates pairs of elements of each head by an angle that depends on the position in the sequence:
//   (x1, x2) -> (x1 cos - x2 sin, x1 sin + x2 cos)
// A pair is elements i and i + n/2 of the first n = rotary_embedding_dim (0: all), or neighbours
// when interleaved. RotaryEmbeddingInput [batch, heads, sequence, size] or [batch, sequence, heads * size].

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

enum RotaryEmbeddingInput { kX, kCos, kSin, kPositions };

struct Layout {
  int64_t batch, sequence, heads, size;
  int64_t rotated;  // Elements of a head that take part.
};

// Requires a known shape.
Result<Layout> layout_of(const NodeContext& in, const TensorType& x) {
  Layout layout{};
  const int64_t heads = in.integer("num_heads");
  if (x.rank() == 4) {
    layout = {x.shape[0], x.shape[2], x.shape[1], x.shape[3], 0};
  } else if (x.rank() == 3) {
    if (heads < 1 || x.shape[2] % heads != 0) return bad_input("num_heads is ", heads, " for ", x);
    layout = {x.shape[0], x.shape[1], heads, x.shape[2] / heads, 0};
  } else {
    return bad_input("input is ", x, ", expected rank 3 or 4");
  }
  const int64_t wanted = in.integer("rotary_embedding_dim");
  layout.rotated = wanted == 0 ? layout.size : wanted;
  if (layout.rotated < 0 || layout.rotated > layout.size || layout.rotated % 2 != 0) {
    return bad_input("rotary_embedding_dim is ", layout.rotated, ", expected an even number up to ",
                     layout.size);
  }
  return layout;
}

Result<std::vector<ValueType>> infer_rotary_embedding(const InferContext& in) {
  if (in.type(kX).known()) HONE_RETURN_IF_ERROR(layout_of(in, in.type(kX)));
  return infer_same(in);
}

// Where each [batch, sequence] finds its row of the caches.
Result<Ints> cache_rows(const EvalContext& in, const Layout& layout) {
  const int64_t places = layout.batch * layout.sequence;
  const Shape& cache = in.in(kCos).shape();
  const bool direct = !in.has(kPositions);
  const bool fits = cache == in.in(kSin).shape() && cache.size() == (direct ? 3u : 2u) &&
                    cache.back() == layout.rotated / 2 &&
                    (!direct || (cache[0] == layout.batch && cache[1] == layout.sequence));
  if (!fits)
    return bad_input("caches are ", in.in(kCos).type(), " and ", in.in(kSin).type(), " for ",
                     in.in(kX).type());
  Ints rows;
  for (int64_t i = 0; direct && i < places; ++i) rows.push_back(i);
  if (direct) return rows;
  if (in.in(kPositions).shape() != Shape{layout.batch, layout.sequence}) {
    return bad_input("position_ids is ", in.in(kPositions).type(), ", expected [batch,sequence]");
  }
  rows = to_ints(in.in(kPositions));
  for (const int64_t row : rows) {
    if (row < 0 || row >= cache[0])
      return bad_input("position ", row, " is outside ", cache[0], " rows");
  }
  return rows;
}

template <class T>
void rotate(EvalContext& in, const Layout& layout, const Ints& rows) {
  const T* x = in.in(kX).data<T>().data();
  const T* cosines = in.in(kCos).data<T>().data();
  const T* sines = in.in(kSin).data<T>().data();
  T* y = in.out().template mutable_data<T>().data();
  const bool interleaved = in.integer("interleaved") != 0;
  const bool heads_first = in.in(kX).rank() == 4;
  const int64_t half = layout.rotated / 2;
  for (int64_t place = 0; place < layout.batch * layout.sequence; ++place) {
    const int64_t b = place / layout.sequence, s = place % layout.sequence;
    const int64_t row = rows[static_cast<size_t>(place)] * half;
    for (int64_t h = 0; h < layout.heads; ++h) {
      const int64_t head =
          heads_first ? (b * layout.heads + h) * layout.sequence + s : place * layout.heads + h;
      const int64_t base = head * layout.size;
      for (int64_t i = 0; i < half; ++i) {
        const int64_t first = base + (interleaved ? 2 * i : i);
        const int64_t second = interleaved ? first + 1 : first + half;
        const Compute<T> c = cosines[row + i], n = sines[row + i], p = x[first], q = x[second];
        y[first] = T(p * c - q * n);
        y[second] = T(p * n + q * c);
      }
      for (int64_t i = layout.rotated; i < layout.size; ++i) y[base + i] = x[base + i];
    }
  }
}

Status eval_rotary_embedding(EvalContext& in) {
  HONE_TRY(const Layout layout, layout_of(in, in.in(kX).type()));
  HONE_TRY(const Ints rows, cache_rows(in, layout));
  dispatch_float(in.in(kX).dtype(),
                 [&](auto tag) { rotate<typename decltype(tag)::type>(in, layout, rows); });
  return Done{};
}

}  // namespace

extern const OpDef op_rotary_embedding = {
    .name = "rotary_embedding",
    .summary = "Rotary position embedding.",
    .inputs = {{"x", kFloat, 'T'},
               {"cos_cache", kFloat, 'T'},
               {"sin_cache", kFloat, 'T'},
               {"position_ids", DTypeSet{DType::I64}, 0, kOptional}},
    .attrs = {{"interleaved", int64_t{0}},
              {"num_heads", int64_t{0}},
              {"rotary_embedding_dim", int64_t{0}}},
    .infer = infer_rotary_embedding,
    .cost = cost_per_element<3>,
    .eval = eval_rotary_embedding,
    .onnx = {{"RotaryEmbedding"}},
    .cases = {"(f32[1,2,3,4], const f32[1,3,2], const f32[1,3,2])"},
};

}  // namespace hone
