#include "hone/sim/vector/sums.h"

#include "hone/kernels/add_i8/add_i8.h"
#include "hone/sim/vector/pair_rows.h"

namespace hone::sim {
namespace {

template <class T>
void run_add_kernel(const AddI8Args<T>& args) {
  if constexpr (std::is_signed_v<T>) {
    static const auto run = best_variant(add_i8_variants()).run;
    run(args);
  } else {
    static const auto run = best_variant(add_u8_variants()).run;
    run(args);
  }
}

}  // namespace

void run_sum(const VectorCommand& command, const VectorOperands& operands, Scratch& scratch,
             bool subtract) {
  by_sign(command, [&]<class T>(T) {
    AddI8Args<T> args{};
    args.subtract = subtract;
    args.a_factor = command.factors[0];
    args.b_factor = command.factors[1];
    args.y_factor = command.factors[2];
    run_rows<T>(command, operands, scratch, args, run_add_kernel<T>);
  });
}

}  // namespace hone::sim
