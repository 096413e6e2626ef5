#include "hone/wire/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/base/file.h"
#include "hone/tensor/dispatch.h"

namespace hone {

static_assert(std::endian::native == std::endian::little, "arrays are read as they are stored");

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// The header is padded so that the data starts at a multiple of this (format specification).
constexpr size_t kDataAlignment = 64;

struct NpyRow {
  DType dtype;
  std::string_view descr;
};

constexpr NpyRow kRows[] = {
    {DType::F32, "<f4"}, {DType::F64, "<f8"}, {DType::F16, "<f2"}, {DType::I8, "|i1"},
    {DType::I16, "<i2"}, {DType::I32, "<i4"}, {DType::I64, "<i8"}, {DType::U8, "|u1"},
    {DType::U16, "<u2"}, {DType::U32, "<u4"}, {DType::U64, "<u8"}, {DType::Bool, "|b1"},
};

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

// The header is a Python dictionary of three known keys; this reads just that much of Python.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  Result<NpyHeader> parse() {
    NpyHeader header;
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

  Status value_of(const std::string& key, NpyHeader& header) {
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
  if (!file.starts_with(kMagic) || file.size() < kMagic.size() + 4) {
    return bad_input("not a .npy file");
  }
  const int version = file[kMagic.size()];
  if (version < 1 || version > 3) return unsupported("version ", version, " of .npy is not known");
  const size_t size_bytes = version == 1 ? 2 : 4;
  const size_t start = kMagic.size() + 2 + size_bytes;
  if (file.size() < start) return bad_input("not a .npy file: ends in the header");
  const size_t size = little_endian(file, kMagic.size() + 2, size_bytes);
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

void append_utf8(char32_t code, std::string& text) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(static_cast<uint8_t>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 63));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 63));
    put(0x80 | (code & 63));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 63));
    put(0x80 | (code >> 6 & 63));
    put(0x80 | (code & 63));
  }
}

// Fixed-width text without the zeros that fill it up.
Result<std::string> unicode_text(std::span<const std::byte> bytes) {
  std::u32string codes(bytes.size() / 4, U'\0');
  if (!codes.empty()) std::memcpy(codes.data(), bytes.data(), codes.size() * 4);
  codes.resize(codes.find_last_not_of(U'\0') + 1);
  std::string text;
  for (const char32_t code : codes) {
    if (code > 0x10FFFF) return bad_input("holds a character that unicode does not have");
    append_utf8(code, text);
  }
  return text;
}

std::string bytes_text(std::span<const std::byte> bytes) {
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

Error wrong_size(size_t found, uint64_t expected, const TensorType& type) {
  return bad_input("holds ", found, " bytes of data, expected ", expected, " for ", text_of(type));
}

Result<Tensor> read_strings(const TensorType& type, const Descr& descr,
                            std::span<const std::byte> data) {
  const uint64_t unit = descr.kind == 'U' ? 4 : 1;
  const auto count = static_cast<uint64_t>(type.elements());
  uint64_t width = 0;
  uint64_t expected = 0;
  if (__builtin_mul_overflow(descr.size, unit, &width) ||
      __builtin_mul_overflow(width, count, &expected) || expected != data.size()) {
    return bad_input("does not hold ", count, " strings of ", descr.size, " characters");
  }
  // Strings of no characters take no bytes, so the file's size does not bound their number.
  if (width == 0 && count > kLargestTensorBytes >> 10) {
    return bad_input("claims ", count, " empty strings");
  }
  Tensor tensor(type);
  std::span<std::string> strings = tensor.mutable_data<std::string>();
  for (size_t i = 0; i < strings.size(); ++i) {
    const std::span<const std::byte> bytes = data.subspan(i * width, width);
    if (descr.kind == 'U') {
      HONE_TRY(strings[i], unicode_text(bytes));
    } else {
      strings[i] = bytes_text(bytes);
    }
  }
  return tensor;
}

Result<Tensor> read_numbers(const TensorType& type, SharedBytes data) {
  if (data.bytes.size() != type.bytes()) {
    return wrong_size(data.bytes.size(), type.bytes(), type);
  }
  HONE_TRY(Tensor tensor, Tensor::view(type, data));
  // C++ knows only 0 and 1 as bool.
  const auto dirty = [](std::byte b) { return std::to_integer<int>(b) > 1; };
  if (type.dtype == DType::Bool && std::ranges::any_of(tensor.bytes(), dirty)) {
    for (std::byte& b : tensor.mutable_bytes()) b = std::byte{b != std::byte{0}};
  }
  return tensor;
}

// The elements of a tensor stored first axis fastest, in row-major order. `shape` is the true one.
Tensor from_fortran_order(const Tensor& stored, const Shape& shape) {
  Tensor result(TensorType{stored.dtype(), shape});
  std::vector<size_t> strides(shape.size());
  size_t stride = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    strides[axis] = stride;
    stride *= static_cast<size_t>(shape[axis]);
  }
  dispatch_by_size(stored.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* in = raw<T>(stored);
    T* out = mutable_raw<T>(result);
    std::vector<int64_t> index(shape.size());
    size_t from = 0;
    for (int64_t i = 0; i < result.elements(); ++i) {
      *out++ = in[from];
      for (size_t axis = shape.size(); axis-- > 0;) {
        from += strides[axis];
        if (++index[axis] < shape[axis]) break;
        from -= strides[axis] * static_cast<size_t>(shape[axis]);
        index[axis] = 0;
      }
    }
  });
  return result;
}

