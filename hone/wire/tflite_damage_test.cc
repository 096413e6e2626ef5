// What the reader says to files that are wrong, cut off or flipped.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "hone/wire/tflite_testing.h"

namespace hone {
namespace {

void expect_error(const tfl::ModelT& model, ErrorKind kind, const std::string& message) {
  const Result<TfliteModel> result = read_packed(model);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, message);
  EXPECT_EQ(result.error().kind, kind);
}

// What reading the small model says after `change`.
void expect_bad(const std::function<void(tfl::ModelT&)>& change, const std::string& message) {
  tfl::ModelT model = small_model();
  change(model);
  expect_error(model, ErrorKind::BadInput, message);
}

void expect_unsupported(const std::function<void(tfl::ModelT&)>& change,
                        const std::string& message) {
  tfl::ModelT model = small_model();
  change(model);
  expect_error(model, ErrorKind::Unsupported, message);
}

TEST(TfliteDamage, RejectsStringsOutsideTheirBuffer) {
  const auto with = [](std::vector<int32_t> numbers) {
    return [numbers](tfl::ModelT& model) {
      const uint32_t buffer = add_buffer(model, bytes_of_values(numbers));
      add_tensor(*model.subgraphs[0], "s", tfl::TensorType::STRING, {2}, buffer);
    };
  };
  expect_bad(with({2, 16, 16, 17}),
             "tensor 5 's': string 1 lies at bytes 16 to 17 of a buffer of 16");
  expect_bad(with({2, -1, 16, 16}),
             "tensor 5 's': string 0 lies at bytes -1 to 16 of a buffer of 16");
  expect_bad(with({2, 16, 8, 16}),
             "tensor 5 's': string 0 lies at bytes 16 to 8 of a buffer of 16");
  expect_bad(with({3, 16, 16, 16}), "tensor 5 's': string buffer holds 3 strings, expected 2");
  expect_bad(with({2, 12, 12}), "tensor 5 's': string buffer of 12 bytes ends before its offsets");
}

TEST(TfliteDamage, RejectsSparseIndicesThatDoNotFit) {
  const auto with = [](const std::function<void(tfl::SparsityParametersT&)>& change) {
    return [change](tfl::ModelT& model) {
      make_sparse(model);
      change(*tensor_at(model, 5).sparsity);
    };
  };
  expect_bad(with([](auto& s) { s.dim_metadata[1]->array_indices.AsInt32Vector()->values[0] = 2; }),
             "tensor 5 'sparse': sparse index 2");
  expect_bad(
      with([](auto& s) { s.dim_metadata[1]->array_segments.AsUint8Vector()->values[1] = 3; }),
      "tensor 5 'sparse': sparse level of 2 indices has wrong segments");
  expect_bad(with([](auto& s) { s.traversal_order[1] = 0; }),
             "tensor 5 'sparse': sparse level 0 is of a wrong axis");
  expect_bad(with([](auto& s) { s.dim_metadata[2]->dense_size = 3; }),
             "tensor 5 'sparse': sparse block of 3 does not fit an axis of i8[4,4]");
  expect_bad(with([](auto& s) { s.block_map[0] = -1; }),
             "tensor 5 'sparse': sparse block of 2 does not fit an axis of i8[4,4]");
  expect_bad(with([](auto& s) { s.dim_metadata[1]->array_indices.Reset(); }),
             "tensor 5 'sparse': sparse level without indices");
  expect_bad(with([](auto& s) { s.dim_metadata.pop_back(); }),
             "tensor 5 'sparse': sparse tensor of 2 axes has 3 levels");
}

TEST(TfliteDamage, RejectsIndicesOutsideTheirTables) {
  expect_bad([](auto& m) { tensor_at(m, 1).buffer = 99; },
             "tensor 1 'w': buffer 99 does not exist; there are 4");
  expect_bad([](auto& m) { m.metadata[0]->buffer = 99; },
             "metadata 'min_runtime_version': buffer 99 does not exist; there are 4");
  expect_bad([](auto& m) { m.subgraphs[0]->inputs = {5}; },
             "subgraph input 0 is tensor 5; there are 5");
  expect_bad(
      [](auto& m) {
        m.subgraphs[0]->outputs = {4, -1};
      },
      "subgraph output 1 is tensor -1; there are 5");
  expect_bad([](auto& m) { m.subgraphs[0]->operators[0]->opcode_index = 2; },
             "operator 0: operator code 2 does not exist; there are 2");
  expect_bad([](auto& m) { m.subgraphs[0]->operators[0]->inputs[1] = 5; },
             "operator 0: FULLY_CONNECTED: input 1 is tensor 5; there are 5");
  expect_bad([](auto& m) { m.subgraphs[0]->operators[0]->inputs[1] = -2; },
             "operator 0: FULLY_CONNECTED: input 1 is tensor -2; there are 5");
  expect_bad([](auto& m) { m.subgraphs[0]->operators[1]->outputs[0] = -1; },
             "operator 1: 'MyOp': output 0 is tensor -1; there are 5");
  expect_bad(
      [](auto& m) {
        m.subgraphs[0]->operators[0]->intermediates = {0, 77};
      },
      "operator 0: FULLY_CONNECTED: intermediate 1 is tensor 77; there are 5");
}

TEST(TfliteDamage, RejectsSubgraphsThatDoNotExist) {
  tfl::IfOptionsT options;
  options.else_subgraph_index = 1;
  const auto add_if = [&](tfl::ModelT& model) {
    add_op(model, tfl::BuiltinOperator::IF, {0}, {4}).builtin_options.Set(options);
  };
  expect_bad(add_if,
             "operator 2: IF: option else_subgraph_index: subgraph 1 "
             "does not exist; there are 1");
  tfl::ModelT model = small_model();
  add_if(model);
  model.subgraphs.push_back(std::make_unique<tfl::SubGraphT>());
  EXPECT_TRUE(read_packed(model).ok());
  model.subgraphs[1]->inputs = {0};
  expect_error(model, ErrorKind::BadInput, "subgraph 1: subgraph input 0 is tensor 0; there are 0");
}

TEST(TfliteDamage, RejectsShapesAndBuffersThatDisagree) {
  expect_bad([](auto& m) { m.buffers[1]->data.resize(12); },
             "tensor 1 'w': buffer holds 12 bytes, expected 16 for i8[4,4]");
  expect_bad([](auto& m) { tensor_at(m, 4).shape = {-3}; }, "tensor 4 'z': extent -3 is negative");
  expect_bad([](auto& m) { tensor_at(m, 4).shape.assign(5, 1 << 30); },
             "tensor 4 'z': "
             "f32[1073741824,1073741824,1073741824,1073741824,1073741824] claims "
             "more than the 64 GiB a tensor may have");
  expect_bad([](auto& m) { tensor_at(m, 4).shape.assign(65, 1); },
             "tensor 4 'z': has 65 axes, expected at most 64");
  expect_bad([](auto& m) { tensor_at(m, 0).shape_signature = {-1}; },
             "tensor 0 'x': shape signature has 1 axes, expected 2");
  expect_bad(
      [](auto& m) {
        tensor_at(m, 2).shape = {-1};
        tensor_at(m, 2).quantization.reset();
      },
      "tensor 2 'b': constant of unknown shape i32[?]");
}

TEST(TfliteDamage, RejectsBoolsThatAreNeitherTrueNorFalse) {
  expect_bad(
      [](auto& m) {
        add_tensor(*m.subgraphs[0], "f", tfl::TensorType::BOOL, {2}, add_buffer(m, {1, 2}));
      },
      "tensor 5 'f': buffer holds a bool that is neither 0 nor 1");
}

TEST(TfliteDamage, RejectsQuantizationThatMakesNoSense) {
  expect_bad(
      [](auto& m) {
        quantize(tensor_at(m, 1), {1, 2, 3}, {});
      },
      "tensor 1 'w': quantization has 3 scales for 4 channels along axis 0");
  expect_bad(
      [](auto& m) {
        quantize(tensor_at(m, 1), {1, 2, 3, 4}, {1, 2});
      },
      "tensor 1 'w': quantization has 4 scales and 2 zero points");
  expect_bad(
      [](auto& m) {
        quantize(tensor_at(m, 1), {1, 2, 3, 4}, {}, 2);
      },
      "tensor 1 'w': quantization axis 2 is outside i8[4,4]");
  expect_bad(
      [](auto& m) {
        quantize(tensor_at(m, 1), {1, 2, 3, 4}, {}, -1);
      },
      "tensor 1 'w': quantized dimension -1 is negative");
  expect_bad([](auto& m) { quantize(tensor_at(m, 0), {-0.5f}, {}); },
             "tensor 0 'x': quantization scale -0.5 is not a positive number");
  expect_bad([](auto& m) { quantize(tensor_at(m, 0), {std::nanf("")}, {}); },
             "tensor 0 'x': quantization scale nan is not a positive number");
  expect_bad([](auto& m) { quantize(tensor_at(m, 0), {1}, {int64_t{1} << 31}); },
             "tensor 0 'x': zero point 2147483648 of i8, expected -128 to 127");
  expect_bad([](auto& m) { quantize(tensor_at(m, 0), {1}, {-129}); },
             "tensor 0 'x': zero point -129 of i8, expected -128 to 127");
}

TEST(TfliteDamage, SaysWhatItDoesNotSupport) {
  expect_unsupported([](auto& m) { m.version = 2; }, "schema version 2");
  expect_unsupported([](auto& m) { tensor_at(m, 4).external_buffer = 1; },
                     "tensor 4 'z': data in another file");
  expect_unsupported(
      [](auto& m) { tensor_at(m, 1).quantization->details.Set(tfl::BlockwiseQuantizationT()); },
      "tensor 1 'w': quantization of kind 2 BlockwiseQuantization");
  expect_unsupported(
      [](auto& m) { m.operator_codes[0]->builtin_code = static_cast<tfl::BuiltinOperator>(4000); },
      "operator 0: unknown builtin operator 4000");
  expect_unsupported(
      [](auto& m) {
        auto* options = m.subgraphs[0]->operators[0]->builtin_options.AsFullyConnectedOptions();
        options->fused_activation_function = static_cast<tfl::ActivationFunctionType>(9);
      },
      "operator 0: FULLY_CONNECTED: option fused_activation_function: unknown "
      "value 9");
}

TEST(TfliteDamage, KeepsMessagesOnOneLine) {
  expect_bad(
      [](auto& m) {
        tensor_at(m, 4).name = "a\nb" + std::string(200, 'c');
        tensor_at(m, 4).shape = {-3};
      },
      "tensor 4 'a?b" + std::string(97, 'c') + "...': extent -3 is negative");
}

TEST(TfliteDamage, RejectsFilesThatAreSomethingElse) {
  const auto message = [](std::string_view bytes) {
    const Result<TfliteModel> result = read_tflite_bytes(shared(bytes));
    EXPECT_FALSE(result.ok());
    return result.error().message;
  };
  EXPECT_EQ(message(""), "not a TFLite model: 0 bytes are too few");
  EXPECT_EQ(message("\x08\x07\x12\x04onnx...."),
            "not a TFLite model: identifier 'onnx', expected 'TFL3'");
  EXPECT_EQ(message("\x10...TFL3........"),
            "damaged TFLite model: offsets do not fit the file of 16 bytes");
  EXPECT_EQ(read_tflite("/nonexistent.tflite").error().message,
            "/nonexistent.tflite: no such file");
}

TEST(TfliteDamage, RejectsAModelWithoutSubgraphs) {
  tfl::ModelT model;
  model.version = 3;
  expect_error(model, ErrorKind::BadInput, "the model has no subgraphs");
}

TEST(TfliteDamage, RejectsEveryTruncation) {
  tfl::ModelT model = small_model();
  make_sparse(model);
  const std::string bytes = packed(model);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(read_tflite_bytes(shared(bytes.substr(0, size))).ok()) << size;
  }
}

