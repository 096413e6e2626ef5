#pragma once

#include <filesystem>

#include "hone/base/result.h"
#include "hone/graph/graph.h"
#include "hone/model/load.h"
#include "hone/wire/onnx.h"

namespace hone {

// A node's metadata that names the operator of another domain it was made of: "acme.SwishBeta".
// Once an expression has taken its place, only this tells a device that has the operator.
inline constexpr const char* kMadeOf = "hone.operator";

// The graph as ONNX, of the oldest operator set from 21 on that has all its operators. Each node's
// metadata names the source layers it stands for (`hone.origins`, a JSON list), and kMadeOf.
// Unsupported when an operator has no ONNX form.
Result<OnnxModel> export_onnx(const Graph& graph);

// The number of nodes of the file, which has several where the graph has an integer one.
Result<size_t> save_onnx(const Graph& graph, const std::filesystem::path& path);

// The model as a reader of the file would have it, which is not written.
Result<Model> as_saved(const Graph& graph, const std::filesystem::path& path);

// Whether the name ends as one of the formats that save_model writes: .onnx, .tflite.
bool names_model_file(const std::filesystem::path& path);
// The graph in the format that the file's name ends in; gives the number of its operators.
Result<size_t> save_model(const Graph& graph, const std::filesystem::path& path);

}  // namespace hone
