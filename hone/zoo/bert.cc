// "BERT: Pre-training of Deep Bidirectional Transformers" (2018), with Hugging Face's names. The
// input are ids of tokens, of any number up to 512; id 0 is padding and is not looked at.

#include "hone/zoo/transformer.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kBertPositions = 512;
constexpr double kBertEpsilon = 1e-12;
// Of weights: a prime, so that rows differ.
constexpr size_t kBertPeriod = 250007;

enum class BertHead {
  Pooler,     // A projection and tanh of the first token.
  Answer,     // Scores of begin and end of an answer per token (SQuAD).
  Vocabulary  // Scores of all words per token (masked language model).
};

struct BertVariant {
  std::string_view name;
  int64_t layers;
  int64_t width;
  int64_t heads;
  int64_t tokens;
  BertHead head;
  int64_t vocabulary = 30522;
};

class Bert {
 public:
  Bert(const BertVariant& variant, uint64_t seed)
      : variant_(variant), b_(variant.name, seed, kBertPeriod) {}

  Graph build() {
    Value* ids = b_.input("input", {1, variant_.tokens}, DType::I64);
    Value* x = embed(ids);
    Value* mask = token_mask(b_, ids);
    for (int64_t i = 0; i < variant_.layers; ++i) x = layer(x, mask, str("encoder.layer.", i));
    return head(x);
  }

 private:
  Value* table(int64_t rows, const std::string& name) {
    return b_.factors(str("embeddings.", name, ".weight"), {rows, variant_.width}, 1);
  }

  Value* integer(const std::string& name, int64_t value) {
    return b_.constant(name, Tensor::of<int64_t>({}, {value}));
  }

  // Words, positions and the first of the two kinds of sentences.
  Value* embed(Value* ids) {
    Value* words = b_.apply("gather", {table(variant_.vocabulary, "word_embeddings"), ids},
                            "embeddings.words");
    Value* positions =
        b_.apply("gather", {table(kBertPositions, "position_embeddings"), token_numbers(b_, ids)},
                 "embeddings.positions");
    Value* kinds = b_.apply("gather", {table(2, "token_type_embeddings"), integer("kind", 0)},
                            "embeddings.kinds");
    Value* x = b_.apply("add", {words, kinds}, "embeddings.add_kinds");
    x = b_.apply("add", {x, positions}, "embeddings.add_positions");
    return b_.layer_norm(x, "embeddings.LayerNorm", kBertEpsilon);
  }

  Value* layer(Value* x, Value* mask, const std::string& name) {
    Value* y = self_attention(b_, x, variant_.heads, mask, name + ".attention");
    x = b_.apply("add", {y, x}, name + ".attention.add");
    x = b_.layer_norm(x, name + ".attention.LayerNorm", kBertEpsilon);
    y = feed_forward(b_, x, 4 * variant_.width, name + ".feed_forward");
    x = b_.apply("add", {y, x}, name + ".add");
    return b_.layer_norm(x, name + ".LayerNorm", kBertEpsilon);
  }

  Graph head(Value* x) {
    switch (variant_.head) {
      case BertHead::Pooler: {
        Value* first = b_.apply("gather", {x, integer("first_token", 0)}, "pooler.first",
                                {{"axis", int64_t{1}}});
        Value* pooled = b_.apply("tanh", {b_.linear(first, variant_.width, "pooler.dense")},
                                 "pooler.activation");
        return b_.finish({{x, "last_hidden_state"}, {pooled, "pooler_output"}});
      }
      case BertHead::Answer: {
        const auto ends = b_.split(b_.project(x, 2, "qa_outputs"), {1, 1}, 2, "qa_outputs.split");
        return b_.finish({{ends[0], "start_logits"}, {ends[1], "end_logits"}});
      }
      case BertHead::Vocabulary:
        break;
    }
    x = b_.apply("gelu", {b_.project(x, variant_.width, "cls.transform.dense")},
                 "cls.transform.activation");
    x = b_.layer_norm(x, "cls.transform.LayerNorm", kBertEpsilon);
    return b_.finish(b_.project(x, variant_.vocabulary, "cls.decoder"), "logits");
  }

  const BertVariant& variant_;
  NetworkBuilder b_;
};

// Of the layers: four projections and two of the feed-forward part per token, scores and the
// weighted sum per pair of tokens.
constexpr double bert_layer_macs(const BertVariant& variant) {
  const auto tokens = static_cast<double>(variant.tokens);
  const auto width = static_cast<double>(variant.width);
  return static_cast<double>(variant.layers) *
         (tokens * 12 * width * width + 2 * tokens * tokens * width);
}

constexpr BertVariant kBertBase = {"bert_base", 12, 768, 12, 128, BertHead::Pooler};
constexpr BertVariant kBertBaseMlm = {"bert_base_mlm", 12, 768, 12, 384, BertHead::Vocabulary};
constexpr BertVariant kBertLarge = {"bert_large", 24, 1024, 16, 384, BertHead::Answer};

}  // namespace

// Parameters as Hugging Face's models report them; MACs in closed form (the paper has none). The
// paper rounds to 110 M and 340 M.
extern const NetworkDef network_bert_base = {
    .name = "bert_base",
    .summary = "BERT base (2018), 128 tokens, with its pooler.",
    .published_parameters = 109482240,
    .published_macs = bert_layer_macs(kBertBase),
    .build = [](uint64_t seed) { return Bert(kBertBase, seed).build(); },
};

// 109514298 parameters; the table of words is there twice, as in an export: the second time as the
// weight of the last layer.
extern const NetworkDef network_bert_base_mlm = {
    .name = "bert_base_mlm",
    .summary = "BERT base (2018), masked language model, 384 tokens.",
    .published_parameters = 109514298 + 30522 * 768,
    .published_macs = bert_layer_macs(kBertBaseMlm) + 384.0 * 768 * (768 + 30522),
    .build = [](uint64_t seed) { return Bert(kBertBaseMlm, seed).build(); },
};

extern const NetworkDef network_bert_large = {
    .name = "bert_large",
    .summary = "BERT large (2018), answers to questions (SQuAD), 384 tokens.",
    .published_parameters = 334094338,
    .published_macs = bert_layer_macs(kBertLarge),
    .build = [](uint64_t seed) { return Bert(kBertLarge, seed).build(); },
};

}  // namespace hone
