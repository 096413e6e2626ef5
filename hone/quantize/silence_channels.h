#pragma once

#include "hone/quantize/quantize.h"

namespace hone {

// Channels that a relu always cuts to zero: training with batch norms leaves some, with weights of
// nothing and a bias below zero. What reads such a channel may have weights of any size, a hundred
// times those of the rest is common, and with one scale for all of them nothing is left of the
// rest. Those weights become zero, which changes no answer: a channel counts only if it stays below
// zero for inputs twice as large as any that calibration saw. Says how many channels.
int silence_dead_channels(Graph& graph, const Calibration& calibration);

}  // namespace hone
