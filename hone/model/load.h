#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hone/base/result.h"
#include "hone/graph/graph.h"
#include "hone/ops/infer_types.h"
#include "hone/wire/onnx.h"
#include "hone/wire/tflite.h"

namespace hone {

// A graph with what is known of where it came from.
struct Model {
  std::string name;         // File name without its folder, "zoo:..." or "op:...".
  std::string format;       // "onnx", "tflite", "zoo", "op".
  std::string producer;     // As the file states it; may be empty.
  std::string version;      // "opset 13", "schema 3".
  uint64_t file_bytes = 0;  // 0 for built-in networks.
  Graph graph;
  // Nodes that Hone cannot type or run, each with its reason.
  std::vector<UnsupportedNode> unsupported;
  // Inputs with extents that the file leaves open and nobody gave: taken as 1, as TFLite does.
  std::vector<std::string> assumed_inputs = {};
  // It was asked for in these types: floats are computed in them also on devices whose users run
  // others.
  bool keeps_types = false;
};

struct LoadOptions {
  // Input name -> shape: binds symbolic extents, or gives an input another shape.
  std::map<std::string, Shape> shapes = {};
  bool other_inputs = false;  // Names of inputs that the model has not are passed over.
};

// Opens an .onnx or .tflite file. Operators Hone does not know become nodes of op `custom`, listed
// in `unsupported`; a file that contradicts its format is BadInput.
Result<Model> load_model(const std::filesystem::path& path, const LoadOptions& options = {});

Result<Model> import_onnx(const OnnxModel& file, const LoadOptions& options = {});
Result<Model> import_tflite(const TfliteModel& file, const LoadOptions& options = {});

// Gives the graph's inputs the shapes wanted, before types are inferred. BadInput when an input is
// not there (unless `other_inputs`), or when a shape contradicts its rank or extents bound by the
// same symbol.
Status bind_shapes(Graph& graph, const LoadOptions& options);

// "name:1x3x224x224" or "name[1,3,224,224]".
Result<std::pair<std::string, Shape>> parse_shape_binding(std::string_view text);

}  // namespace hone
