// A device whose model was fitted to what was measured on the real thing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hone/device/device.h"

namespace hone {

// What was measured.
struct FitPoint {
  std::string model = {};  // As open_model takes it.
  double latency_ms = 0;
  std::optional<double> energy_mj = {};  // Of one run.
  std::string precision = {};            // "fp16"; empty: as the device runs the model.
  int64_t batch = 0;                     // Of that run; 0: as the model is.
  std::string from = {};                 // "board.csv: line 3", for messages.
};

// "zoo:resnet50, fp16, batch 8"
std::string label_of(const FitPoint& point);

struct FittedParameter {
  std::string name = {};  // "queue.start_us", "memory bandwidth, factor".
  double before = 0;
  double after = 0;
};

struct FittedPoint {
  FitPoint measured = {};
  double before_ms = 0;
  double after_ms = 0;
  // Of a prediction by a fit to all other points: predicted / measured - 1. None under three
  // points, but for devices of a class, which predicts without any.
  std::optional<double> left_out = {};
  double before_mj = 0;
  double after_mj = 0;
};

struct FittedDevice {
  Device device = {};  // With its CalibrationFit.
  std::vector<FittedParameter> parameters = {};
  std::vector<FittedPoint> points = {};
  std::string interval = {};  // How the half width of the interval came about, one sentence.
  std::vector<std::string> notes = {};  // On the points and where they are from.
};

}  // namespace hone
