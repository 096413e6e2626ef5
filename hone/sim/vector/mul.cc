#include "hone/kernels/mul_i8/mul_i8.h"
#include "hone/sim/vector/pair_rows.h"
#include "hone/sim/view_checks.h"

namespace hone::sim {
namespace {

template <class T>
void run_mul_kernel(const MulI8Args<T>& args) {
  if constexpr (std::is_signed_v<T>) {
    static const auto run = best_variant(mul_i8_variants()).run;
    run(args);
  } else {
    static const auto run = best_variant(mul_u8_variants()).run;
    run(args);
  }
}

void run_mul(const VectorCommand& command, const VectorOperands& operands, Scratch& scratch) {
  by_sign(command, [&]<class T>(T) {
    MulI8Args<T> args{};
    args.factor = command.factors[2];
    run_rows<T>(command, operands, scratch, args, run_mul_kernel<T>);
  });
}

}  // namespace

extern const VectorOpDef vector_op_mul = {
    .name = "mul",
    .summary = "a * b, by TFLite's arithmetic: factors[2] is that of the output.",
    .run = run_mul,
    .check = check_pair,
    .reads_b = true,
    .in_place = true,
};

}  // namespace hone::sim
