// What the onnx_*.cc files share: protobuf messages <-> plain structs, piece by piece. Nothing
// outside them includes this file, since only they can see the generated code.
#pragma once

#include <onnx.pb.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "hone/base/file.h"
#include "hone/base/result.h"
#include "hone/tensor/tensor.h"
#include "hone/wire/onnx.h"

namespace hone {

namespace pb = hone_onnx;

// What reading a message needs besides the message.
struct OnnxSource {
  std::filesystem::path folder;  // Where external data is; empty when it must not be read.
  // A few bytes can claim a sparse tensor of any size, so what they may claim together is limited.
  uint64_t sparse_bytes_left = uint64_t{1} << 30;
};

// The DType of a TensorProto.DataType, or Unsupported with its name.
Result<DType> element_type(int64_t number);

// The conversions take the message apart: big pieces are moved out of it.
Result<Tensor> tensor_from_proto(pb::TensorProto& proto, OnnxSource& source);
// The same with the elements already out of the message, when `raw` is set.
Result<Tensor> tensor_from_proto(pb::TensorProto& proto, std::optional<SharedBytes> raw,
                                 OnnxSource& source);
Result<Tensor> tensor_from_proto(pb::SparseTensorProto& proto, OnnxSource& source);
Result<OnnxType> type_from_proto(const pb::TypeProto& proto);

// Adds what `proto` holds to what `graph` has already.
Status graph_from_proto(pb::GraphProto& proto, OnnxSource& source, OnnxGraph& graph);
// Everything but the graph.
Status model_from_proto(pb::ModelProto& proto, OnnxSource& source, OnnxModel& model);

// The bytes a tensor keeps in a file of its own: `size` of them.
Result<SharedBytes> read_external_data(const pb::TensorProto& proto, uint64_t size,
                                       const std::filesystem::path& folder);

// Protobuf reports broken messages on stderr as well; Hone's own errors say it better.
void silence_protobuf();

}  // namespace hone
