#include "hone/graph/attr.h"

#include "hone/graph/graph.h"

namespace hone {

Attr::Attr() = default;
Attr::~Attr() = default;
Attr::Attr(const Attr&) = default;
Attr& Attr::operator=(const Attr&) = default;
Attr::Attr(Attr&&) noexcept = default;
Attr& Attr::operator=(Attr&&) noexcept = default;

std::string_view kind_of(const Attr& attr) {
  constexpr std::string_view kNames[] = {"int",   "float", "string", "dtype",  "tensor",
                                         "graph", "ints",  "floats", "strings"};
  return kNames[attr.index()];
}

}  // namespace hone
