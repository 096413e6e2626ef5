#include "hone/quantize/activation/emit_c.h"

#include <functional>

#include "hone/base/str.h"

namespace hone {
namespace {

const char* c_type(DType dtype) {
  return dtype == DType::U8 ? "uint8_t" : dtype == DType::I8 ? "int8_t" : "int16_t";
}

template <class Range, class Field>
std::string array(const std::string& type, const std::string& name, const Range& items,
                  const Field& field) {
  std::string text = str("static const ", type, " ", name, "[", items.size(), "] = {");
  size_t column = 0;
  for (const auto& item : items) {
    text += column++ % 12 == 0 ? "\n    " : " ";
    text += str(std::invoke(field, item), ",");
  }
  return text + "\n};\n";
}

std::string head(const std::string& about) {
  return str("/* ", about, " */\n#include <stdint.h>\n\n");
}

}  // namespace

std::string emit_c(const LookupTable& table, const std::string& name, const std::string& about) {
  const std::string in = c_type(table.in.dtype);
  const std::string out = c_type(table.out.dtype);
  std::string text =
      head(about) + array(out, name + "_table", table.entries, [](int32_t entry) { return entry; });
  text += str("\n", out, " ", name, "(", in, " code) {\n");
  text += str("  const uint32_t offset = (uint32_t)((int32_t)code - (", table.in.first(), "));\n");
  if (table.step_bits == 0) {
    text += str("  return ", name, "_table[offset];\n}\n");
    return text;
  }
  const int32_t mask = (1 << table.step_bits) - 1;
  text += str("  const ", out, "* entry = ", name, "_table + (offset >> ", table.step_bits, ");\n",
              "  const int32_t part = (int32_t)(offset & ", mask, ");\n",
              "  const int32_t rise = (int32_t)entry[1] - entry[0];\n", "  return (", out,
              ")(entry[0] + ((rise * part + ", 1 << (table.step_bits - 1), ") >> ", table.step_bits,
              "));\n}\n");
  return text;
}

std::string emit_c(const PiecewiseFunction& pieces, const std::string& name,
                   const std::string& about) {
  const std::string in = c_type(pieces.in.dtype);
  const std::string out = c_type(pieces.out.dtype);
  const auto& all = pieces.pieces;
  std::string text = head(about) + array("int32_t", name + "_first", all, &Piece::first);
  if (pieces.degree == 2) text += array("int32_t", name + "_a", all, &Piece::a);
  text += array("int32_t", name + "_b", all, &Piece::b);
  text += array("int32_t", name + "_c", all, &Piece::c);
  text += str("\n", out, " ", name, "(", in, " code) {\n", "  int low = 0, high = ", all.size(),
              ";\n", "  while (high - low > 1) {\n", "    const int middle = (low + high) / 2;\n",
              "    if (", name, "_first[middle] <= code) low = middle; else high = middle;\n",
              "  }\n", "  const int64_t d = code - ", name, "_first[low];\n",
              "  int64_t y = ", name, "_b[low] * d + ", name, "_c[low];\n");
  if (pieces.degree == 2) {
    text += str("  y += (", name, "_a[low] * d * d) >> ", pieces.square_bits, ";\n");
  }
  text += str("  y = (y + ", int64_t{1} << (pieces.shift - 1), ") >> ", pieces.shift, ";\n",
              "  if (y < ", pieces.out.first(), ") y = ", pieces.out.first(), ";\n", "  if (y > ",
              pieces.out.last(), ") y = ", pieces.out.last(), ";\n", "  return (", out, ")y;\n}\n");
  return text;
}

}  // namespace hone
