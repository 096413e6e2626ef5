#include "hone/targets/target.h"

namespace hone {

std::string_view name_of(Precision precision) {
  switch (precision) {
    case Precision::F32:
      return "fp32";
    case Precision::F16:
      return "fp16";
    case Precision::BF16:
      return "bf16";
    case Precision::TF32:
      return "tf32";
  }
  return "";
}

}  // namespace hone
