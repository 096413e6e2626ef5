#include "hone/cli/hint_words.h"

#include "hone/base/check.h"
#include "hone/base/str.h"

namespace hone {
namespace {

// '@' stands for what the hint is of, and for `otherwise` where it does not say.
struct Words {
  std::string_view text;
  std::string_view otherwise = {};
};

Words words_of(HintKind kind) {
  switch (kind) {
    case HintKind::None:
      return {""};
    case HintKind::Extents:
      return {"--shapes @", "NAME:1x3x224x224"};
    case HintKind::OperatorMeaning:
      return {"--op @=EXPRESSION or --ops FILE says what it computes", "NAME"};
    case HintKind::Floats:
      return {
          "`hone convert MODEL --dequantize -o floats.onnx` makes floats of it, which `hone "
          "quantize` takes"};
    case HintKind::QuantizedModel:
      return {"hone quantize MODEL --data DIR -d @", "DEVICE"};
    case HintKind::Target:
      return {"`hone targets` lists them"};
    case HintKind::Network:
      return {"`hone zoo` lists them"};
    case HintKind::Threads:
      return {"--threads @", "N"};
    case HintKind::Precision:
      return {"--precision @", "fp16"};
    case HintKind::SamePrecision:
      return {"--precision, or -d NAME:int8"};
    case HintKind::ChangedInterface:
      return {"--allow-io-change"};
    case HintKind::InputsInArena:
      return {"--inputs-in-arena"};
    case HintKind::Samples:
      return {"--data DIR"};
    case HintKind::SamplesOrLimit:
      return {"--data DIR, --max-latency 5ms, ..."};
    case HintKind::Reference:
      return {"--reference MODEL"};
    case HintKind::AccuracyBaseline:
      return {"--reference MODEL or --baseline RESULT.json"};
    case HintKind::SpeedBaseline:
      return {"--baseline-model MODEL, --baseline RESULT.json or --reference MODEL"};
    case HintKind::Metric:
      return {"--metric @", "NAME"};
    case HintKind::Accuracies:
      return {"--accuracy @=77.1 for each, or --data DIR", "NAME"};
    case HintKind::Parameter:
      return {"--param @=VALUE", "NAME"};
    case HintKind::Range:
      return {"--range LOW,HIGH"};
    case HintKind::ProfileFile:
      return {"`hone profile MODEL --json FILE` writes one"};
    case HintKind::ProfileOfOthers:
      return {"`hone diagnose --import FILE` reads what other tools measured"};
    case HintKind::Clock:
      return {"--clock MHZ"};
    case HintKind::Measurement:
      return {"`hone profile` measures it"};
    case HintKind::Estimate:
      return {"--estimate predicts without it"};
    case HintKind::AllRows:
      return {"--rows 0 shows all"};
    case HintKind::Rate:
      return {"--usd-per-hour @=USD gives one", "NAME"};
    case HintKind::OperatorsOfNpus:
      return {"`hone compile --rules` tells of them"};
  }
  HONE_CHECK(false, "no such hint");
}

}  // namespace

std::string hint_words(const Hint& hint) {
  const Words words = words_of(hint.kind);
  std::string text(words.text);
  const size_t at = text.find('@');
  if (at != std::string::npos) {
    text.replace(at, 1, hint.of.empty() ? std::string(words.otherwise) : hint.of);
  }
  return text;
}

std::string message_of(const Error& error) {
  return error.message + in_brackets(error.hint, hint_words);
}

}  // namespace hone
