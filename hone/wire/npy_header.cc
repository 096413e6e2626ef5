#include "hone/wire/npy_header.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace hone {
namespace {

struct NpyRow {
  DType dtype;
  std::string_view descr;
};

constexpr NpyRow kRows[] = {
    {DType::F32, "<f4"}, {DType::F64, "<f8"}, {DType::F16, "<f2"}, {DType::I8, "|i1"},
    {DType::I16, "<i2"}, {DType::I32, "<i4"}, {DType::I64, "<i8"}, {DType::U8, "|u1"},
    {DType::U16, "<u2"}, {DType::U32, "<u4"}, {DType::U64, "<u8"}, {DType::Bool, "|b1"},
};

// The header's three entries as they are written.
struct Entries {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

// The header is a Python dictionary of three known keys; this reads just that much of Python.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  Result<Entries> parse() {
    Entries header;
    if (!take('{')) return unexpected("'{'");
    while (!take('}')) {
      HONE_TRY(const std::string key, quoted());
      if (!take(':')) return unexpected("':'");
      HONE_RETURN_IF_ERROR(value_of(key, header));
      if (!take(',') && next() != '}') return unexpected("',' or '}'");
    }
    if (next() != '\0') return unexpected("the end");
    if (seen_ != kAllSeen) return bad_input("header lacks descr, fortran_order or shape");
    return header;
  }

 private:
  enum Seen { kDescr = 1, kOrder = 2, kShape = 4, kAllSeen = 7 };

  Status value_of(const std::string& key, Entries& header) {
    if (key == "descr") {
      if (next() == '[') return unsupported("structured arrays are not supported");
      seen_ |= kDescr;
      HONE_TRY(header.descr, quoted());
    } else if (key == "fortran_order") {
      seen_ |= kOrder;
      header.fortran_order = take_word("True");
      if (!header.fortran_order && !take_word("False")) return unexpected("True or False");
    } else if (key == "shape") {
      seen_ |= kShape;
      HONE_TRY(header.shape, tuple());
    } else {
      return bad_input("header has an unknown key '", key, "'");
    }
    return Done{};
  }

  Result<Shape> tuple() {
    Shape shape;
    if (!take('(')) return unexpected("'('");
    while (!take(')')) {
      HONE_TRY(const int64_t extent, integer());
      shape.push_back(extent);
      if (!take(',') && next() != ')') return unexpected("',' or ')'");
    }
    return shape;
  }

  Result<int64_t> integer() {
    next();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < 0) return unexpected("an extent");
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    take('L');  // Python 2 wrote long integers so.
    return value;
  }

  Result<std::string> quoted() {
    const char quote = next();
    if (quote != '\'' && quote != '"') return unexpected("a string");
    const size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return unexpected("a string that ends");
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  // The next character that is not blank, '\0' at the end.
  char next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size()));
    return rest_.empty() ? '\0' : rest_.front();
  }

  bool take(char expected) {
    if (next() != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool take_word(std::string_view word) {
    next();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  Error unexpected(std::string_view expected) {
    return bad_input("header has '", rest_.substr(0, 16), "' where ", expected, " is expected");
  }

  std::string_view rest_;
  int seen_ = 0;
};

// A number of `size` bytes, lowest first, at `at`.
size_t little_endian(std::string_view text, size_t at, size_t size) {
  size_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<uint8_t>(text[at + i]);
  return value;
}

struct NpyText {
  std::string_view header;
  size_t data_at = 0;
};

Result<NpyText> split(std::string_view file) {
  if (!file.starts_with(kNpyMagic) || file.size() < kNpyMagic.size() + 4) {
    return bad_input("not a .npy file");
  }
  const int version = file[kNpyMagic.size()];
  if (version < 1 || version > 3) return unsupported("version ", version, " of .npy is not known");
  const size_t size_bytes = version == 1 ? 2 : 4;
  const size_t start = kNpyMagic.size() + 2 + size_bytes;
  if (file.size() < start) return bad_input("not a .npy file: ends in the header");
  const size_t size = little_endian(file, kNpyMagic.size() + 2, size_bytes);
  if (size > file.size() - start) return bad_input("not a .npy file: ends in the header");
  return NpyText{file.substr(start, size), start + size};
}

// descr split into what it is made of: "<U12" -> '<', 'U', 12.
struct Descr {
  char order = '\0';
  char kind = '\0';
  uint64_t size = 0;
};

Result<Descr> parse_descr(const std::string& text) {
  Descr descr;
  const char* end = text.data() + text.size();
  const bool long_enough = text.size() >= 3;
  const auto [stop, error] = std::from_chars(text.data() + (long_enough ? 2 : 0), end, descr.size);
  if (!long_enough || error != std::errc() || stop != end) {
    return unsupported("element type '", text, "' is not supported");
  }
  descr.order = text[0];
  descr.kind = text[1];
  if (descr.order == '>' && descr.size > 1) {
    return unsupported("big-endian element type '", text, "' is not supported");
  }
  return descr;
}

DType number_type(const Descr& descr) {
  for (const NpyRow& row : kRows) {
    if (row.descr[1] == descr.kind && static_cast<uint64_t>(row.descr[2] - '0') == descr.size) {
      return row.dtype;
    }
  }
  return DType::Undefined;
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view start) {
  HONE_TRY(const NpyText parts, split(start));
  HONE_TRY(const Entries entries, HeaderParser(parts.header).parse());
  HONE_TRY(const Descr descr, parse_descr(entries.descr));
  NpyHeader header;
  const bool strings = descr.kind == 'U' || descr.kind == 'S';
  header.type = {strings ? DType::String : number_type(descr), entries.shape};
  if (header.type.dtype == DType::Undefined) {
    return unsupported("element type '", entries.descr, "' is not supported");
  }
  HONE_RETURN_IF_ERROR(header.type.check());
  if (strings) {
    header.text_kind = descr.kind;
    header.text_width = descr.size;
  }
  header.fortran_order = entries.fortran_order;
  header.data_at = parts.data_at;
  return header;
}

Status check_npy_size(const TensorType& type, uint64_t data_bytes) {
  if (data_bytes == type.bytes()) return Done{};
  return bad_input("holds ", data_bytes, " bytes of data, expected ", type.bytes(), " for ",
                   text_of(type));
}

std::string_view npy_descr(DType dtype) {
  const auto* row = std::ranges::find(kRows, dtype, &NpyRow::dtype);
  HONE_CHECK(row != std::end(kRows), "no .npy type for ", dtype);
  return row->descr;
}

}  // namespace hone
