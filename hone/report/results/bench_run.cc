#include "hone/report/results/bench_run.h"

#include "hone/base/str.h"
#include "hone/profile/json_schema.h"
#include "hone/report/results/result_json.h"

namespace hone {
namespace {

// A network as files have it: with an error, or with all but that.
struct NetworkRecord {
  std::string model = {};
  std::optional<std::string> error = {};
  std::optional<std::string> precision = {};
  std::optional<std::vector<Metric>> metrics = {};  // The latency.
  std::optional<double> median_low_ms = {};
  std::optional<double> median_high_ms = {};
  std::optional<double> gmacs = {};
  std::optional<double> gops_per_second = {};
  std::optional<uint64_t> arena_bytes = {};
  std::optional<std::vector<std::string>> reference_ops = {};
  std::optional<std::vector<std::string>> plain_kernels = {};
};

struct BenchRecord {
  std::string target = {};
  Mode mode = Mode::Measured;
  int threads = 0;
  std::optional<std::string> machine = {};
  std::vector<NetworkRecord> networks = {};
};

template <class Fields>
void visit_fields(Fields& f, NetworkRecord& n) {
  f("model", n.model);
  f("error", n.error);
  f("precision", n.precision);
  f("metrics", n.metrics);
  f("median_low_ms", n.median_low_ms);
  f("median_high_ms", n.median_high_ms);
  f("gmacs", n.gmacs);
  f("gops_per_second", n.gops_per_second);
  f("arena_bytes", n.arena_bytes);
  f("reference_ops", n.reference_ops);
  f("plain_kernels", n.plain_kernels);
}

template <class Fields>
void visit_fields(Fields& f, BenchRecord& r) {
  f("target", r.target);
  f("mode", r.mode);
  f("threads", r.threads);
  f("machine", r.machine);
  f("networks", r.networks);
}

NetworkRecord network_record(const BenchedNetwork& network) {
  if (!network.result) return {.model = network.model, .error = network.error->message};
  const BenchResult& result = *network.result;
  return {.model = network.model,
          .precision = result.precision,
          .metrics = std::vector<Metric>{result.latency},
          .median_low_ms = result.median_low,
          .median_high_ms = result.median_high,
          .gmacs = result.gmacs,
          .gops_per_second = result.rate(),
          .arena_bytes = result.arena_bytes,
          .reference_ops = result.reference_ops,
          .plain_kernels = result.plain_kernels};
}

BenchedNetwork network_of(const NetworkRecord& record) {
  BenchedNetwork network{.model = record.model};
  if (record.error || !record.metrics || record.metrics->empty()) {
    network.error = bad_input(record.error.value_or("the file tells no latency"));
    return network;
  }
  network.result =
      BenchResult{.latency = record.metrics->front(),
                  .median_low = record.median_low_ms,
                  .median_high = record.median_high_ms,
                  .precision = record.precision.value_or(""),
                  .gmacs = record.gmacs.value_or(0),
                  .arena_bytes = record.arena_bytes.value_or(0),
                  .reference_ops = record.reference_ops.value_or(std::vector<std::string>{}),
                  .plain_kernels = record.plain_kernels.value_or(std::vector<std::string>{})};
  return network;
}

}  // namespace

std::string failure_of(const BenchedNetwork& network) {
  // What opens a model names it already.
  const std::string& why = network.error->message;
  return why.starts_with(network.model) ? why : str(network.model, ": ", why);
}

std::optional<CertainRange> certain_range(const BenchResult& result) {
  if (result.median_low && result.median_high) {
    return CertainRange{*result.median_low, *result.median_high};
  }
  const Metric& latency = result.latency;
  if (latency.mode == Mode::Measured || !latency.low || !latency.high) return std::nullopt;
  return CertainRange{*latency.low, *latency.high};
}

bool surely_faster(const BenchResult& faster, const BenchResult& slower) {
  const auto a = certain_range(faster), b = certain_range(slower);
  return !a || !b ? *faster.latency.value < *slower.latency.value : a->high_ms < b->low_ms;
}

Json bench_schema() {
  return result_schema_of<BenchRecord>("bench");
}

Json bench_to_json(const BenchRun& run) {
  Json networks = Json::array();
  for (const BenchedNetwork& network : run.networks) {
    NetworkRecord record = network_record(network);
    networks.push_back(without_nulls(JsonWriter::write(record)));
  }
  Json json = {{"kind", "bench"},
               {"target", run.target},
               {"mode", mode_name(run.mode)},
               {"threads", run.threads}};
  if (!run.machine.empty()) json["machine"] = run.machine;
  json["networks"] = std::move(networks);
  return json;
}

Result<BenchRun> bench_from_json(const Json& results) {
  HONE_TRY(const BenchRecord record, read_fields<BenchRecord>(results));
  BenchRun run{.target = record.target,
               .mode = record.mode,
               .threads = record.threads,
               .machine = record.machine.value_or("")};
  for (const NetworkRecord& network : record.networks) {
    run.networks.push_back(network_of(network));
  }
  return run;
}

}  // namespace hone
