// How figures of power read.
#pragma once

#include <string>

#include "hone/stream/listening_power.h"

namespace hone {

// Three digits that mean something: "0.0456", "1.23", "457".
std::string short_figure(double value);

// "89.1 (62 to 143)".
std::string spread_text(const Spread& spread);

// "17.2 times less is added by listening on hexagon than on the CPU (7.1 to 42), 3.5 times less drawn in all; predicted".
std::string listening_headline(const ListeningPower& power);

}  // namespace hone
