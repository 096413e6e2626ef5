#include "hone/kernels/hwy_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/rnn_gates/rnn_gates_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hone/kernels/hwy_vectors-inl.h"
#include "hone/kernels/rnn_gates/rnn_gates-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {

void lstm_gates(const LstmGatesArgs& args) {
  lstm_gates_of<HwyF32>(args);
}

void gru_gates(const GruGatesArgs& args) {
  gru_gates_of<HwyF32>(args);
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(lstm_gates);
HWY_EXPORT(gru_gates);

void lstm_gates_hwy(const LstmGatesArgs& args) {
  HWY_DYNAMIC_DISPATCH(lstm_gates)(args);
}

void gru_gates_hwy(const GruGatesArgs& args) {
  HWY_DYNAMIC_DISPATCH(gru_gates)(args);
}

}  // namespace hone
#endif  // HWY_ONCE
