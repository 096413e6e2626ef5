// The parts of a transformer's layer that encoders of text and of images share. Tokens are
// [batch, tokens, width], of any batch and number.
#pragma once

#include "hone/zoo/builder.h"

namespace hone {

// softmax(q k' / sqrt(width of a head) + mask) v per head, and a projection. Without `mask` all
// tokens are looked at.
Value* self_attention(NetworkBuilder& b, Value* x, int64_t heads, Value* mask,
                      const std::string& name);

// Two projections with gelu between them.
Value* feed_forward(NetworkBuilder& b, Value* x, int64_t hidden, const std::string& name);

}  // namespace hone
