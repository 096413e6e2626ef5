// The product of halves on a CPU that multiplies floats alone.
#pragma once

#include "hone/targets/cpu/product_kernels.h"

namespace hone::cpu {

// Rows become floats once for all columns, which the kernel of floats multiplies, and sums are rounded
// once. Weights are kept as floats where they stay in the second-level cache; where they come from
// further away they are halves, and become floats panel by panel for many rows. PlainProduct<Half>
// turns weights into floats in every tile, and rows for every panel: for few rows that is less to do.
class WidenedProduct {
 public:
  using Element = Half;
  static bool steps(size_t) { return false; }

  // Whether that takes less time.
  static bool pays(const ProductShape& shape, size_t rows);

  explicit WidenedProduct(const ProductShape& shape);

  StepKind kind() const;
  size_t mr() const { return kernel_.mr; }
  size_t nr() const { return kernel_.nr; }
  size_t panels() const { return kernel_.panels(columns_); }
  size_t panels_bytes() const { return kernel_.packed_elements(columns_, k_) * weight_bytes(); }
  size_t grain() const { return mr(); }
  size_t block_step() const { return mr(); }
  Tasks::Costs task_costs() const { return {}; }
  Tasks::Block block() const { return {}; }
  // Of one row's operands, as the tiles read them.
  size_t row_bytes() const { return k_ * sizeof(float); }
  size_t scratch_bytes(size_t rows) const;
  size_t first_panel_bytes() const {
    return std::min(kernel_.panel_elements(k_) * weight_bytes(), panels_bytes());
  }

  void pack(const GemmWeights<Half>& weights, std::byte* out) const;
  void run(const std::byte* packed, const ProductBounds& bounds, const GemmRows<Half>& rows,
           size_t first, size_t last, std::byte* scratch, FetchAhead* ahead = nullptr) const;

 private:
  // What `run` works on: rows that leave room in the second-level cache, and a range of panels.
  struct Piece {
    const std::byte* packed;
    ProductBounds bounds;
    GemmRows<Half> rows;
    size_t first, last;  // Panels.
    size_t width;        // Their columns.
    FetchAhead* ahead;
  };
  // Floats of a piece.
  struct Wide {
    float* x;      // [rows][k]
    float* y;      // [rows][width]
    float* panel;  // Biases and some weights of each column.
    const float** a;
  };
  // Where they lie in scratch memory, in bytes.
  struct Layout {
    size_t y, panel, a, end;
  };

  size_t weight_bytes() const { return keeps_floats_ ? sizeof(float) : sizeof(Half); }
  size_t most_rows() const;
  size_t columns_of(size_t panel) const {
    return std::min(kernel_.nr, columns_ - panel * kernel_.nr);
  }
  Layout layout(size_t rows) const;
  void run_piece(const Piece& piece, const Wide& wide) const;
  void add_products(const Piece& piece, const Wide& wide, size_t begin, size_t end) const;
  const float* panel_of(const Piece& piece, size_t panel, size_t begin, size_t end,
                        float* memory) const;
  void widen_rows(const GemmRows<Half>& rows, float* x) const;

  size_t columns_, taps_, depth_, k_;
  std::string_view name_;
  GemmF32 kernel_;
  bool keeps_floats_;  // Weights are packed as floats.
};

}  // namespace hone::cpu
