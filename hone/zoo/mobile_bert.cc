// "MobileBERT: a Compact Task-Agnostic BERT" (2020) with Hugging Face's names, as a masked language
// model: 24 layers of width 512 that compute in 128, with four feed-forward parts each and scales in
// place of norms. The input are ids of tokens, of any number up to 512; id 0 is padding.

#include "hone/zoo/transformer.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int kMobileBertLayers = 24;
constexpr int64_t kMobileBertWidth = 512;
constexpr int64_t kMobileBertInner = 128;
constexpr int64_t kMobileBertHeads = 4;
constexpr int64_t kMobileBertTokens = 384;
constexpr int64_t kMobileBertWords = 30522;

class MobileBert {
 public:
  explicit MobileBert(uint64_t seed) : b_("mobile_bert", seed) {}

  Graph build() {
    Value* ids = b_.input("input", {1, kMobileBertTokens}, DType::I64);
    Value* mask = token_mask(b_, ids);
    Value* x = embed(ids);
    for (int i = 0; i < kMobileBertLayers; ++i) x = layer(x, mask, str("encoder.layer.", i));
    x = b_.project(x, kMobileBertWidth, "cls.transform.dense");
    x = b_.layer_norm(b_.apply("relu", {x}, "cls.transform.relu"), "cls.transform.LayerNorm",
                      1e-12);
    return b_.finish(b_.project(x, kMobileBertWords, "cls.decoder"), "logits");
  }

 private:
  Value* scaled(Value* x, const std::string& name) {
    const int64_t n = NetworkBuilder::shape(x).back();
    x = b_.apply("mul", {x, b_.factors(name + ".weight", {n}, 0.5)}, name + ".mul");
    return b_.apply("add", {x, b_.factors(name + ".bias", {n}, 0.1)}, name);
  }

  Value* table(int64_t rows, int64_t width, const std::string& name) {
    return b_.factors(str("embeddings.", name, ".weight"), {rows, width}, 1);
  }

  // A word with the one before and the one behind it.
  Value* neighbours(Value* words) {
    const auto shifted = [&](const Ints& pads, const std::string& name) {
      Value* x = b_.apply("pad", {words, b_.constant(name + ".pads", Tensor::of_ints(pads))}, name);
      return x;
    };
    Value* next = shifted({0, -1, 0, 0, 1, 0}, "embeddings.next");
    Value* last = shifted({0, 1, 0, 0, -1, 0}, "embeddings.previous");
    return b_.concat({next, words, last}, 2, "embeddings.concat");
  }

  Value* embed(Value* ids) {
    Value* words = table(kMobileBertWords, kMobileBertInner, "word_embeddings");
    Value* x = neighbours(b_.apply("gather", {words, ids}, "embeddings.words"));
    x = b_.project(x, kMobileBertWidth, "embeddings.transformation");
    Value* positions = table(512, kMobileBertWidth, "position_embeddings");
    positions = b_.apply("gather", {positions, token_numbers(b_, ids)}, "embeddings.positions");
    x = b_.apply("add", {x, positions}, "embeddings.add_positions");
    Value* kind = b_.constant("embeddings.kind", Tensor::of<int64_t>({}, {0}));
    Value* kinds = table(2, kMobileBertWidth, "token_type_embeddings");
    kinds = b_.apply("gather", {kinds, kind}, "embeddings.kinds");
    return scaled(b_.apply("add", {x, kinds}, "embeddings.add_kinds"), "embeddings.LayerNorm");
  }

  Value* residual(Value* x, Value* shortcut, const std::string& name) {
    return scaled(b_.apply("add", {x, shortcut}, name + ".add"), name + ".LayerNorm");
  }

  Value* feed_forward_relu(Value* x, const std::string& name) {
    Value* y = b_.project(x, kMobileBertWidth, name + ".intermediate");
    y = b_.apply("relu", {y}, name + ".relu");
    return residual(b_.project(y, kMobileBertInner, name + ".output"), x, name + ".output");
  }

  // Query and key come from one narrow form of x, the value from x itself.
  Value* layer(Value* x, Value* mask, const std::string& name) {
    const auto narrow = [&](std::string_view part) {
      const std::string where = str(name, ".bottleneck.", part);
      return scaled(b_.project(x, kMobileBertInner, where), where + ".LayerNorm");
    };
    Value* inner = narrow("input");
    Value* shared = narrow("attention");
    const std::string attention = name + ".attention";
    Value* query = b_.project(shared, kMobileBertInner, attention + ".query");
    Value* key = b_.project(shared, kMobileBertInner, attention + ".key");
    Value* value = b_.project(x, kMobileBertInner, attention + ".value");
    Value* y = attend(b_, query, key, value, kMobileBertHeads, mask, attention);
    y = residual(b_.project(y, kMobileBertInner, attention + ".output"), inner, attention);
    for (int i = 0; i < 4; ++i) y = feed_forward_relu(y, str(name, ".ffn.", i));
    y = b_.project(y, kMobileBertWidth, name + ".output.bottleneck");
    return residual(y, x, name + ".output");
  }

  NetworkBuilder b_;
};

// Weights that every token meets: two narrowings, query and key, value, output, four feed-forward
// parts, widening; then the scores and the weighted sum.
constexpr double mobile_bert_macs() {
  constexpr double kLayer =
      2 * 512 * 128 + 2 * 128 * 128 + 512 * 128 + 128 * 128 + 4 * 2 * 128 * 512 + 128 * 512;
  constexpr double kHead = 512 * (512.0 + kMobileBertWords);
  constexpr double kTokens = kMobileBertTokens;
  return kTokens * (kMobileBertLayers * kLayer + 384 * 512 + kHead) +
         kMobileBertLayers * 2 * kTokens * kTokens * kMobileBertInner;
}

}  // namespace

// Hugging Face's model has 24581888 parameters without the head (25.3 M in the paper); the exported
// head has a layer of 512x512 with its norm, and 512 weights and a bias per word. MACs in closed
// form.
extern const NetworkDef network_mobile_bert = {
    .name = "mobile_bert",
    .summary = "MobileBERT (2020), masked language model, 384 tokens.",
    .published_parameters = 24581888 + 512 * 512 + 3 * 512 + 513 * 30522,
    .published_macs = mobile_bert_macs(),
    .build = [](uint64_t seed) { return MobileBert(seed).build(); },
};

}  // namespace hone
