// The options of builtin operators: one function per table of the schema that has fields, and the
// list that finds it. An option has the name of its field.

#include <utility>

#include "hone/wire/tflite_file.h"

namespace hone {
namespace {

namespace tfl = hone_tflite;

// Collects options, and the first thing that is wrong with one.
class OptionWriter {
 public:
  explicit OptionWriter(TfliteFile& file) : file_(file) {}

  void put(const char* name, bool value) { options_[name] = value; }
  void put(const char* name, int32_t value) { options_[name] = int64_t{value}; }
  void put(const char* name, int64_t value) { options_[name] = value; }
  void put(const char* name, float value) { options_[name] = double{value}; }
  void put(const char* name, const flatbuffers::String* value) { keep(name, file_.text(value)); }
  void put(const char* name, const flatbuffers::Vector<int32_t>* values) {
    keep(name, file_.list<int64_t>(values));
  }
  void put(const char* name, tfl::TensorType value);
  void put_subgraph(const char* name, int64_t index);

  // The schema's name of an enumerator; flatbuffers has "" for a number that is none.
  template <class Enum>
  void put_enum(const char* name, Enum value, const char* value_name);
  void put(const char* name, tfl::Padding v) { put_enum(name, v, tfl::EnumNamePadding(v)); }
  void put(const char* name, tfl::ActivationFunctionType v) {
    put_enum(name, v, tfl::EnumNameActivationFunctionType(v));
  }
  void put(const char* name, tfl::FullyConnectedOptionsWeightsFormat v) {
    put_enum(name, v, tfl::EnumNameFullyConnectedOptionsWeightsFormat(v));
  }
  void put(const char* name, tfl::LSTMKernelType v) {
    put_enum(name, v, tfl::EnumNameLSTMKernelType(v));
  }
  void put(const char* name, tfl::LSHProjectionType v) {
    put_enum(name, v, tfl::EnumNameLSHProjectionType(v));
  }
  void put(const char* name, tfl::CombinerType v) {
    put_enum(name, v, tfl::EnumNameCombinerType(v));
  }
  void put(const char* name, tfl::MirrorPadMode v) {
    put_enum(name, v, tfl::EnumNameMirrorPadMode(v));
  }
  void put(const char* name, tfl::ReduceWindowFunction v) {
    put_enum(name, v, tfl::EnumNameReduceWindowFunction(v));
  }

  Result<std::map<std::string, TfliteOption>> finish() && {
    HONE_RETURN_IF_ERROR(std::move(status_));
    return std::move(options_);
  }

 private:
  void fail(const char* name, Error error) {
    if (status_.ok()) status_ = std::move(error).in(str("option ", name));
  }
  template <class T>
  void keep(const char* name, Result<T> value) {
    if (!value.ok()) return fail(name, std::move(value).error());
    options_[name] = *std::move(value);
  }

