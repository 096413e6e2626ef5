#pragma once

#include <filesystem>

#include "hone/base/result.h"
#include "hone/graph/graph.h"
#include "hone/wire/onnx.h"

namespace hone {

// The graph as ONNX, of the oldest operator set from 21 on that has all its operators. Each node's
// metadata names the source layers it stands for (`hone.origins`, a JSON list). Unsupported when an
// operator has no ONNX form.
Result<OnnxModel> export_onnx(const Graph& graph);

Status save_onnx(const Graph& graph, const std::filesystem::path& path);

}  // namespace hone
