#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "hone/tensor/tensor.h"

namespace hone {

class Graph;

using AttrVariant =
    std::variant<int64_t, double, std::string, DType, Tensor, std::shared_ptr<Graph>,
                 std::vector<int64_t>, std::vector<double>, std::vector<std::string>>;

// A typed attribute of a node. Floats are kept as double, which holds every float exactly. Copying
// and destroying are declared here to be compiled once: inline, they were a fifth of the time to
// compile the operators.
struct Attr : AttrVariant {
  using AttrVariant::AttrVariant;
  Attr();
  ~Attr();
  Attr(const Attr&);
  Attr& operator=(const Attr&);
  Attr(Attr&&) noexcept;
  Attr& operator=(Attr&&) noexcept;
};
using Attrs = std::map<std::string, Attr, std::less<>>;

using Ints = std::vector<int64_t>;
using Floats = std::vector<double>;
using Strings = std::vector<std::string>;

// "int", "floats", "graph": for messages.
std::string_view kind_of(const Attr& attr);

}  // namespace hone
