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
  int64_t threads = 0;                   // That ran it; 0: not told.
  bool on_gpu = false;                   // As far as is told.
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

// The truth is expected between figure / (1 + error) and figure * (1 + error).
struct FittedInterval {
  std::string of = {};  // The precision whose predictions it is of; empty: of all.
  double error = 0;
  std::string how = {};  // It came about, one sentence.
};

struct FittedDevice {
  Device device = {};  // With its CalibrationFit.
  std::vector<FittedParameter> parameters = {};
  std::vector<FittedPoint> points = {};
  int left_out = 0;  // Of the points: too odd to learn from.
  std::vector<FittedInterval> intervals = {};
  std::vector<std::string> notes = {};  // On the points and where they are from.
};

}  // namespace hone
