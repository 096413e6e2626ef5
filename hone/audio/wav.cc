#include "hone/audio/wav.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "hone/base/file.h"

namespace hone {
namespace {

constexpr uint32_t kPcm = 1;
constexpr uint32_t kExtensible = 0xfffe;
// What the identity of a coding ends in, behind the number of it.
constexpr std::string_view kCodingTail("\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71", 14);
constexpr uint32_t kBytesPerSample = 2;
constexpr float kFullScale = 32768;

struct Format {
  uint32_t channels = 0;
  uint32_t rate = 0;
};

// A number of `size` bytes, lowest first.
uint32_t little_endian(std::span<const std::byte> bytes, size_t at, size_t size) {
  uint32_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | std::to_integer<uint32_t>(bytes[at + i]);
  return value;
}

std::string_view name_at(std::span<const std::byte> bytes, size_t at) {
  return {reinterpret_cast<const char*>(bytes.data()) + at, 4};
}

// Of a format in its longest form it stands further on.
uint32_t coding_of(std::span<const std::byte> chunk) {
  const uint32_t coding = little_endian(chunk, 0, 2);
  if (coding != kExtensible || chunk.size() < 40) return coding;
  const std::string_view tail(reinterpret_cast<const char*>(chunk.data()) + 26, 14);
  return tail == kCodingTail ? little_endian(chunk, 24, 2) : coding;
}

Result<Format> parse_format(std::span<const std::byte> chunk) {
  if (chunk.size() < 16) {
    return bad_input("chunk 'fmt ' has ", chunk.size(), " bytes, expected 16 or more");
  }
  const uint32_t coding = coding_of(chunk);
  const Format format{little_endian(chunk, 2, 2), little_endian(chunk, 4, 4)};
  const uint32_t block = little_endian(chunk, 12, 2);
  const uint32_t bits = little_endian(chunk, 14, 2);
  if (coding != kPcm || bits != 8 * kBytesPerSample) {
    return unsupported("holds ", bits, "-bit samples of coding ", coding,
                       ", expected 16-bit PCM (coding 1)");
  }
  if (format.channels < 1 || format.channels > 2) {
    return unsupported("has ", format.channels, " channels, expected 1 or 2");
  }
  if (format.rate == 0) return bad_input("claims a rate of 0 samples a second");
  if (block != format.channels * kBytesPerSample) {
    return bad_input("claims ", block, " bytes for a sample of all channels, expected ",
                     format.channels * kBytesPerSample);
  }
  return format;
}

Result<Sound> parse_samples(std::span<const std::byte> data, const Format& format) {
  const size_t block = format.channels * kBytesPerSample;
  if (data.empty()) return bad_input("chunk 'data' has no samples");
  if (data.size() % block != 0) {
    return bad_input("chunk 'data' has ", data.size(), " bytes, expected a multiple of ", block);
  }
  Sound sound{.rate = format.rate, .samples = {}, .channels = format.channels};
  sound.samples.reserve(data.size() / block);
  for (size_t at = 0; at < data.size(); at += block) {
    float sum = 0;
    for (size_t i = at; i < at + block; i += kBytesPerSample) {
      sum += static_cast<float>(static_cast<int16_t>(little_endian(data, i, kBytesPerSample)));
    }
    sound.samples.push_back(sum / (kFullScale * static_cast<float>(format.channels)));
  }
  return sound;
}

std::string bytes_of(uint32_t value, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

}  // namespace

std::string wav_text(std::span<const int16_t> samples, uint32_t rate) {
  const auto size = static_cast<uint32_t>(samples.size() * kBytesPerSample);
  std::string text = str("RIFF", bytes_of(size + 36, 4), "WAVEfmt ", bytes_of(16, 4),
                         bytes_of(kPcm, 2), bytes_of(1, 2), bytes_of(rate, 4),
                         bytes_of(rate * kBytesPerSample, 4), bytes_of(kBytesPerSample, 2),
                         bytes_of(8 * kBytesPerSample, 2), "data", bytes_of(size, 4));
  for (const int16_t sample : samples) text += bytes_of(static_cast<uint16_t>(sample), 2);
  return text;
}

std::vector<int16_t> pcm_of(const Sound& sound) {
  std::vector<int16_t> samples;
  samples.reserve(sound.samples.size());
  for (const float sample : sound.samples) {
    samples.push_back(static_cast<int16_t>(std::lround(sample * kFullScale)));
  }
  return samples;
}

Result<Sound> parse_wav(std::span<const std::byte> file) {
  if (file.size() < 12 || name_at(file, 0) != "RIFF" || name_at(file, 8) != "WAVE") {
    return bad_input("not a WAVE file: does not begin with RIFF....WAVE");
  }
  std::optional<Format> format;
  for (size_t at = 12; file.size() - at >= 8;) {
    const std::string_view name = name_at(file, at);
    const size_t size = little_endian(file, at + 4, 4);
    at += 8;
    if (size > file.size() - at) {
      return bad_input("a chunk claims ", size, " bytes, but the file has ", file.size() - at,
                       " left");
    }
    const std::span<const std::byte> chunk = file.subspan(at, size);
    if (name == "fmt ") {
      HONE_TRY(format, parse_format(chunk));
    } else if (name == "data") {
      if (!format) return bad_input("chunk 'data' comes before chunk 'fmt '");
      return parse_samples(chunk, *format);
    }
    at = std::min(at + size + size % 2, file.size());  // Chunks begin at even places.
  }
  return bad_input("has no chunk '", format ? "data" : "fmt ", "'");
}

Result<Sound> read_wav(const std::filesystem::path& path) {
  HONE_TRY(const SharedBytes file, read_file(path));
  return parse_wav(file.bytes).in(path.string());
}

}  // namespace hone
