// What a call to an engine costs by itself.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

Graph build_empty(uint64_t seed) {
  NetworkBuilder b("empty", seed);
  return b.finish(b.activation(b.input("input", {1, 1}), Nonlinearity::Relu, "relu"), "output");
}

}  // namespace

extern const NetworkDef network_empty = {
    .name = "empty",
    .summary = "One relu of one number: the cost of a call.",
    .build = build_empty,
};

}  // namespace hone
