// What a caller could give, or do, so that something works, or works better. Messages speak of its
// meaning; each face adds how it is said there: the command line as flags (cli/hint_words).
#pragma once

#include <string>

namespace hone {

enum class HintKind {
  None,
  // To read and run a model.
  Extents,           // Of inputs that leave them open; `of` is an example, "x:1x8", or empty.
  OperatorMeaning,   // What the operator `of` computes, which Hone does not know.
  Floats,            // A model that is not quantized.
  QuantizedModel,    // One quantized for the device `of`.
  Target,            // The name of one.
  Network,           // The same of one that is built in.
  Threads,           // `of` is their number.
  Precision,         // "fp16".
  SamePrecision,     // For everything that is compared.
  ChangedInterface,  // Leave to take inputs and give outputs in another type or order.
  InputsInArena,     // Leave to write over inputs, which lie in what firmware works in.
  // To judge one.
  Samples,
  SamplesOrLimit,
  Reference,         // A model that is right.
  AccuracyBaseline,  // The accuracy of a reference, or of before.
  SpeedBaseline,     // The time of a reference, or of before.
  Metric,            // The one that `of` names.
  Accuracies,        // Of each model of several, such as `of`.
  // Of expressions.
  Parameter,  // A value for the name `of`.
  Range,      // Where the function has values.
  // Of results.
  ProfileFile,
  ProfileOfOthers,  // What another tool measured, in place of a model.
  Clock,            // Of a device whose cycles were counted.
  Measurement,      // Of what no model tells.
  Estimate,         // A prediction, which needs none of the programs that a measurement does.
  AllRows,          // Of a table of which some are shown.
  Rate,             // What the device `of` costs an hour.
  OperatorsOfNpus,  // Those that their engines run.
};

struct Hint {
  HintKind kind = HintKind::None;
  std::string of = {};

  bool operator==(const Hint&) const = default;
};

// A hint in the words of a face.
using HintWords = std::string (*)(const Hint& hint);

// " (--shapes x:1x8)"; empty where there is no hint, or nobody to put it into words.
inline std::string in_brackets(const Hint& hint, HintWords words) {
  if (words == nullptr || hint.kind == HintKind::None) return {};
  return " (" + words(hint) + ")";
}

}  // namespace hone
