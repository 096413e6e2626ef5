// Mel-frequency cepstral coefficients: what networks that listen to speech are fed. A clip is cut
// into overlapping frames; of each the magnitudes of its spectrum are summed into bands as wide as
// the ear resolves them, and the logarithms of the bands are turned into a few coefficients by a
// cosine transform.
//
// The defaults and every formula are those of MLPerf Tiny's keyword spotting (mlcommons/tiny,
// training/keyword_spotting/get_dataset.py, and of TensorFlow's tf.signal beneath it): one second
// at 16 kHz becomes 49 frames of 10 coefficients, so clips can be fed to models trained there.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "hone/base/result.h"

namespace hone {

struct MfccOptions {
  int rate = 16000;          // Samples a second.
  int clip = 16000;          // Samples; shorter clips are filled up with silence at the end.
  int frame = 480;           // Samples: 30 ms under a Hann window, zeros up to a power of two.
  int step = 320;            // Samples from frame to frame: 20 ms.
  int bands = 40;            // Triangles of equal width on the mel scale, 1127 ln(1 + f / 700).
  double lowest_hz = 20;     // Where the first band begins
  double highest_hz = 4000;  // and the last one ends.
  double floor = 1e-6;       // Added to a band before its logarithm.
  int coefficients = 10;     // The first of the cosine transform.
};

// Tables are made once; the object may then be used from several threads.
class Mfcc {
 public:
  // BadInput for extents that do not fit together.
  static Result<Mfcc> make(const MfccOptions& options = {});

  const MfccOptions& options() const { return options_; }
  int frames() const { return (options_.clip - options_.frame) / options_.step + 1; }

  // frames() rows of `coefficients`. The clip is divided by its largest sample first, so loudness
  // does not matter. BadInput when it is longer than options().clip.
  Result<std::vector<float>> operator()(std::span<const float> clip) const;

 private:
  explicit Mfcc(const MfccOptions& options);
  void add_frame(std::span<const double> samples, std::vector<std::complex<double>>& spectrum,
                 std::vector<float>& result) const;

  MfccOptions options_;
  size_t points_;               // Of the transform.
  std::vector<double> window_;  // [frame]
  std::vector<double> mel_;     // [bands, points_ / 2 + 1]
  std::vector<double> cosine_;  // [coefficients, bands]
};

}  // namespace hone
