#include "hone/kernels/rnn_gates/rnn_gates.h"

#include "hone/kernels/hwy_targets.h"

namespace hone {

void lstm_gates_ref(const LstmGatesArgs& args);
void lstm_gates_hwy(const LstmGatesArgs& args);
void gru_gates_ref(const GruGatesArgs& args);
void gru_gates_hwy(const GruGatesArgs& args);

std::span<const KernelVariant<LstmGates>> lstm_gates_variants() {
  static constexpr KernelVariant<LstmGates> kVariants[] = {
      {"hwy", kHwy, lstm_gates_hwy},
      {"ref", kNoFeature, lstm_gates_ref},
  };
  return kVariants;
}

std::span<const KernelVariant<GruGates>> gru_gates_variants() {
  static constexpr KernelVariant<GruGates> kVariants[] = {
      {"hwy", kHwy, gru_gates_hwy},
      {"ref", kNoFeature, gru_gates_ref},
  };
  return kVariants;
}

}  // namespace hone
