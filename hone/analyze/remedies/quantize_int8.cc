// Needs samples, which only optimize has: it does this itself.

#include "hone/analyze/remedy_def.h"

namespace hone {
namespace {

Result<bool> apply_quantize_int8(const Prescription&, const Finding*, std::string&) {
  return unsupported("needs samples").needs({HintKind::Samples});
}

}  // namespace

extern const RemedyDef remedy_quantize_int8 = {
    .id = "quantize_int8",
    .summary = "Computes in int8 where samples show that accuracy stays.",
    .rules = {"quantize_int8"},  // Of none: optimize asks for it where there is data.
    .apply = apply_quantize_int8,
};

}  // namespace hone
