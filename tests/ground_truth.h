// Published times of real devices beside what Hone's models of them predict. The rows come from CSV
// files with the columns device, model, and latency_ms or npu_total_cycles; two tables say which
// device of the catalog and which network is meant.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/text.h"
#include "hone/passes/device_io.h"
#include "hone/profile/import/rows.h"
#include "hone/targets/devices.h"
#include "hone/workbench/workbench.h"
#include "tests/shared_files.h"

namespace hone {

struct KnownDevice {
  std::string_view part;  // Of the name in the file.
  std::string_view name;  // In the catalog.
};

// In this order: the USB stick's rows name its desktop CPU, too.
inline constexpr KnownDevice kDevices[] = {
    {"Coral USB", "edge-tpu-usb"},
    {"Coral Dev Board", "edge-tpu-pcie"},
    {"Desktop CPU", "xeon-desktop-tflite"},
    {"Cortex-A53", "cortex-a53-coral"},
    {"Ethos-U55 (kit default, 128 MAC/cc)", "ethos-u55-128"},
    {"Ethos-U65-256", "ethos-u65-256"},
};

struct KnownNetwork {
  std::string_view model;  // As tables spell it.
  std::string_view spec;   // zoo:NAME, or a file of ../shared/models.
  int64_t pixels = 0;      // Height and width of the input; 0: as it is built.
  // What is known to differ from what was measured.
  std::string_view note = "";
  bool large = false;  // Takes about ten seconds: for the tables of docs/accuracy.md only.
  // The note says why it is not what was measured: intervals do not stand on it.
  bool differs = false;
};

inline constexpr KnownNetwork kNetworks[] = {
    // coral.ai/docs/edgetpu/benchmarks and coral.ai/models
    {"Inception v1", "zoo:inception_v1"},
    {"Inception v4", "zoo:inception_v4"},
    {"MobileNet v1", "zoo:mobilenet_v1", 0, "softmax stays float"},
    {"MobileNet v1 0.25", "coral/mobilenet_v1_025_128_uint8.tflite"},
    {"MobileNet v2", "zoo:mobilenet_v2"},
    {"MobileNet v1 SSD", "zoo:mobilenet_v1_ssd", 0, "boxes are not decoded", false, true},
    {"MobileNet v2 SSD", "zoo:mobilenet_v2_ssd", 0, "boxes are not decoded", false, true},
    {"ResNet-50 V1", "zoo:resnet50", 299},
    {"ResNet-50 V2", "zoo:resnet50", 299, "v1.5 stands in for V2"},
    {"ResNet-152 V2", "zoo:resnet152", 299, "v1.5 stands in for V2", true},
    {"DenseNet", "zoo:densenet121", 0, "which DenseNet is not said", false, true},
    {"SqueezeNet", "zoo:squeezenet", 0, "1.1 stands in; which is not said", false, true},
    {"VGG16", "zoo:vgg16", 0, "", true},
    {"VGG19", "zoo:vgg19", 0, "", true},
    {"EfficientNet-EdgeTpu-S", "zoo:efficientnet_edgetpu_s"},
    {"EfficientNet-EdgeTpu-M", "zoo:efficientnet_edgetpu_m"},
    {"EfficientNet-EdgeTpu-L", "zoo:efficientnet_edgetpu_l"},
    // Arm's evaluation kit
    {"MicroNet KWS medium INT8", "zoo:micronet_kws_m"},
    {"MicroNet AD medium INT8", "zoo:micronet_ad_m"},
    {"MobileNet v2 1.0 INT8", "coral/mobilenet_v2_ptq_int8.tflite"},
    {"wav2letter INT8", "zoo:wav2letter", 0, "whether it was pruned is not said"},
    // NXP's eIQ model zoo, by folder
    {"keyword-spotting_DSCNN", "mlperf_tiny/kws_int8.tflite", 0, "the row names another delegate",
     false, true},
    {"deep-autoencoder", "mlperf_tiny/ad_int8.tflite", 0, "the row names another delegate", false,
     true},
    {"visual-wake-word", "mlperf_tiny/vww_int8.tflite"},
    {"tiny-resnet", "mlperf_tiny/ic_int8.tflite"},
    {"efficientnet-lite", "zoo:efficientnet_lite0"},
    {"mobilenetv1", "coral/mobilenet_v1_025_128_uint8.tflite"},
    {"mobilenetv2", "coral/mobilenet_v2_ptq_int8.tflite"},
    {"resnet", "zoo:resnet50", 0, "v1.5 stands in for V2"},
    {"ssdlite-mobilenetv2", "zoo:mobilenet_v2_ssdlite", 0, "boxes are not decoded", false, true},
};

struct PublishedTime {
  std::string device = {};  // In the catalog; empty when it is not there.
  std::string model = {};
  double value = 0;
  std::string text = {};  // The value as the file has it.
  bool cycles = false;    // Of the NPU; otherwise ms.
  const KnownNetwork* network = nullptr;
  double predicted = 0;

