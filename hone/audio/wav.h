// Sound files: RIFF/WAVE with 16-bit PCM, the form that every recorder and `sox` can write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "hone/base/result.h"

namespace hone {

struct Sound {
  int64_t rate = 0;            // Samples a second.
  std::vector<float> samples;  // -1 up to but without 1; two channels are averaged into one.
  int64_t channels = 1;        // That the file has.
};

// Samples as a microphone gives them: those of the file where that has one channel.
std::vector<int16_t> pcm_of(const Sound& sound);

// The bytes of a file of one channel.
std::string wav_text(std::span<const int16_t> samples, uint32_t rate);

// BadInput when the file is no WAVE, has no samples or lies about its sizes, Unsupported when it holds anything but
// one or two channels of 16-bit PCM. Chunks other than `fmt ` and `data` are passed over.
Result<Sound> read_wav(const std::filesystem::path& path);

// The same from the bytes of a file.
Result<Sound> parse_wav(std::span<const std::byte> file);

}  // namespace hone
