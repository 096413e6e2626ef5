#include "hone/wire/npy.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/peek_file.h"
#include "hone/base/printable.h"
#include "hone/tensor/dispatch.h"
#include "hone/wire/npy_header.h"

namespace hone {

static_assert(std::endian::native == std::endian::little, "arrays are read as they are stored");

namespace {

// The header is padded so that the data starts at a multiple of this (format specification).
constexpr size_t kDataAlignment = 64;
// Spaces behind the header beyond those that align the data: NumPy leaves no more than 84. They say
// whose file it is (cli/output_paths) in a form that every reader takes.
constexpr size_t kMarkSpaces = 128;

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

Result<Tensor> read_strings(const NpyHeader& header, std::span<const std::byte> data) {
  const uint64_t unit = header.text_kind == 'U' ? 4 : 1;
  const auto count = static_cast<uint64_t>(header.type.elements());
  uint64_t width = 0;
  uint64_t expected = 0;
  if (__builtin_mul_overflow(header.text_width, unit, &width) ||
      __builtin_mul_overflow(width, count, &expected) || expected != data.size()) {
    return bad_input("does not hold ", count, " strings of ", header.text_width, " characters");
  }
  // Strings of no characters take no bytes, so the file's size does not bound their number.
  if (width == 0 && count > kLargestTensorBytes >> 10) {
    return bad_input("claims ", count, " empty strings");
  }
  Tensor tensor(header.type);
  std::span<std::string> strings = tensor.mutable_data<std::string>();
  for (size_t i = 0; i < strings.size(); ++i) {
    const std::span<const std::byte> bytes = data.subspan(i * width, width);
    if (header.text_kind == 'U') {
      HONE_TRY(strings[i], unicode_text(bytes));
    } else {
      strings[i] = bytes_text(bytes);
    }
  }
  return tensor;
}

Result<Tensor> read_numbers(const TensorType& type, SharedBytes data) {
  HONE_RETURN_IF_ERROR(check_npy_size(type, data.bytes.size()));
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
  HONE_TRY(const NpyHeader header, parse_npy_header(text));
  const SharedBytes data{file.owner, file.bytes.subspan(header.data_at)};
  HONE_TRY(const Tensor tensor, header.type.dtype == DType::String
                                    ? read_strings(header, data.bytes)
                                    : read_numbers(header.type, data));
  if (!header.fortran_order || tensor.rank() < 2) return tensor;
  return from_fortran_order(tensor, header.type.shape);
}

std::string header_text(std::string_view descr, const Shape& shape) {
  std::string text = str("{'descr': '", descr, "', 'fortran_order': False, 'shape': (", join(shape),
                         shape.size() == 1 ? ",), }" : "), }");
  const size_t start = kNpyMagic.size() + 4;
  const size_t unpadded = start + text.size() + 1;
  text.append(kMarkSpaces + (kDataAlignment - unpadded % kDataAlignment) % kDataAlignment, ' ');
  text += '\n';
  std::string header(kNpyMagic);
  header += {'\x01', '\x00', static_cast<char>(text.size() & 255),
             static_cast<char>(text.size() >> 8 & 255)};
  return header + text;
}

// The code points of UTF-8 text, or nothing when it is not UTF-8.
std::optional<std::u32string> decode_utf8(std::string_view text) {
  std::u32string codes;
  while (!text.empty()) {
    const std::optional<Utf8Character> character = first_character(text);
    if (!character) return std::nullopt;
    codes += character->code;
    text.remove_prefix(character->bytes);
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
  const DType dtype = tensor.dtype();
  if (dtype == DType::I2 || dtype == DType::I4) {
    return widened<int8_t>(tensor, unpack_small(tensor));
  }
  if (dtype == DType::U2 || dtype == DType::U4) {
    return widened<uint8_t>(tensor, unpack_small(tensor));
  }
  if (dtype == DType::BF16 || (kFloat8 | kFloat4).contains(dtype)) {
    return widened<float>(tensor, to_doubles(tensor));
  }
  return tensor;
}

std::string number_file(const Tensor& tensor) {
  std::string file = header_text(npy_descr(tensor.dtype()), tensor.shape());
  const std::span<const std::byte> bytes = tensor.bytes();
  return file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

Result<Tensor> read_npy(const std::filesystem::path& path) {
  HONE_TRY(const SharedBytes start, read_file_start(path, kNpyMagic.size()));
  const std::string_view magic(reinterpret_cast<const char*>(start.bytes.data()),
                               start.bytes.size());
  if (magic != kNpyMagic) return bad_input(path.string(), ": not a .npy file");
  HONE_TRY(const SharedBytes file, read_file(path));
  return parse_npy(file).in(path.string());
}

Status write_npy(const Tensor& tensor, const std::filesystem::path& path) {
  if (tensor.dtype() != DType::String) return write_file(path, number_file(in_numpy_type(tensor)));
  HONE_TRY(const std::string file, unicode_file(tensor).in(path.string()));
  return write_file(path, file);
}

}  // namespace hone
