// Kernels' sources: a text of `sources`, and what it is specialised to in front of it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "hone/cuda/kernels.h"
#include "hone/kernels/activation.h"
#include "hone/ops/conv/geometry.h"

namespace hone::cuda {

// A file of `sources`, without its suffix.
std::string_view source_text(std::string_view name);

class SourceMaker {
 public:
  SourceMaker& define(std::string_view name, std::string_view value);
  SourceMaker& define(std::string_view name, int64_t value);
  // The element type T.
  SourceMaker& element(DType dtype);
  // ACTIVATE(v).
  SourceMaker& activation(const Activation& activation);
  // HEIGHT .. PAD_W of a window over one or two axes.
  SourceMaker& window(const Window& window);
  // The kernel whose entry has the name of its file, with the files before it that it builds on.
  KernelSource make(std::string_view file, std::string name,
                    std::initializer_list<std::string_view> before = {}) const;
  // The same of a text that was made for the occasion.
  KernelSource make_of(std::string_view text, std::string entry, std::string name) const;

 private:
  std::string defines_;
};

// Of the kernels' own language. Requires a type that they compute with.
std::string_view type_name(DType dtype);
// What denotes the very number.
std::string literal(float value);
// `argument` with the function applied.
std::string activated(const Activation& activation, const std::string& argument);

}  // namespace hone::cuda
