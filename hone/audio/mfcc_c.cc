#include "hone/audio/mfcc_c.h"

#include "hone/audio/c_files.h"
#include "hone/base/check.h"
#include "hone/base/str.h"
#include "hone/base/version.h"

namespace hone {
namespace {

constexpr size_t kLineWidth = 100;

template <class Number>
std::string array_text(std::string_view type, std::string_view name,
                       const std::vector<Number>& values) {
  std::string text = str("static const ", type, " ", name, "[", values.size(), "] = {");
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

}  // namespace

std::string mfcc_c(const FixedMfcc& mfcc, const FeatureBytes& bytes) {
  const FixedMfccTables& tables = mfcc.tables();
  HONE_CHECK(audio_c_files().size() == 1, "the front end in C is one file");
  return str("/* Mel-frequency cepstral coefficients in integers, made by hone ", version(),
             ". Not to be edited. */\n#ifndef HONE_MFCC_FRONT_END\n#define HONE_MFCC_FRONT_END\n\n",
             "#include <stdint.h>\n\n", constants_text(tables, bytes), "\n",
             array_text("uint16_t", "hone_mfcc_window", tables.window),
             array_text("int32_t", "hone_mfcc_sine", tables.sine),
             array_text("uint8_t", "hone_mfcc_band", tables.band),
             array_text("uint16_t", "hone_mfcc_weight", tables.weight),
             array_text("int32_t", "hone_mfcc_log2_table", tables.log2),
             array_text("int16_t", "hone_mfcc_cosine", tables.cosine), "\n",
             audio_c_files().front().text, "\n#endif\n");
}

}  // namespace hone
