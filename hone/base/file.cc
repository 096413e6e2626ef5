#include "hone/base/file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <system_error>

#include "hone/base/output_file.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

Result<uint64_t> size_of_regular_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return bad_input(path.string(), ": no such file");
  if (error) return bad_input(path.string(), ": ", error.message());
  if (status.type() != fs::file_type::regular) {
    return bad_input(path.string(), ": not a regular file");
  }
  const uint64_t size = fs::file_size(path, error);
  if (error) return bad_input(path.string(), ": ", error.message());
  return size;
}

}  // namespace

Result<SharedBytes> read_file_range(const fs::path& path, uint64_t offset, uint64_t size) {
  HONE_TRY(const uint64_t file_size, size_of_regular_file(path));
  if (offset > file_size || size > file_size - offset) {
    return bad_input(path.string(), ": bytes ", offset, " to ", offset, " + ", size,
                     " lie outside the file of ", file_size, " bytes");
  }
  auto buffer = std::make_shared_for_overwrite<std::byte[]>(size == 0 ? 1 : size);
  std::ifstream in(path, std::ios::binary);
  if (!in) return bad_input(path.string(), ": ", std::strerror(errno));
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(reinterpret_cast<char*>(buffer.get()), static_cast<std::streamsize>(size));
  if (!in || static_cast<uint64_t>(in.gcount()) != size) {
    return bad_input(path.string(), ": read failed");
  }
  const std::span<const std::byte> bytes(buffer.get(), size);
  return SharedBytes{std::move(buffer), bytes};
}

Result<SharedBytes> read_file(const fs::path& path) {
  HONE_TRY(const uint64_t size, size_of_regular_file(path));
  return read_file_range(path, 0, size);
}

Status write_file(const fs::path& path, std::string_view bytes) {
  HONE_TRY(OutputFile file, OutputFile::open(path));
  HONE_RETURN_IF_ERROR(file.write(bytes));
  return file.commit();
}

Status make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return out_of_resource(path.string(), ": cannot be made: ", error.message());
  return Done{};
}

}  // namespace hone
