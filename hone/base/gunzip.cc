#include "hone/base/gunzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "hone/base/text.h"

namespace hone {
namespace {

constexpr size_t kChunk = size_t{1} << 20;
constexpr int kGzipOnly = 16;  // Added to the bits of the window: no zlib stream without a header.

struct EndInflate {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

Result<std::string> gunzip(std::string_view bytes, size_t most) {
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + kGzipOnly) != Z_OK) {
    return out_of_resource("no memory to unpack gzip");
  }
  const std::unique_ptr<z_stream, EndInflate> end(&stream);
  std::string text;
  for (int state = Z_OK; state != Z_STREAM_END || !bytes.empty();) {
    // One file may follow the other, as `cat a.gz b.gz` makes them.
    if (state == Z_STREAM_END && inflateReset(&stream) != Z_OK) break;
    const size_t before = text.size();
    text.resize(before + kChunk);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in =
        static_cast<uInt>(std::min<size_t>(bytes.size(), std::numeric_limits<uInt>::max()));
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + before);
    stream.avail_out = kChunk;
    const uInt given = stream.avail_in;
    state = inflate(&stream, Z_NO_FLUSH);
    bytes.remove_prefix(given - stream.avail_in);
    text.resize(before + kChunk - stream.avail_out);
    if (state != Z_OK && state != Z_STREAM_END) {
      return bad_input(state == Z_BUF_ERROR ? "the gzip file is cut off"
                                            : "the gzip file is damaged");
    }
    if (text.size() > most) {
      return bad_input("more than ", human_bytes(most), " are packed in the gzip file");
    }
  }
  return text;
}

}  // namespace hone
