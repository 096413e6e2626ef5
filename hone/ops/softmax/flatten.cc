#include "hone/ops/softmax/flatten.h"

namespace hone {

Status flatten_before_opset_13(OnnxImport& in) {
  if (in.opset >= 13) return Done{};
  const int64_t axis = in.take<int64_t>("axis", 1);
  Node* flat = in.add("flatten", {in.input(0)}, {{"axis", axis}});
  Node* result = in.add(in.op, {flat->outputs[0]}, {{"axis", int64_t{-1}}});
  Node* shape = in.add("shape", {in.input(0)});
  in.results = {
      in.add("reshape", {result->outputs[0], shape->outputs[0]}, {{"allowzero", int64_t{1}}})
          ->outputs[0]};
  return Done{};
}

}  // namespace hone
