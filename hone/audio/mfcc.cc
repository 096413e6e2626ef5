#include "hone/audio/mfcc.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "hone/audio/fft.h"
#include "hone/audio/mfcc_tables.h"

namespace hone {
namespace {

// Triangles that rise from the middle of the band before and fall to that of the band after, both
// straight on the mel scale.
std::vector<double> mel_weights(const MfccOptions& options, size_t points) {
  std::vector<double> weights;
  for (int band = 0; band < options.bands; ++band) {
    for (size_t bin = 0; bin <= points / 2; ++bin) {
      const double hz = options.rate * static_cast<double>(bin) / static_cast<double>(points);
      const double from_middle = std::abs(band_position(options, hz) - (band + 1));
      weights.push_back(std::max(0.0, 1 - from_middle));
    }
  }
  return weights;
}

// Filled up with silence, and divided by the largest sample where that is more than silence.
std::vector<double> prepared(std::span<const float> clip, size_t size) {
  std::vector<double> samples(clip.begin(), clip.end());
  samples.resize(size);
  const double largest = *std::ranges::max_element(samples);
  if (largest <= 0) return samples;
  for (double& sample : samples) sample /= largest;
  return samples;
}

double dot(const double* a, const double* b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Result<Mfcc> Mfcc::make(const MfccOptions& options) {
  if (options.frame < 1 || options.step < 1 || options.clip < options.frame) {
    return bad_input("frames of ", options.frame, " samples every ", options.step,
                     " do not fit a clip of ", options.clip);
  }
  if (!(0 <= options.lowest_hz && options.lowest_hz < options.highest_hz &&
        options.highest_hz <= options.rate / 2.0)) {
    return bad_input("bands from ", options.lowest_hz, " to ", options.highest_hz,
                     " Hz, expected a range between 0 and half of ", options.rate, " Hz");
  }
  if (options.coefficients < 1 || options.coefficients > options.bands) {
    return bad_input(options.coefficients, " coefficients of ", options.bands,
                     " bands, expected between 1 and as many");
  }
  if (!(options.floor > 0)) return bad_input("floor is ", options.floor, ", expected more than 0");
  return Mfcc(options);
}

Mfcc::Mfcc(const MfccOptions& options)
    : options_(options),
      points_(std::bit_ceil(static_cast<size_t>(options.frame))),
      window_(hann(options.frame)),
      mel_(mel_weights(options, points_)),
      cosine_(cosines(options)) {}

void Mfcc::add_frame(std::span<const double> samples, std::vector<std::complex<double>>& spectrum,
                     std::vector<float>& result) const {
  spectrum.assign(points_, 0);
  for (size_t i = 0; i < window_.size(); ++i) spectrum[i] = samples[i] * window_[i];
  fft(spectrum);
  const size_t bins = points_ / 2 + 1;
  const auto bands = static_cast<size_t>(options_.bands);
  std::vector<double> magnitudes(bins);
  std::vector<double> logs(bands);
  for (size_t bin = 0; bin < bins; ++bin) magnitudes[bin] = std::abs(spectrum[bin]);
  for (size_t band = 0; band < bands; ++band) {
    logs[band] = std::log(dot(&mel_[band * bins], magnitudes.data(), bins) + options_.floor);
  }
  for (size_t row = 0; row < cosine_.size(); row += bands) {
    result.push_back(static_cast<float>(dot(&cosine_[row], logs.data(), bands)));
  }
}

Result<std::vector<float>> Mfcc::operator()(std::span<const float> clip) const {
  const auto size = static_cast<size_t>(options_.clip);
  if (clip.size() > size) {
    return bad_input("holds ", clip.size(), " samples, expected at most ", size);
  }
  const std::vector<double> samples = prepared(clip, size);
  std::vector<std::complex<double>> spectrum;
  std::vector<float> result;
  for (int i = 0; i < frames(); ++i) {
    const auto at = static_cast<size_t>(i) * static_cast<size_t>(options_.step);
    add_frame(std::span(samples).subspan(at, window_.size()), spectrum, result);
  }
  return result;
}

}  // namespace hone