  double error() const { return predicted / value - 1; }
};

inline std::string catalog_name(std::string_view device) {
  for (const KnownDevice& known : kDevices) {
    if (device.find(known.part) != std::string_view::npos) return std::string(known.name);
  }
  return {};
}

inline const KnownNetwork* find_network(std::string_view model) {
  const auto found = std::ranges::find(kNetworks, model, &KnownNetwork::model);
  return found == std::end(kNetworks) ? nullptr : found;
}

inline Result<std::vector<PublishedTime>> read_published(const std::filesystem::path& path) {
  HONE_TRY(const SharedBytes file, read_file(path));
  const std::string_view text(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  HONE_TRY(const std::vector<Row> rows, read_csv(text));
  HONE_TRY(const Column device, find_column(rows.at(0), "device"));
  HONE_TRY(const Column model, find_column(rows.at(0), "model"));
  HONE_TRY(const Column latency, find_column(rows.at(0), "latency_ms"));
  const Result<Column> cycles = find_column(rows.at(0), "npu_total_cycles");
  std::vector<PublishedTime> published;
  for (size_t r = 1; r < rows.size(); ++r) {
    PublishedTime row;
    row.device = catalog_name(cell_of(rows[r], device));
    row.model = cell_of(rows[r], model);
    row.network = find_network(row.model);
    row.cycles = cycles.ok() && !cell_of(rows[r], *cycles).empty();
    const Column& column = row.cycles ? *cycles : latency;
    HONE_TRY(row.value, number_of(rows[r], column, kMostCount));
    row.text = cell_of(rows[r], column);
    published.push_back(std::move(row));
  }
  return published;
}

// As it was measured: bytes, channels last, from the input to the output.
inline Result<Graph> open_network(const KnownNetwork& network) {
  if (!network.spec.starts_with("zoo:")) {
    HONE_TRY(Model model, open_model((shared_dir() / "models" / network.spec).string()));
    return std::move(model.graph);
  }
  LoadOptions options;
  if (network.pixels > 0) options.shapes["input"] = {1, 3, network.pixels, network.pixels};
  HONE_TRY(Model model, open_model(str(network.spec, ":int8"), options));
  use_integer_io(model.graph);
  use_channels_last(model.graph);
  return std::move(model.graph);
}

inline Status predict(PublishedTime& row, const Graph& graph) {
  HONE_TRY(const TargetDef* target, find_target(row.device));
  HONE_TRY(const Device* device, find_device(row.device));
  HONE_TRY(const std::unique_ptr<Program> program,
           target->open()->compile(std::move(*graph.clone()), {.threads = 1}));
  const Metric latency = program->modelled()->latency;
  if (!latency.value) return unsupported(latency.note);
  const double ms = *latency.value;
  row.predicted = row.cycles ? device->npu()->cycles(1e3 * ms) : ms;
  return Done{};
}

inline bool can_predict(const PublishedTime& row) {
  return row.network != nullptr && !row.device.empty();
}

// Every network is built once, since quantizing is most of the time.
inline Status predict(std::vector<PublishedTime>& rows) {
  std::vector<PublishedTime*> open;
  for (PublishedTime& row : rows) {
    if (can_predict(row)) open.push_back(&row);
  }
  while (!open.empty()) {
    const KnownNetwork& network = *open[0]->network;
    HONE_TRY(const Graph graph, open_network(network));
    const auto same = std::partition(open.begin(), open.end(), [&](const PublishedTime* row) {
      return row->network->spec != network.spec || row->network->pixels != network.pixels;
    });
    for (auto row = same; row != open.end(); ++row) {
      HONE_RETURN_IF_ERROR(predict(**row, graph).in(str((*row)->model, " on ", (*row)->device)));
    }
    open.erase(same, open.end());
  }
  return Done{};
}

// Of the absolute errors, the mean of the middle two where there is no middle; 0 of none.
inline double median_error(const std::vector<PublishedTime>& rows, std::string_view device = "") {
  std::vector<double> errors;
  for (const PublishedTime& row : rows) {
    if (!can_predict(row) || (!device.empty() && row.device != device)) continue;
    errors.push_back(std::abs(row.error()));
  }
  if (errors.empty()) return 0;
  std::ranges::sort(errors);
  return (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]) / 2;
}

// How far rows are off, as logarithms of factors, in order; of an empty device those of all NPUs.
// Rows of networks that differ from what was measured do not count.
inline std::vector<double> checked_errors(const std::vector<PublishedTime>& rows,
                                          std::string_view device) {
  std::vector<double> errors;
  for (const PublishedTime& row : rows) {
    if (!can_predict(row) || row.network->differs) continue;
    const bool wanted =
        device.empty() ? (*find_device(row.device))->npu() != nullptr : row.device == device;
    if (wanted) errors.push_back(std::abs(std::log(row.predicted / row.value)));
  }
  std::ranges::sort(errors);
  return errors;
}

// Expected to hold nine of ten further rows: as many of n + 1 are not further off than the
// ceil(0.9 (n + 1))-th of n. Nothing where there are fewer than that.
inline std::optional<double> interval_factor(const std::vector<double>& errors) {
  const auto which = static_cast<size_t>(std::ceil(0.9 * static_cast<double>(errors.size() + 1)));
  if (which > errors.size()) return std::nullopt;
  return std::exp(errors[which - 1]);
}

inline size_t held_rows(const std::vector<double>& errors, double factor) {
  return static_cast<size_t>(
      std::ranges::count_if(errors, [&](double error) { return error <= std::log(factor); }));
}

// "Inception v4 on edge-tpu-usb: published 85 ms, predicted 84.1 ms, -1.0 %".
inline std::string line_of(const PublishedTime& row) {
  const std::string_view unit = row.cycles ? " cycles" : " ms";
  std::string line =
      str(row.model, " on ", row.device.empty() ? "?" : row.device, ": published ", row.text, unit);
  if (!can_predict(row)) {
    return line + (row.device.empty() ? ", no such device" : ", no such network");
  }
  return str(line, ", predicted ", row.predicted, unit, ", ", row.error() > 0 ? "+" : "",
             fixed(100 * row.error(), 1), " %");
}

}  // namespace hone