Result<Tensor> parse_npy(const SharedBytes& file) {
  const std::string_view text(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  HONE_TRY(const NpyText parts, split(text));
  HONE_TRY(const NpyHeader header, HeaderParser(parts.header).parse());
  HONE_TRY(const Descr descr, parse_descr(header.descr));
  const bool strings = descr.kind == 'U' || descr.kind == 'S';
  const TensorType type{strings ? DType::String : number_type(descr), header.shape};
  if (type.dtype == DType::Undefined) {
    return unsupported("element type '", header.descr, "' is not supported");
  }
  HONE_RETURN_IF_ERROR(type.check());
  const SharedBytes data{file.owner, file.bytes.subspan(parts.data_at)};
  HONE_TRY(const Tensor tensor,
           strings ? read_strings(type, descr, data.bytes) : read_numbers(type, data));
  if (!header.fortran_order || type.rank() < 2) return tensor;
  return from_fortran_order(tensor, header.shape);
}

// What an error quotes from the file may be anything; a message is one printable line.
Error printable(Error error) {
  std::ranges::replace_if(
      error.message, [](char c) { return c < ' ' || c > '~'; }, '?');
  return error;
}

std::string header_text(std::string_view descr, const Shape& shape) {
  std::string text = str("{'descr': '", descr, "', 'fortran_order': False, 'shape': (", join(shape),
                         shape.size() == 1 ? ",), }" : "), }");
  const size_t start = kMagic.size() + 4;
  const size_t unpadded = start + text.size() + 1;
  text.append((kDataAlignment - unpadded % kDataAlignment) % kDataAlignment, ' ');
  text += '\n';
  std::string header(kMagic);
  header += {'\x01', '\x00', static_cast<char>(text.size() & 255),
             static_cast<char>(text.size() >> 8 & 255)};
  return header + text;
}

// The code points of UTF-8 text, or nothing when it is not UTF-8.
std::optional<std::u32string> decode_utf8(std::string_view text) {
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  std::u32string codes;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<uint8_t>(text[i]);
    const int ones = std::countl_one(lead);
    const size_t size = ones == 0 ? 1 : static_cast<size_t>(ones);
    if (ones == 1 || size > 4 || size > text.size() - i) return std::nullopt;
    char32_t code = ones == 0 ? lead : lead & (0x7Fu >> size);
    for (size_t k = 1; k < size; ++k) {
      const auto byte = static_cast<uint8_t>(text[i + k]);
      if ((byte & 0xC0) != 0x80) return std::nullopt;
      code = code << 6 | (byte & 0x3F);
    }
    // Longer than needed, beyond unicode, or half of a surrogate pair.
    if (code < kSmallest[size] || code > 0x10FFFF || (code >> 11) == 0x1B) return std::nullopt;
    codes += code;
    i += size;
  }
  return codes;
}

Result<std::string> unicode_file(const Tensor& tensor) {
  std::vector<std::u32string> rows;
  size_t width = 1;  // NumPy has no strings of width 0 in files.
  for (const std::string& text : tensor.data<std::string>()) {
    std::optional<std::u32string> codes = decode_utf8(text);
    if (!codes) return bad_input("a string is not UTF-8");
    if (text.ends_with('\0')) return bad_input("a string ends in a zero, which .npy cannot keep");
    width = std::max(width, codes->size());
    rows.push_back(*std::move(codes));
  }
  std::string file = header_text(str("<U", width), tensor.shape());
  for (std::u32string& row : rows) {
    row.resize(width);
    file.append(reinterpret_cast<const char*>(row.data()), width * 4);
  }
  return file;
}

template <class To, class Values>
Tensor widened(const Tensor& tensor, const Values& values) {
  Tensor wide(TensorType{kDTypeOf<To>, tensor.shape()});
  std::ranges::transform(values, wide.mutable_data<To>().begin(),
                         [](auto v) { return static_cast<To>(v); });
  return wide;
}

// The same values in a type that NumPy has.
Tensor in_numpy_type(const Tensor& tensor) {
  if (tensor.dtype() == DType::I4) return widened<int8_t>(tensor, unpack_int4(tensor));
  if (tensor.dtype() == DType::U4) return widened<uint8_t>(tensor, unpack_int4(tensor));
  if (tensor.dtype() == DType::BF16 || kFloat8.contains(tensor.dtype())) {
    return widened<float>(tensor, to_doubles(tensor));
  }
  return tensor;
}

std::string number_file(const Tensor& tensor) {
  const auto* row = std::ranges::find(kRows, tensor.dtype(), &NpyRow::dtype);
  HONE_CHECK(row != std::end(kRows), "no .npy type for ", tensor.dtype());
  std::string file = header_text(row->descr, tensor.shape());
  const std::span<const std::byte> bytes = tensor.bytes();
  return file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

Result<Tensor> read_npy(const std::filesystem::path& path) {
  HONE_TRY(const SharedBytes file, read_file(path));
  Result<Tensor> tensor = parse_npy(file);
  if (!tensor.ok()) return printable(std::move(tensor).error()).in(path.string());
  return tensor;
}

Status write_npy(const Tensor& tensor, const std::filesystem::path& path) {
  if (tensor.dtype() != DType::String) return write_file(path, number_file(in_numpy_type(tensor)));
  HONE_TRY(const std::string file, unicode_file(tensor).in(path.string()));
  return write_file(path, file);
}

}  // namespace hone
