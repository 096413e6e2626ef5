#include "hone/audio/mfcc_c.h"

#include <algorithm>

#include "hone/audio/c_files.h"
#include "hone/base/check.h"
#include "hone/base/str.h"
#include "hone/base/version.h"

namespace hone {
namespace {

constexpr size_t kLineWidth = 100;

constexpr size_t kVectorWords = 32;
constexpr size_t kVectorPoints = 16 * kVectorWords;  // Of the transform in spectrum_hvx.c.

// `aligned` is empty, or an attribute behind a space.
template <class Number>
std::string array_text(std::string_view type, std::string_view name,
                       const std::vector<Number>& values, std::string_view aligned = "") {
  std::string text =
      str("static const ", type, " ", name, "[", values.size(), "]", aligned, " = {");
  std::string line = "\n   ";
  for (const Number value : values) {
    const std::string number = str(" ", +value, ",");
    if (line.size() + number.size() > kLineWidth) {
      text += line;
      line = "\n   ";
    }
    line += number;
  }
  return text + line + "\n};\n";
}

template <class Number>
std::string constant(std::string_view name, Number value) {
  return str("#define HONE_MFCC_", name, " ", value, "\n");
}

std::string constants_text(const FixedMfccTables& tables, const FeatureBytes& bytes) {
  const int point = 15 + tables.sample_bits;
  return constant("FRAME", tables.frame) + constant("POINTS", tables.points) +
         constant("BANDS", tables.bands) + constant("COEFFICIENTS", tables.coefficients) +
         constant("FIRST_BIN", tables.first_bin) + constant("BINS", tables.band.size()) +
         constant("WINDOW_SHIFT", 15 - tables.sample_bits) +
         constant("FLOOR", str(tables.floor, "u")) + constant("POINT", point << 16) +
         constant("COSINE_SHIFT", tables.cosine_bits + 16 - tables.coefficient_bits) +
         constant("MULTIPLIER", bytes.multiplier) + constant("SHIFT", bytes.shift) +
         constant("ZERO_POINT", str("(", bytes.zero_point, ")"));
}

constexpr std::string_view kAligned = " __attribute__((aligned(128)))";

// Words, of samples that are not there 0: the whole of what is written as its half for words.
std::vector<int32_t> whole_window(const FixedMfccTables& tables) {
  std::vector<int32_t> window(tables.points);
  for (size_t i = 0; i < tables.frame; ++i) {
    window[i] = tables.window[i <= tables.frame / 2 ? i : tables.frame - i];
  }
  return window;
}

// Of every step that turns whole rows and of every row of a block: 32 sines, 32 cosines. Neighbours have the same angle.
std::vector<int32_t> turns_of_rows(const FixedMfccTables& tables) {
  std::vector<int32_t> turns;
  for (size_t half = 1; half < 16; half *= 2) {
    for (size_t row = 0; row < half; ++row) {
      for (const size_t quarter : {size_t{0}, tables.points / 4}) {
        for (size_t i = 0; i < kVectorWords; ++i) {
          turns.push_back(tables.sine[quarter + (i / 2 + 16 * row) * (16 / half)]);
        }
      }
    }
  }
  return turns;
}

std::string spectrum_tables(const FixedMfccTables& tables, MfccUnit unit) {
  if (unit == MfccUnit::Words) {
    return array_text("uint16_t", "hone_mfcc_window", tables.window) +
           array_text("int32_t", "hone_mfcc_sine", tables.sine);
  }
  return array_text("int32_t", "hone_mfcc_window", whole_window(tables), kAligned) +
         array_text("int32_t", "hone_mfcc_sine", tables.sine, kAligned) +
         array_text("int32_t", "hone_mfcc_turns", turns_of_rows(tables), kAligned);
}

std::string_view file_text(std::string_view name) {
  const auto found = std::ranges::find(audio_c_files(), name, &EmbeddedFile::name);
  HONE_CHECK(found != audio_c_files().end(), "no part '", name, "' of the front end in C");
  return found->text;
}

// The kernels' own arithmetic, of which nothing is used here, wants to be told how it rounds.
constexpr std::string_view kVectors =
    "#ifndef HONE_ROUNDING\n#define HONE_ROUNDING 1\n#endif\n#include "
    "\"network/hone_kernels.h\"\n\n";

}  // namespace

bool has_mfcc_vectors(const FixedMfccTables& tables) {
  return tables.points == kVectorPoints && tables.frame % kVectorWords == 0 &&
         tables.first_bin + tables.band.size() <= kVectorPoints / 2;
}

std::string mfcc_c(const FixedMfcc& mfcc, const FeatureBytes& bytes, MfccUnit unit) {
  const FixedMfccTables& tables = mfcc.tables();
  const bool vectors = unit == MfccUnit::Vectors;
  HONE_CHECK(!vectors || has_mfcc_vectors(tables), "no vectors for ", tables.points, " points");
  return str("/* Mel-frequency cepstral coefficients in integers, made by hone ", version(),
             ". Not to be edited. */\n#ifndef HONE_MFCC_FRONT_END\n#define HONE_MFCC_FRONT_END\n\n",
             "#include <stdint.h>\n\n", vectors ? kVectors : "", constants_text(tables, bytes),
             "\n", spectrum_tables(tables, unit),
             array_text("uint8_t", "hone_mfcc_band", tables.band),
             array_text("uint16_t", "hone_mfcc_weight", tables.weight),
             array_text("int32_t", "hone_mfcc_log2_table", tables.log2),
             array_text("int16_t", "hone_mfcc_cosine", tables.cosine), "\n", file_text("numbers.c"),
             "\n", file_text(vectors ? "spectrum_hvx.c" : "spectrum.c"), "\n", file_text("mfcc.c"),
             "\n#endif\n");
}

size_t mfcc_table_bytes(const FixedMfccTables& tables, MfccUnit unit) {
  const size_t window = unit == MfccUnit::Words ? 2 * tables.window.size() : 4 * tables.points;
  const size_t turns = unit == MfccUnit::Words ? 0 : 4 * turns_of_rows(tables).size();
  return window + turns + 4 * tables.sine.size() + 3 * tables.band.size() + 4 * tables.log2.size() +
         2 * tables.cosine.size();
}

size_t mfcc_work_bytes(const FixedMfccTables& tables, MfccUnit unit) {
  const size_t behind = 12 * tables.bands;
  if (unit == MfccUnit::Words) return 8 * tables.points + behind;
  return (12 * tables.points + behind + 127) / 128 * 128;
}

}  // namespace hone
