#include "hone/wire/sample_rows.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "hone/wire/npy.h"
#include "hone/wire/npy_header.h"

namespace hone {
namespace {

// NumPy itself refuses headers of more than 10000 bytes unless told otherwise.
constexpr size_t kLargestHeader = size_t{1} << 20;

Status read_at(int file, uint64_t offset, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return out_of_resource("cannot be read: ", std::strerror(errno));
    if (got == 0) return out_of_resource("ends at byte ", offset, ", it was longer when opened");
    bytes = bytes.subspan(static_cast<size_t>(got));
    offset += static_cast<uint64_t>(got);
  }
  return Done{};
}

Result<std::shared_ptr<const int>> open_file(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return bad_input(errno == ENOENT ? "no such file" : std::strerror(errno));
  return std::shared_ptr<const int>(new int(file), [](const int* held) {
    close(*held);
    delete held;
  });
}

Result<uint64_t> size_of(int file) {
  struct stat about = {};
  if (fstat(file, &about) != 0) return bad_input(std::strerror(errno));
  if (!S_ISREG(about.st_mode)) return bad_input("not a regular file");
  return static_cast<uint64_t>(about.st_size);
}

Result<NpyHeader> read_header(int file, uint64_t size) {
  std::string start(std::min<uint64_t>(size, kLargestHeader), '\0');
  HONE_RETURN_IF_ERROR(read_at(file, 0, std::as_writable_bytes(std::span(start))));
  return parse_npy_header(start);
}

// C++ knows only 0 and 1 as bool.
void clean_bools(std::span<std::byte> bytes) {
  for (std::byte& b : bytes) b = std::byte{b != std::byte{0}};
}

}  // namespace

Result<SampleRows> SampleRows::of(Tensor array, std::string name) {
  if (array.rank() < 1) return bad_input(name, ": is a scalar, expected [N, ...]");
  SampleRows rows;
  rows.name_ = std::move(name);
  rows.type_ = array.type();
  rows.array_ = std::move(array);
  return rows;
}

Result<SampleRows> SampleRows::open(const std::filesystem::path& path) {
  HONE_TRY(std::shared_ptr<const int> file, open_file(path).in(path.string()));
  HONE_TRY(const uint64_t size, size_of(*file).in(path.string()));
  HONE_TRY(const NpyHeader header, read_header(*file, size).in(path.string()));
  const bool turned = header.fortran_order && header.type.rank() > 1;
  if (turned || header.type.dtype == DType::String) {
    HONE_TRY(Tensor array, read_npy(path));
    return of(std::move(array), path.string());
  }
  HONE_RETURN_IF_ERROR(check_npy_size(header.type, size - header.data_at).in(path.string()));
  if (header.type.rank() < 1) return bad_input(path.string(), ": is a scalar, expected [N, ...]");
  SampleRows rows;
  rows.name_ = path.string();
  rows.type_ = header.type;
  rows.file_ = std::move(file);
  rows.data_at_ = header.data_at;
  return rows;
}

SampleRows SampleRows::made(std::string name, int64_t count, const TensorType& row, Make make) {
  SampleRows rows;
  rows.name_ = std::move(name);
  rows.type_ = row;
  rows.type_.shape.insert(rows.type_.shape.begin(), count);
  rows.make_ = std::move(make);
  return rows;
}

TensorType SampleRows::row_type() const {
  return {type_.dtype, Shape(type_.shape.begin() + 1, type_.shape.end())};
}

SampleRows SampleRows::pick(const std::vector<int64_t>& rows) const {
  auto picked = std::make_shared<std::vector<int64_t>>();
  for (const int64_t row : rows) {
    HONE_CHECK(row >= 0 && row < count(), "row ", row, " of ", count());
    picked->push_back(picked_ == nullptr ? row : (*picked_)[static_cast<size_t>(row)]);
  }
  SampleRows result = *this;
  result.type_.shape[0] = static_cast<int64_t>(rows.size());
  result.picked_ = std::move(picked);
  return result;
}

Result<Tensor> SampleRows::row(int64_t index) const {
  HONE_TRY(const Tensor one, rows(index, 1));
  return one.reshaped(row_type().shape);
}

Result<Tensor> SampleRows::rows(int64_t first, int64_t n) const {
  HONE_CHECK(first >= 0 && n >= 0 && n <= count() - first, "rows ", first, " + ", n, " of ",
             count());
  TensorType type = type_;
  type.shape[0] = n;
  Tensor result(type);
  if (picked_ == nullptr) {
    HONE_RETURN_IF_ERROR(read(first, n, 0, result));
    return result;
  }
  for (int64_t i = 0; i < n; ++i) {
    HONE_RETURN_IF_ERROR(read((*picked_)[static_cast<size_t>(first + i)], 1, i, result));
  }
  return result;
}

Status SampleRows::make(int64_t first, int64_t n, int64_t at, Tensor& result) const {
  for (int64_t i = 0; i < n; ++i) {
    HONE_TRY(const Tensor row, make_(first + i));
    HONE_CHECK(row.type() == row_type(), "a row of ", row.type(), " among rows of ", row_type());
    std::ranges::copy(
        row.bytes(),
        result.mutable_bytes().subspan(static_cast<size_t>(at + i) * row.bytes().size()).begin());
  }
  return Done{};
}

Status SampleRows::read(int64_t first, int64_t n, int64_t at, Tensor& result) const {
  if (make_) return make(first, n, at, result);
  if (type_.dtype == DType::String) {
    const int64_t width = elements(row_type().shape);
    const auto from = array_.data<std::string>().subspan(static_cast<size_t>(first * width));
    std::copy_n(from.begin(), n * width, result.mutable_data<std::string>().begin() + at * width);
    return Done{};
  }
  const uint64_t width = row_type().bytes();
  if (width == 0 || n == 0) return Done{};
  const std::span<std::byte> bytes = result.mutable_bytes().subspan(static_cast<size_t>(at) * width,
                                                                    static_cast<size_t>(n) * width);
  const uint64_t skipped = width * static_cast<uint64_t>(first);
  if (file_ == nullptr) {
    std::memcpy(bytes.data(), array_.bytes().data() + skipped, bytes.size());
    return Done{};
  }
  HONE_RETURN_IF_ERROR(read_at(*file_, data_at_ + skipped, bytes).in(name_));
  if (type_.dtype == DType::Bool) clean_bools(bytes);
  return Done{};
}

}  // namespace hone