// Whatever comes back, the process must live, and a model must keep what tflite.h promises.
void expect_sane(const Result<TfliteModel>& model) {
  if (!model.ok()) {
    EXPECT_EQ(model.error().message.find('\n'), std::string::npos);
    return;
  }
  for (const TfliteSubgraph& subgraph : model->subgraphs) {
    for (const TfliteTensor& tensor : subgraph.tensors) {
      EXPECT_TRUE(tensor.type.check().ok());
      if (!tensor.constant) continue;
      EXPECT_EQ(tensor.constant->type(), tensor.type);
      // Touches the last byte, for the address sanitizer.
      const std::span<const std::byte> bytes = tensor.constant->bytes();
      if (!bytes.empty()) {
        EXPECT_GE(std::to_integer<int>(bytes.back()), 0);
      }
    }
    for (const TfliteOp& op : subgraph.ops) {
      for (const int i : op.inputs) EXPECT_LT(i, static_cast<int>(subgraph.tensors.size()));
    }
  }
}

TEST(TfliteDamage, SurvivesEveryBitFlip) {
  const std::string bytes = packed(small_model());
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = bytes;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      expect_sane(read_tflite_bytes(shared(flipped)));
    }
  }
}

TEST(TfliteDamage, StopsAtFilesThatUnfoldWithoutEnd) {
  // Half a million tensors share one table, whose name has a million letters.
  flatbuffers::FlatBufferBuilder builder;
  const auto name = builder.CreateString(std::string(1000000, 'n'));
  const auto tensor = tfl::CreateTensor(builder, 0, tfl::TensorType::FLOAT32, 0, name);
  const auto tensors =
      builder.CreateVector(std::vector<flatbuffers::Offset<tfl::Tensor>>(500000, tensor));
  const auto subgraph = tfl::CreateSubGraph(builder, tensors);
  const auto subgraphs = builder.CreateVector(std::vector{subgraph});
  tfl::FinishModelBuffer(builder, tfl::CreateModel(builder, 3, 0, subgraphs));
  const auto* start = reinterpret_cast<const char*>(builder.GetBufferPointer());
  const auto result = read_tflite_bytes(shared({start, builder.GetSize()}));
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("unfolds to more than 64 times the size of its file"),
            std::string::npos);
}

}  // namespace
}  // namespace hone
