// First layers: images of few channels.
#pragma once

#include "hone/graph/graph.h"

namespace hone::cuda {

// A convolution of 16-bit floats with up to four channels and an even stride along the width reads
// pairs of neighbours as one pixel of eight channels, zeros among them: 16 bytes, as tensor cores'
// kernels load them. The image gets its border and its channels once, in front:
//
//   %y = conv(%x, w)   =>   %p = pad(%x); %q = reshape(%p); %y = conv(%q, w')
//
// Gives how many convolutions were changed.
int pair_pixels(Graph& graph);

}  // namespace hone::cuda
