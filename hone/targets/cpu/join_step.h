// Concatenations and splits: the parts lie side by side in every row of the whole. Parts that are
// written, or read, where the whole has them need no copy.
#pragma once

#include <vector>

#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {

class JoinStep final : public Step {
 public:
  struct Part {
    Slot slot;
    size_t offset;  // In a row of the whole,
    size_t bytes;   // which has so many of it.
    bool in_place = false;
  };

  // Of concat or split along `axis`.
  JoinStep(const Node& join, size_t axis, StepBuilder& builder);

  Status run(const Frame& frame) const override;
  bool write_apart(const RowsApart& rows) override;

  bool joins() const { return joins_; }
  Slot whole() const { return whole_; }
  size_t rows() const { return rows_; }
  const RowsApart& whole_rows() const { return whole_rows_; }
  const std::vector<Part>& parts() const { return parts_; }

  // The part lies in the memory of the whole: there is nothing to copy.
  void leave_in_place(size_t part);

 private:
  void copy_part(const Frame& frame, const Part& part, size_t first, size_t last) const;

  bool joins_;
  size_t rows_ = 0;
  RowsApart whole_rows_;
  Slot whole_ = 0;
  std::vector<Part> parts_;
};

}  // namespace hone::cpu
