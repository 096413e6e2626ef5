#include "hone/validate/metrics/wanted.h"

#include "hone/validate/real_values.h"

namespace hone {

const SampleRows& wanted_rows(const DataSet& data) {
  return data.targets ? *data.targets : data.inputs[0];
}

Status check_wanted(const DataSet& data, const Graph& graph) {
  const SampleRows& wanted = wanted_rows(data);
  const std::optional<int64_t> given = output_elements(graph, 0);
  const int64_t expected = wanted.row_type().elements();
  if (expected == 0) return bad_input(wanted.name(), ": samples have no elements");
  if (!given || *given == expected) return Done{};
  if (data.targets) {
    return bad_input(wanted.name(), ": holds ", expected,
                     " values per sample, but the model's first output is ",
                     graph.outputs()[0]->type);
  }
  return bad_input(
             "nothing to compare the outputs with: the data has neither labels nor targets; put ",
             data.of_pictures()
                 ? "pictures into a folder for every class, or labels.txt beside them"
                 : "labels.npy (class numbers) or targets.npy (wanted outputs) beside the inputs",
             ", or give a reference model")
      .needs({HintKind::Reference});
}

Result<std::vector<double>> row_values(const SampleRows& rows, size_t s, const Value& like) {
  HONE_TRY(const Tensor row, rows.row(static_cast<int64_t>(s)));
  const TensorType& type = like.type.tensor;
  const bool stored = kInteger.contains(row.dtype()) && row.dtype() == type.dtype;
  if (!stored || !type.quantized() || !type.quant->per_tensor()) return to_doubles(row);
  return real_values(row.with_quantization(type.quant));
}

Result<std::vector<double>> wanted_values(const Evaluation& in, size_t s) {
  const Value& like = in.data.targets ? *in.graph.outputs()[0] : *in.graph.inputs()[0];
  return row_values(wanted_rows(in.data), s, like);
}

Result<double> squared_error(const Evaluation& in, size_t s, const std::vector<double>& wanted) {
  const Tensor& output = in.predictions.samples[s][0];
  HONE_RETURN_IF_ERROR(need_elements(output, static_cast<int64_t>(wanted.size()), s));
  const std::vector<double> actual = real_values(output);
  double sum = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    sum += (actual[i] - wanted[i]) * (actual[i] - wanted[i]);
  }
  return sum / static_cast<double>(actual.size());
}

}  // namespace hone
