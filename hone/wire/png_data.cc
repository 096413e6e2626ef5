#include "hone/wire/png_data.h"

#include <png.h>
#include <zlib.h>

#include <array>
#include <memory>

namespace hone {
namespace {

using Bytes = std::span<const std::byte>;

constexpr size_t kSignature = 8;
constexpr size_t kChunkFrame = 12;  // Length, name and checksum around a chunk's data.

uint32_t big_endian(Bytes bytes) {
  uint32_t value = 0;
  for (const std::byte byte : bytes.first(4)) value = value << 8 | std::to_integer<uint32_t>(byte);
  return value;
}

uint64_t samples_of(int colour_type) {
  switch (colour_type) {
    case PNG_COLOR_TYPE_RGB:
      return 3;
    case PNG_COLOR_TYPE_RGB_ALPHA:
      return 4;
    case PNG_COLOR_TYPE_GRAY_ALPHA:
      return 2;
    default:
      return 1;
  }
}

// Each row begins with a byte that says how it is filtered.
uint64_t rows_bytes(uint64_t rows, uint64_t columns, uint64_t bits) {
  return rows == 0 || columns == 0 ? 0 : rows * (1 + (columns * bits + 7) / 8);
}

// `header` is the data of IHDR.
uint64_t unpacked_bytes(Bytes header) {
  const uint32_t width = big_endian(header), height = big_endian(header.subspan(4));
  const uint64_t bits =
      std::to_integer<uint64_t>(header[8]) * samples_of(std::to_integer<int>(header[9]));
  const bool interlaced = header[12] != std::byte{0};
  if (!interlaced) return rows_bytes(height, width, bits);
  uint64_t bytes = 0;
  for (uint32_t pass = 0; pass < 7; ++pass) {
    bytes += rows_bytes(PNG_PASS_ROWS(height, pass), PNG_PASS_COLS(width, pass), bits);
  }
  return bytes;
}

// Counts what comes out of a stream that is put in part by part.
class Unpacker {
 public:
  bool start() {
    started_ = inflateInit(&stream_) == Z_OK;
    return started_;
  }
  ~Unpacker() {
    if (started_) inflateEnd(&stream_);
  }

  // Until more than `most` came out, or the part is used up; false when the stream has ended, or is
  // damaged, of which whoever reads the picture tells.
  bool put(Bytes part, uint64_t most) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(part.data()));
    stream_.avail_in = static_cast<uInt>(part.size());
    do {
      stream_.next_out = out_.data();
      stream_.avail_out = static_cast<uInt>(out_.size());
      const int state = inflate(&stream_, Z_NO_FLUSH);
      count_ += out_.size() - stream_.avail_out;
      if (state != Z_OK) return false;
    } while (count_ <= most && (stream_.avail_in > 0 || stream_.avail_out == 0));
    return count_ <= most;
  }
  uint64_t count() const { return count_; }

 private:
  z_stream stream_{};
  bool started_ = false;
  uint64_t count_ = 0;
  std::array<Bytef, 1 << 15> out_;
};

}  // namespace

Status check_png_data(Bytes bytes) {
  const uint64_t expected = unpacked_bytes(bytes.subspan(kSignature + 8));
  const auto unpacker = std::make_unique<Unpacker>();
  if (!unpacker->start()) return out_of_resource("no memory to unpack PNG");
  for (Bytes rest = bytes.subspan(kSignature); rest.size() >= kChunkFrame;) {
    const uint64_t length = big_endian(rest);
    const bool is_data = big_endian(rest.subspan(4)) == 0x49444154;  // "IDAT"
    if (length > rest.size() - kChunkFrame) break;
    if (is_data && !unpacker->put(rest.subspan(8, length), expected)) break;
    rest = rest.subspan(kChunkFrame + length);
  }
  if (unpacker->count() <= expected) return Done{};
  return bad_input("damaged PNG: packs more than the ", expected,
                   " bytes that its header has pixels for");
}

}  // namespace hone
