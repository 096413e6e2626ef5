#include "hone/audio/wav.h"

#include <gtest/gtest.h>

#include <string>

namespace hone {
namespace {

std::string number(uint32_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 255);
  return text;
}

std::string chunk(const std::string& name, const std::string& data) {
  return name + number(static_cast<uint32_t>(data.size()), 4) + data +
         std::string(data.size() % 2, '\0');
}

struct Header {
  uint32_t coding = 1;
  uint32_t channels = 1;
  uint32_t rate = 16000;
  uint32_t block = 2;
  uint32_t bits = 16;
};

std::string format(const Header& h) {
  return chunk("fmt ", number(h.coding, 2) + number(h.channels, 2) + number(h.rate, 4) +
                           number(h.rate * h.block, 4) + number(h.block, 2) + number(h.bits, 2));
}

std::string wave(const std::string& chunks) {
  return chunk("RIFF", "WAVE" + chunks);
}

std::string samples(const std::vector<int>& values) {
  std::string data;
  for (const int value : values) data += number(static_cast<uint32_t>(value), 2);
  return data;
}

Result<Sound> parse(const std::string& file) {
  return parse_wav(std::as_bytes(std::span(file)));
}

std::string error(const std::string& file) {
  const Result<Sound> sound = parse(file);
  return sound.ok() ? "ok" : sound.error().message;
}

TEST(Wav, ReadsSamplesAndAveragesChannels) {
  const auto mono = parse(wave(format({}) + chunk("data", samples({0, 16384, -32768, 32767}))));
  ASSERT_TRUE(mono.ok()) << mono.error().message;
  EXPECT_EQ(mono->rate, 16000);
  EXPECT_EQ(mono->samples, (std::vector<float>{0, 0.5f, -1, 32767 / 32768.f}));
  const auto stereo = parse(wave(format({.channels = 2, .rate = 44100, .block = 4}) +
                                 chunk("data", samples({100, 300, -8192, 0}))));
  ASSERT_TRUE(stereo.ok()) << stereo.error().message;
  EXPECT_EQ(stereo->rate, 44100);
  EXPECT_EQ(stereo->samples, (std::vector<float>{200 / 32768.f, -0.125f}));
}

TEST(Wav, PassesOverOtherChunksAndTheirPadding) {
  const auto sound = parse(wave(chunk("LIST", "odd") + format({}) + chunk("junk", "") +
                                chunk("data", samples({1024})) + chunk("id3 ", "x")));
  ASSERT_TRUE(sound.ok()) << sound.error().message;
  EXPECT_EQ(sound->samples, (std::vector<float>{1 / 32.f}));
}

TEST(Wav, RefusesWhatItCannotRead) {
  const std::string data = chunk("data", samples({1}));
  EXPECT_EQ(error(""), "not a WAVE file: does not begin with RIFF....WAVE");
  EXPECT_EQ(error(chunk("RIFF", "AVI " + data)),
            "not a WAVE file: does not begin with RIFF....WAVE");
  EXPECT_EQ(error(wave("")), "has no chunk 'fmt '");
  EXPECT_EQ(error(wave(format({}))), "has no chunk 'data'");
  EXPECT_EQ(error(wave(data + format({}))), "chunk 'data' comes before chunk 'fmt '");
  EXPECT_EQ(error(wave(chunk("fmt ", "short!") + data)),
            "chunk 'fmt ' has 6 bytes, expected 16 or more");
  EXPECT_EQ(error(wave(format({.coding = 3, .block = 4, .bits = 32}) + data)),
            "holds 32-bit samples of coding 3, expected 16-bit PCM (coding 1)");
  EXPECT_EQ(error(wave(format({.channels = 6, .block = 12}) + data)),
            "has 6 channels, expected 1 or 2");
  EXPECT_EQ(error(wave(format({.rate = 0}) + data)), "claims a rate of 0 samples a second");
  EXPECT_EQ(error(wave(format({.block = 3}) + data)),
            "claims 3 bytes for a sample of all channels, expected 2");
  EXPECT_EQ(error(wave(format({}) + chunk("data", "odd"))),
            "chunk 'data' has 3 bytes, expected a multiple of 2");
}

// The longest form of a format, as recorders of many channels write it.
std::string extensible(uint32_t coding, uint32_t bits) {
  const std::string tail("\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71", 14);
  return chunk("fmt ", number(0xfffe, 2) + number(1, 2) + number(16000, 4) + number(32000, 4) +
                           number(bits / 8, 2) + number(bits, 2) + number(22, 2) + number(bits, 2) +
                           number(4, 4) + number(coding, 2) + tail);
}

TEST(Wav, ReadsTheLongFormOfAFormat) {
  const std::string data = chunk("data", samples({1024}));
  const auto sound = parse(wave(extensible(1, 16) + data));
  ASSERT_TRUE(sound.ok()) << sound.error().message;
  EXPECT_EQ(sound->samples, (std::vector<float>{1 / 32.f}));
  EXPECT_EQ(error(wave(extensible(3, 32) + data)),
            "holds 32-bit samples of coding 3, expected 16-bit PCM (coding 1)");
  std::string other = extensible(1, 16);
  other.back() = 'x';
  EXPECT_EQ(error(wave(other + data)),
            "holds 16-bit samples of coding 65534, expected 16-bit PCM (coding 1)");
}

TEST(Wav, RefusesFilesWithoutSamples) {
  EXPECT_EQ(error(wave(format({}) + chunk("data", ""))), "chunk 'data' has no samples");
  EXPECT_EQ(error(wave(format({}) + "data" + number(0xffffffff, 4) + samples({1}))),
            "a chunk claims 4294967295 bytes, but the file has 2 left");
}

TEST(Wav, ReadsWhatItWrites) {
  const std::vector<int16_t> given = {0, 1, -32768, 32767};
  const auto sound = parse(wav_text(given, 8000));
  ASSERT_TRUE(sound.ok()) << sound.error().message;
  EXPECT_EQ(sound->rate, 8000);
  EXPECT_EQ(sound->channels, 1);
  EXPECT_EQ(pcm_of(*sound), given);
}

TEST(Wav, EveryTruncationIsAnError) {
  const std::string file = wave(format({}) + chunk("data", samples({1, 2, 3})));
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_NE(error(file.substr(0, size)), "ok") << size;
  }
  EXPECT_EQ(error(file), "ok");
}

TEST(Wav, NamesTheFile) {
  const auto sound = read_wav("/no/such/clip.wav");
  ASSERT_FALSE(sound.ok());
  EXPECT_NE(sound.error().message.find("/no/such/clip.wav"), std::string::npos);
}

}  // namespace
}  // namespace hone
