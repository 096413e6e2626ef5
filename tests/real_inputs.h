// Inputs for the networks of MLPerf Tiny that are more than noise. Keywords are those of the benchmark's own set;
// images are windows of photographs, since those of the benchmark are not here, and sounds are keywords' spectra laid
// end to end.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "hone/targets/c_code/reference_tests.h"
#include "hone/wire/npy.h"
#include "tests/shared_files.h"

namespace hone {

inline constexpr size_t kRealInputs = 20;

// A window of one of the images, as so many pixels of bytes about 0: the nearest of each.
inline Tensor window_of(const Tensor& images, const TensorType& type, size_t index) {
  const Shape& from = images.shape();
  const Shape& to = type.shape;
  const int64_t extent = 96 + 4 * static_cast<int64_t>(index),
                begin = 2 * static_cast<int64_t>(index);
  const int64_t image = static_cast<int64_t>(index) % from[0];
  Tensor bytes(type);
  auto out = bytes.mutable_data<int8_t>().begin();
  for (int64_t h = 0; h < to[1]; ++h) {
    for (int64_t w = 0; w < to[2]; ++w) {
      const int64_t row = begin + h * extent / to[1], column = begin + w * extent / to[2];
      const int64_t at = ((image * from[1] + row) * from[2] + column) * from[3];
      for (int64_t c = 0; c < to[3]; ++c) {
        *out++ = static_cast<int8_t>(images.data<uint8_t>()[static_cast<size_t>(at + c)] - 128);
      }
    }
  }
  return bytes;
}

// So many numbers of a list as the input has, from another place for every index.
inline Tensor stretch_of(const Tensor& numbers, const TensorType& type, size_t index) {
  Tensor floats(TensorType{DType::F32, type.shape});
  const auto count = static_cast<size_t>(floats.elements());
  std::copy_n(numbers.data<float>().begin() + static_cast<std::ptrdiff_t>(index * count), count,
              floats.mutable_data<float>().begin());
  return floats;
}

// Nothing where there are none here.
inline std::vector<c_code::Bytes> real_inputs(const std::string& network,
                                              const c_code::Plan& plan) {
  const bool photographs = network == "ic" || network == "vww";
  const auto file = photographs ? shared_dir() / "golden" / "mobilenet_v2_ptq_int8_image.in.npy"
                                : shared_dir() / "data" / "kws" / "inputs.npy";
  const auto values = std::filesystem::exists(file) ? read_npy(file) : bad_input("not there");
  std::vector<c_code::Bytes> all;
  if (!values.ok()) return all;
  const TensorType& type = plan.inputs[0]->type.tensor;
  for (size_t i = 0; i < kRealInputs; ++i) {
    if (photographs) {
      all.push_back({window_of(*values, type, i)});
    } else {
      all.push_back(c_code::as_bytes({stretch_of(*values, type, i)}, plan));
    }
  }
  return all;
}

}  // namespace hone
