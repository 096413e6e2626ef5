#include "hone/ops/vision/vision_tflite.h"

#include "hone/ops/tflite_import.h"
#include "hone/wire/flexbuffer.h"

namespace hone {
namespace {

Status import_nms(TfliteImport& in, size_t inputs, bool with_scores) {
  const size_t outputs = with_scores ? 3 : 2;
  HONE_RETURN_IF_ERROR(in.require(inputs, outputs));
  if (in.in_type(0).dtype != DType::F32) return unsupported("boxes of ", in.in_type(0).dtype);
  std::vector<Value*> from;
  for (size_t i = 0; i < inputs; ++i) from.push_back(in.in(i));
  TensorType scores = in.out_type(0);
  scores.dtype = DType::F32;
  Node* node =
      in.add_node("soft_nms", std::move(from), {in.out_type(0), scores, in.out_type(outputs - 1)});
  in.set_output(0, node->outputs[0]);
  if (with_scores) in.set_output(1, node->outputs[1]);
  in.set_output(outputs - 1, node->outputs[2]);
  return Done{};
}

using Options = std::map<std::string, TfliteOption>;

// A number, whichever way it is written.
double number(const Options& options, const std::string& key, double fallback) {
  const auto found = options.find(key);
  if (found == options.end()) return fallback;
  if (const auto* real = std::get_if<double>(&found->second)) return *real;
  if (const auto* whole = std::get_if<int64_t>(&found->second)) return static_cast<double>(*whole);
  if (const auto* truth = std::get_if<bool>(&found->second)) return *truth ? 1 : 0;
  return fallback;
}

Result<int64_t> count(const Options& options, const std::string& key, double fallback) {
  const double value = number(options, key, fallback);
  if (value >= 1 && value <= 1e6) return static_cast<int64_t>(value);
  return bad_input(key, " is ", value, ", expected 1 to 1000000");
}

Value* as_float(TfliteImport& in, Value* value) {
  TensorType type = value->type.tensor;
  if (type.dtype == DType::F32) return value;
  return in.add("requantize", {value}, TensorType{DType::F32, type.shape, nullptr, type.ranked});
}

}  // namespace

Status import_non_max_suppression_v4(TfliteImport& in) {
  return import_nms(in, 5, false);
}

Status import_non_max_suppression_v5(TfliteImport& in) {
  return import_nms(in, 6, true);
}

Status import_detection_postprocess(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(3, 4));
  HONE_TRY(const Options options, read_flexbuffer_map(in.op().custom_options));
  HONE_TRY(const int64_t detections, count(options, "max_detections", 0));
  HONE_TRY(const int64_t per_class, count(options, "detections_per_class", 100));
  HONE_TRY(const int64_t per_box, count(options, "max_classes_per_detection", 0));
  HONE_TRY(const int64_t classes, count(options, "num_classes", 0));
  const bool regular = number(options, "use_regular_nms", 0) != 0;
  if (!regular && per_box != 1) {
    return unsupported("max_classes_per_detection of ", per_box,
                       ": TFLite's kernel writes such results over one another");
  }
  for (size_t i = 0; i < 3; ++i) {
    const TensorType& type = in.in_type(i);
    const bool stored = type.dtype == DType::U8 && type.quantized();
    if (type.dtype != DType::F32 && !stored) return unsupported("input ", i, " of ", type.dtype);
  }
  Attrs attrs{{"max_detections", detections},
              {"detections_per_class", per_class},
              {"num_classes", classes},
              {"regular", int64_t{regular}},
              {"score_threshold", number(options, "nms_score_threshold", 0)},
              {"iou_threshold", number(options, "nms_iou_threshold", 0)},
              {"scales", Floats{number(options, "y_scale", 0), number(options, "x_scale", 0),
                                number(options, "h_scale", 0), number(options, "w_scale", 0)}}};
  std::vector<ValueType> types;
  for (size_t i = 0; i < 4; ++i) types.push_back(in.out_type(i));
  Node* node = in.add_node("detection_postprocess",
                           {as_float(in, in.in(0)), as_float(in, in.in(1)), as_float(in, in.in(2))},
                           std::move(types), std::move(attrs));
  for (size_t i = 0; i < 4; ++i) in.set_output(i, node->outputs[i]);
  return Done{};
}

}  // namespace hone
