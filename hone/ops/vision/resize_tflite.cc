#include "hone/ops/vision/resize_tflite.h"

#include <algorithm>
#include <cmath>

#include "hone/ops/movement/reshape_tflite.h"
#include "hone/ops/tflite_import.h"

namespace hone {
namespace {

struct ResizeTfliteCorners {
  bool align;
  bool half_pixel;
};

Result<ResizeTfliteCorners> corners_of(const TfliteImport& in) {
  const ResizeTfliteCorners corners{in.option<bool>("align_corners", false),
                                    in.option<bool>("half_pixel_centers", false)};
  if (corners.align && corners.half_pixel) {
    return unsupported("align_corners together with half_pixel_centers");
  }
  const TensorType& x = in.in_type(0);
  if (!x.ranked || x.rank() != 4) return bad_input("the input is ", x, ", expected rank 4");
  return corners;
}

void finish_resize(TfliteImport& in, Attrs attrs) {
  attrs["axes"] = Ints{1, 2};
  in.finish("resize", {in.in(0), nullptr, nullptr, as_i64(in, in.in(1))}, std::move(attrs));
}

// TFLite finds the nearest pixel in single precision, Hone exactly: they differ for a few extents.
bool agree(int64_t in, int64_t out, const ResizeTfliteCorners& corners) {
  const bool align = corners.align && out > 1;
  const auto from = static_cast<float>(align ? in - 1 : in);
  const auto to = static_cast<float>(align ? out - 1 : out);
  const float scale = from / to;
  for (int64_t i = 0; i < out; ++i) {
    const float at = static_cast<float>(i) + (corners.half_pixel ? 0.5f : 0.0f);
    const auto single =
        static_cast<int64_t>(corners.align ? std::round(at * scale) : std::floor(at * scale));
    const double exact_at = double{at} * double{from} / double{to};
    const auto exact = static_cast<int64_t>(std::floor(exact_at + (corners.align ? 0.5 : 0.0)));
    if (std::min(single, in - 1) != std::min(exact, in - 1)) return false;
  }
  return true;
}

}  // namespace

Status import_resize_bilinear(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  HONE_TRY(const ResizeTfliteCorners corners, corners_of(in));
  const char* coordinates =
      corners.align ? "align_corners" : (corners.half_pixel ? "half_pixel" : "asymmetric");
  finish_resize(in, {{"mode", std::string("linear")},
                     {"coordinate_transformation_mode", std::string(coordinates)}});
  return Done{};
}

Status import_resize_nearest_neighbor(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  HONE_TRY(const ResizeTfliteCorners corners, corners_of(in));
  HONE_TRY(const Ints size, in.constant_ints(1));
  if (size.size() != 2) return bad_input("size has ", size.size(), " numbers, expected 2");
  for (size_t i = 0; i < 2; ++i) {
    constexpr int64_t kLargest = 1 << 20;
    const int64_t from = in.in_type(0).shape[i + 1];
    if (from < 1 || from > kLargest || size[i] < 1 || size[i] > kLargest) {
      return unsupported("an extent of ", from, " resized to ", size[i]);
    }
    if (!agree(from, size[i], corners)) {
      return unsupported("an extent of ", from, " resized to ", size[i],
                         ", where rounding decides which pixel is nearest");
    }
  }
  const char* coordinates = corners.align        ? "align_corners"
                            : corners.half_pixel ? "tf_half_pixel_for_nn"
                                                 : "asymmetric";
  finish_resize(in, {{"mode", std::string("nearest")},
                     {"coordinate_transformation_mode", std::string(coordinates)},
                     {"nearest_mode", std::string(corners.align ? "round_prefer_ceil" : "floor")}});
  return Done{};
}

}  // namespace hone
