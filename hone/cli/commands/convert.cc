#include "hone/cli/options.h"
#include "hone/model/save.h"
#include "hone/passes/device_io.h"
#include "hone/passes/half_precision.h"
#include "hone/passes/pass_def.h"
#include "hone/quantize/dequantize.h"
#include "hone/report/results/conversion.h"

namespace hone {
namespace {

struct ConvertArguments {
  ModelOptions model;
  JsonOutput json;
  std::string output;
  bool optimize = false;
  bool dequantize = false;
  bool integer_io = false;
  bool channels_last = false;
  std::string precision = "fp32";
  std::vector<std::string> disabled;
};

Result<Exit> run_convert(const ConvertArguments& options, const CommandContext& context) {
  if (!names_model_file(options.output)) {
    return bad_input(options.output, ": expected a file name that ends in .onnx or .tflite");
  }
  HONE_TRY(Model model, options.model.open());
  if (options.dequantize) HONE_RETURN_IF_ERROR(dequantize_graph(model.graph).in(model.name));
  Conversion done{.file = options.output, .integer_io = options.integer_io, .graph = &model.graph};
  if (options.optimize) {
    const PipelineOptions pipeline{.disabled = {options.disabled.begin(), options.disabled.end()}};
    HONE_TRY(done.passes, hone::optimize(model.graph, pipeline));
  }
  if (options.integer_io) {
    done.io.integers = use_integer_io(model.graph);
    if (done.io.empty()) {
      return bad_input(
          model.name, ": --integer-io: no input is quantized, no output dequantized, by one scale");
    }
  }
  if (options.channels_last) {
    done.io.channels_last = use_channels_last(model.graph);
    if (done.io.channels_last.empty()) {
      return bad_input(
          model.name,
          ": --channels-last: no input of four known extents is read with its channels second");
    }
  }
  if (options.precision == "fp16") use_half_precision(model.graph);
  HONE_TRY(done.nodes, save_model(model.graph, options.output).in(model.name));
  if (!options.json.to_stdout()) context.notes() << conversion_text(done);
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(
        options.json.write(context, &model, options.model.model, conversion_to_json(done)));
  }
  return Exit::Pass;
}

CommandDef::Action declare_convert(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<ConvertArguments>();
  options->model.declare(flags);
  flags.output("-o,--output FILE", options->output, "the file to write, as .onnx or .tflite")
      .required();
  flags.toggle("--dequantize", options->dequantize,
               "make floats of a quantized model: weights keep their values, activations are no "
               "longer rounded");
  flags.toggle("--integer-io", options->integer_io,
               "take the inputs and give the outputs of a quantized model as integers");
  flags.toggle("--channels-last", options->channels_last,
               "take inputs [N, C, H, W] as [N, H, W, C]");
  flags.toggle("--optimize", options->optimize,
               "run the graph passes of stage `clean` first; see `hone passes`");
  flags.texts("--disable-pass PASS", options->disabled, "leave a pass out");
  flags
      .text("--precision TYPE", options->precision,
            "`fp16` computes in float16 what it is enough for; inputs and outputs stay float32")
      .one_of({"fp32", "fp16"});
  options->json.declare(flags);
  return [options, &context] { return run_convert(*options, context); };
}

}  // namespace

extern const CommandDef command_convert = {
    .name = "convert",
    .summary = "Writes any model as ONNX, quantized ones with Q/DQ pairs, or as TFLite.",
    .examples = {"hone convert model.tflite -o model.onnx",
                 "hone convert zoo:resnet50 -o resnet50.onnx",
                 "hone convert int8.onnx --integer-io --channels-last -o int8.tflite",
                 "hone convert quantized.tflite --dequantize -o float.onnx",
                 "hone convert int8.onnx --integer-io --channels-last -o device.onnx",
                 "hone convert model.onnx --optimize --precision fp16 -o half.onnx"},
    .declare = declare_convert,
};

}  // namespace hone