  TfliteFile& file_;
  std::map<std::string, TfliteOption> options_;
  Status status_ = Done{};
};

void OptionWriter::put(const char* name, tfl::TensorType value) {
  const Result<DType> dtype = dtype_from_tflite(value);
  if (!dtype.ok()) return fail(name, dtype.error());
  options_[name] = std::string(name_of(*dtype));
}

void OptionWriter::put_subgraph(const char* name, int64_t index) {
  if (index < 0 || index >= static_cast<int64_t>(file_.subgraphs())) {
    return fail(name,
                bad_input("subgraph ", index, " does not exist; there are ", file_.subgraphs()));
  }
  options_[name] = index;
}

template <class Enum>
void OptionWriter::put_enum(const char* name, Enum value, const char* value_name) {
  if (*value_name == 0) {
    return fail(name, unsupported("unknown value ", static_cast<int64_t>(value)));
  }
  options_[name] = std::string(value_name);
}

// Name and value of a field of `from`, without saying it twice.
#define HONE_OPTION(field) out.put(#field, from.field())
#define HONE_SUBGRAPH(field) out.put_subgraph(#field, from.field())

void put(const tfl::Conv2DOptions& from, OptionWriter& out) {
  HONE_OPTION(padding);
  HONE_OPTION(stride_w);
  HONE_OPTION(stride_h);
  HONE_OPTION(fused_activation_function);
  HONE_OPTION(dilation_w_factor);
  HONE_OPTION(dilation_h_factor);
  HONE_OPTION(quantized_bias_type);
}

void put(const tfl::DepthwiseConv2DOptions& from, OptionWriter& out) {
  HONE_OPTION(padding);
  HONE_OPTION(stride_w);
  HONE_OPTION(stride_h);
  HONE_OPTION(depth_multiplier);
  HONE_OPTION(fused_activation_function);
  HONE_OPTION(dilation_w_factor);
  HONE_OPTION(dilation_h_factor);
}

void put(const tfl::TransposeConvOptions& from, OptionWriter& out) {
  HONE_OPTION(padding);
  HONE_OPTION(stride_w);
  HONE_OPTION(stride_h);
  HONE_OPTION(fused_activation_function);
  HONE_OPTION(quantized_bias_type);
}

void put(const tfl::Conv3DOptions& from, OptionWriter& out) {
  HONE_OPTION(padding);
  HONE_OPTION(stride_d);
  HONE_OPTION(stride_w);
  HONE_OPTION(stride_h);
  HONE_OPTION(fused_activation_function);
  HONE_OPTION(dilation_d_factor);
  HONE_OPTION(dilation_w_factor);
  HONE_OPTION(dilation_h_factor);
}

void put(const tfl::Pool2DOptions& from, OptionWriter& out) {
  HONE_OPTION(padding);
  HONE_OPTION(stride_w);
  HONE_OPTION(stride_h);
  HONE_OPTION(filter_width);
  HONE_OPTION(filter_height);
  HONE_OPTION(fused_activation_function);
}

void put(const tfl::FullyConnectedOptions& from, OptionWriter& out) {
  HONE_OPTION(fused_activation_function);
  HONE_OPTION(weights_format);
  HONE_OPTION(keep_num_dims);
  HONE_OPTION(asymmetric_quantize_inputs);
  HONE_OPTION(quantized_bias_type);
}

void put(const tfl::BatchMatMulOptions& from, OptionWriter& out) {
  HONE_OPTION(adj_x);
  HONE_OPTION(adj_y);
  HONE_OPTION(asymmetric_quantize_inputs);
}

void put(const tfl::SVDFOptions& from, OptionWriter& out) {
  HONE_OPTION(rank);
  HONE_OPTION(fused_activation_function);
  HONE_OPTION(asymmetric_quantize_inputs);
}

void put(const tfl::RNNOptions& from, OptionWriter& out) {
  HONE_OPTION(fused_activation_function);
  HONE_OPTION(asymmetric_quantize_inputs);
}

void put(const tfl::SequenceRNNOptions& from, OptionWriter& out) {
  HONE_OPTION(time_major);
  HONE_OPTION(fused_activation_function);
  HONE_OPTION(asymmetric_quantize_inputs);
}

void put(const tfl::BidirectionalSequenceRNNOptions& from, OptionWriter& out) {
  HONE_OPTION(time_major);
  HONE_OPTION(fused_activation_function);
  HONE_OPTION(merge_outputs);
  HONE_OPTION(asymmetric_quantize_inputs);
}

void put(const tfl::LSTMOptions& from, OptionWriter& out) {
  HONE_OPTION(fused_activation_function);
  HONE_OPTION(cell_clip);
  HONE_OPTION(proj_clip);
  HONE_OPTION(kernel_type);
  HONE_OPTION(asymmetric_quantize_inputs);
}

void put(const tfl::UnidirectionalSequenceLSTMOptions& from, OptionWriter& out) {
  HONE_OPTION(fused_activation_function);
  HONE_OPTION(cell_clip);
  HONE_OPTION(proj_clip);
  HONE_OPTION(time_major);
  HONE_OPTION(asymmetric_quantize_inputs);
  HONE_OPTION(diagonal_recurrent_tensors);
}

void put(const tfl::BidirectionalSequenceLSTMOptions& from, OptionWriter& out) {
  HONE_OPTION(fused_activation_function);
  HONE_OPTION(cell_clip);
  HONE_OPTION(proj_clip);
  HONE_OPTION(merge_outputs);
  HONE_OPTION(time_major);
  HONE_OPTION(asymmetric_quantize_inputs);
}

void put(const tfl::AddOptions& from, OptionWriter& out) {
  HONE_OPTION(fused_activation_function);
  HONE_OPTION(pot_scale_int16);
}

void put(const tfl::SubOptions& from, OptionWriter& out) {
  HONE_OPTION(fused_activation_function);
  HONE_OPTION(pot_scale_int16);
}

void put(const tfl::MulOptions& from, OptionWriter& out) {
  HONE_OPTION(fused_activation_function);
}

void put(const tfl::DivOptions& from, OptionWriter& out) {
  HONE_OPTION(fused_activation_function);
}

void put(const tfl::SoftmaxOptions& from, OptionWriter& out) {
  HONE_OPTION(beta);
}

void put(const tfl::LeakyReluOptions& from, OptionWriter& out) {
  HONE_OPTION(alpha);
}

void put(const tfl::GeluOptions& from, OptionWriter& out) {
  HONE_OPTION(approximate);
}

void put(const tfl::L2NormOptions& from, OptionWriter& out) {
  HONE_OPTION(fused_activation_function);
}

void put(const tfl::LocalResponseNormalizationOptions& from, OptionWriter& out) {
  HONE_OPTION(radius);
  HONE_OPTION(bias);
  HONE_OPTION(alpha);
  HONE_OPTION(beta);
}

void put(const tfl::CastOptions& from, OptionWriter& out) {
  HONE_OPTION(in_data_type);
  HONE_OPTION(out_data_type);
}

void put(const tfl::CumsumOptions& from, OptionWriter& out) {
  HONE_OPTION(exclusive);
  HONE_OPTION(reverse);
}

void put(const tfl::FakeQuantOptions& from, OptionWriter& out) {
  HONE_OPTION(min);
  HONE_OPTION(max);
  HONE_OPTION(num_bits);
  HONE_OPTION(narrow_range);
}

void put(const tfl::RandomOptions& from, OptionWriter& out) {
  HONE_OPTION(seed);
  HONE_OPTION(seed2);
}

void put(const tfl::ConcatenationOptions& from, OptionWriter& out) {
  HONE_OPTION(axis);
  HONE_OPTION(fused_activation_function);
}

void put(const tfl::ReshapeOptions& from, OptionWriter& out) {
  HONE_OPTION(new_shape);
}

void put(const tfl::SqueezeOptions& from, OptionWriter& out) {
  HONE_OPTION(squeeze_dims);
}

void put(const tfl::SplitOptions& from, OptionWriter& out) {
  HONE_OPTION(num_splits);
}

void put(const tfl::SplitVOptions& from, OptionWriter& out) {
  HONE_OPTION(num_splits);
}

void put(const tfl::PackOptions& from, OptionWriter& out) {
  HONE_OPTION(values_count);
  HONE_OPTION(axis);
}

void put(const tfl::UnpackOptions& from, OptionWriter& out) {
  HONE_OPTION(num);
  HONE_OPTION(axis);
}

void put(const tfl::GatherOptions& from, OptionWriter& out) {
  HONE_OPTION(axis);
  HONE_OPTION(batch_dims);
}

void put(const tfl::StridedSliceOptions& from, OptionWriter& out) {
  HONE_OPTION(begin_mask);
  HONE_OPTION(end_mask);
  HONE_OPTION(ellipsis_mask);
  HONE_OPTION(new_axis_mask);
  HONE_OPTION(shrink_axis_mask);
  HONE_OPTION(offset);
}

void put(const tfl::ReverseSequenceOptions& from, OptionWriter& out) {
  HONE_OPTION(seq_dim);
  HONE_OPTION(batch_dim);
}

void put(const tfl::ResizeBilinearOptions& from, OptionWriter& out) {
  HONE_OPTION(align_corners);
  HONE_OPTION(half_pixel_centers);
}

void put(const tfl::ResizeNearestNeighborOptions& from, OptionWriter& out) {
  HONE_OPTION(align_corners);
  HONE_OPTION(half_pixel_centers);
}

void put(const tfl::SpaceToDepthOptions& from, OptionWriter& out) {
  HONE_OPTION(block_size);
}

void put(const tfl::DepthToSpaceOptions& from, OptionWriter& out) {
  HONE_OPTION(block_size);
}

void put(const tfl::MirrorPadOptions& from, OptionWriter& out) {
  HONE_OPTION(mode);
}

void put(const tfl::ShapeOptions& from, OptionWriter& out) {
  HONE_OPTION(out_type);
}

void put(const tfl::OneHotOptions& from, OptionWriter& out) {
  HONE_OPTION(axis);
}

void put(const tfl::SparseToDenseOptions& from, OptionWriter& out) {
  HONE_OPTION(validate_indices);
}

void put(const tfl::ReducerOptions& from, OptionWriter& out) {
  HONE_OPTION(keep_dims);
}

void put(const tfl::ArgMaxOptions& from, OptionWriter& out) {
  HONE_OPTION(output_type);
}

void put(const tfl::ArgMinOptions& from, OptionWriter& out) {
  HONE_OPTION(output_type);
}

void put(const tfl::UniqueOptions& from, OptionWriter& out) {
  HONE_OPTION(idx_out_type);
}

void put(const tfl::ReduceWindowOptions& from, OptionWriter& out) {
  HONE_OPTION(reduce_function);
}

void put(const tfl::CallOptions& from, OptionWriter& out) {
  HONE_SUBGRAPH(subgraph);
}

void put(const tfl::CallOnceOptions& from, OptionWriter& out) {
  HONE_SUBGRAPH(init_subgraph_index);
}

void put(const tfl::IfOptions& from, OptionWriter& out) {
  HONE_SUBGRAPH(then_subgraph_index);
  HONE_SUBGRAPH(else_subgraph_index);
}

void put(const tfl::WhileOptions& from, OptionWriter& out) {
  HONE_SUBGRAPH(cond_subgraph_index);
  HONE_SUBGRAPH(body_subgraph_index);
}

void put(const tfl::VarHandleOptions& from, OptionWriter& out) {
  HONE_OPTION(container);
  HONE_OPTION(shared_name);
}

void put(const tfl::HashtableOptions& from, OptionWriter& out) {
  HONE_OPTION(table_id);
  HONE_OPTION(key_dtype);
  HONE_OPTION(value_dtype);
}

void put(const tfl::ConcatEmbeddingsOptions& from, OptionWriter& out) {
  HONE_OPTION(num_channels);
  HONE_OPTION(num_columns_per_channel);
  HONE_OPTION(embedding_dim_per_channel);
}

void put(const tfl::LSHProjectionOptions& from, OptionWriter& out) {
  HONE_OPTION(type);
}

void put(const tfl::EmbeddingLookupSparseOptions& from, OptionWriter& out) {
  HONE_OPTION(combiner);
}

void put(const tfl::SkipGramOptions& from, OptionWriter& out) {
  HONE_OPTION(ngram_size);
  HONE_OPTION(max_skip_size);
  HONE_OPTION(include_all_ngrams);
}

void put(const tfl::StableHLOCompositeOptions& from, OptionWriter& out) {
  HONE_OPTION(name);
  HONE_SUBGRAPH(decomposition_subgraph_index);
  HONE_OPTION(version);
}

#undef HONE_OPTION
#undef HONE_SUBGRAPH

struct Row {
  int type;  // The number of the table in its union.
  void (*put)(const void* table, OptionWriter& out);
};

template <template <class> class Traits, class Table>
constexpr Row row_of() {
  return {static_cast<int>(Traits<Table>::enum_value), [](const void* table, OptionWriter& out) {
            put(*static_cast<const Table*>(table), out);
          }};
}
template <class Table>
constexpr Row row() {
  return row_of<tfl::BuiltinOptionsTraits, Table>();
}
template <class Table>
constexpr Row row2() {
  return row_of<tfl::BuiltinOptions2Traits, Table>();
}

// Members of the unions that are not listed have no options, or none that Hone reads.
constexpr Row kOptionRows[] = {
    row<tfl::Conv2DOptions>(),
    row<tfl::DepthwiseConv2DOptions>(),
    row<tfl::TransposeConvOptions>(),
    row<tfl::Conv3DOptions>(),
    row<tfl::Pool2DOptions>(),
    row<tfl::FullyConnectedOptions>(),
    row<tfl::BatchMatMulOptions>(),
    row<tfl::SVDFOptions>(),
    row<tfl::RNNOptions>(),
    row<tfl::SequenceRNNOptions>(),
    row<tfl::BidirectionalSequenceRNNOptions>(),
    row<tfl::LSTMOptions>(),
    row<tfl::UnidirectionalSequenceLSTMOptions>(),
    row<tfl::BidirectionalSequenceLSTMOptions>(),
    row<tfl::AddOptions>(),
    row<tfl::SubOptions>(),
    row<tfl::MulOptions>(),
    row<tfl::DivOptions>(),
    row<tfl::SoftmaxOptions>(),
    row<tfl::LeakyReluOptions>(),
    row<tfl::GeluOptions>(),
    row<tfl::L2NormOptions>(),
    row<tfl::LocalResponseNormalizationOptions>(),
    row<tfl::CastOptions>(),
    row<tfl::CumsumOptions>(),
    row<tfl::FakeQuantOptions>(),
    row<tfl::RandomOptions>(),
    row<tfl::ConcatenationOptions>(),
    row<tfl::ReshapeOptions>(),
    row<tfl::SqueezeOptions>(),
    row<tfl::SplitOptions>(),
    row<tfl::SplitVOptions>(),
    row<tfl::PackOptions>(),
    row<tfl::UnpackOptions>(),
    row<tfl::GatherOptions>(),
    row<tfl::StridedSliceOptions>(),
    row<tfl::ReverseSequenceOptions>(),
    row<tfl::ResizeBilinearOptions>(),
    row<tfl::ResizeNearestNeighborOptions>(),
    row<tfl::SpaceToDepthOptions>(),
    row<tfl::DepthToSpaceOptions>(),
    row<tfl::MirrorPadOptions>(),
    row<tfl::ShapeOptions>(),
    row<tfl::OneHotOptions>(),
    row<tfl::SparseToDenseOptions>(),
    row<tfl::ReducerOptions>(),
    row<tfl::ArgMaxOptions>(),
    row<tfl::ArgMinOptions>(),
    row<tfl::UniqueOptions>(),
    row<tfl::CallOptions>(),
    row<tfl::CallOnceOptions>(),
    row<tfl::IfOptions>(),
    row<tfl::WhileOptions>(),
    row<tfl::VarHandleOptions>(),
    row<tfl::HashtableOptions>(),
    row<tfl::ConcatEmbeddingsOptions>(),
    row<tfl::LSHProjectionOptions>(),
    row<tfl::EmbeddingLookupSparseOptions>(),
    row<tfl::SkipGramOptions>(),
};

constexpr Row kRows2[] = {
    row2<tfl::ReduceWindowOptions>(),
    row2<tfl::StableHLOCompositeOptions>(),
};

Status put_table(std::span<const Row> rows, int type, int last_type, const void* table,
                 OptionWriter& out) {
  if (type > last_type) return unsupported("unknown kind of options ", type);
  if (table == nullptr) return Done{};
  for (const Row& row : rows) {
    if (row.type == type) row.put(table, out);
  }
  return Done{};
}

}  // namespace

Result<std::map<std::string, TfliteOption>> decode_tflite_options(TfliteFile& file,
                                                                  const tfl::Operator& from) {
  OptionWriter out(file);
  HONE_RETURN_IF_ERROR(put_table(kOptionRows, static_cast<int>(from.builtin_options_type()),
                                 static_cast<int>(tfl::BuiltinOptions::MAX), from.builtin_options(),
                                 out));
  HONE_RETURN_IF_ERROR(put_table(kRows2, static_cast<int>(from.builtin_options_2_type()),
                                 static_cast<int>(tfl::BuiltinOptions2::MAX),
                                 from.builtin_options_2(), out));
  return std::move(out).finish();
}

}  // namespace hone
