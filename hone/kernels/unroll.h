#pragma once

// Before a loop with a constant number of rounds, so that the arrays it walks become registers.
#if defined(__clang__)
#define HONE_UNROLL _Pragma("unroll")
#else
#define HONE_UNROLL _Pragma("GCC unroll 16")
#endif
