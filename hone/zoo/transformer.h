// The parts of a transformer's layer that encoders of text and of images share. Tokens are
// [batch, tokens, width], of any batch and number.
#pragma once

#include "hone/zoo/builder.h"

namespace hone {

// softmax(q k' / sqrt(width of a head) + mask) v per head, heads side by side again. Without `mask`
// all tokens are looked at.
Value* attend(NetworkBuilder& b, Value* query, Value* key, Value* value, int64_t heads, Value* mask,
              const std::string& name);

// The same with query, key and value projected from x, and the result projected.
Value* self_attention(NetworkBuilder& b, Value* x, int64_t heads, Value* mask,
                      const std::string& name);

// 0, 1, ... for the tokens of ids [batch, tokens].
Value* token_numbers(NetworkBuilder& b, Value* ids);
// What to add to scores: [batch, 1, 1, tokens], 0 for words, -10000 for padding (id 0).
Value* token_mask(NetworkBuilder& b, Value* ids);

// Two projections with gelu between them.
Value* feed_forward(NetworkBuilder& b, Value* x, int64_t hidden, const std::string& name);

}  // namespace hone
