// A fixed piece of arithmetic that is timed beside the runs of a model: how fast the machine itself
// was while it was measured. Other programs on the same core, a neighbour on a shared one and a
// lower clock slow it down as they slow down the model.
#pragma once

namespace hone {

// Runs it once, some microseconds, and gives the seconds it took.
double time_yardstick();

}  // namespace hone
