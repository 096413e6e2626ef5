// What a person should take from timed networks when reading one sentence.
#pragma once

#include <string>

#include "hone/report/results/bench_run.h"

namespace hone {

// "zoo:a in int8": two runs of one model differ in their arithmetic.
std::string label_of(const BenchedNetwork& network);

// "a in int8 is the fastest of 3, 2.00 ms, and 1.80 times as fast as b in fp32, 3.60 ms; their 95 %
// intervals part, so this is no chance; measured on cpu".
std::string bench_verdict(const BenchRun& run);

}  // namespace hone
