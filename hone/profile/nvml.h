// Energy counters of NVIDIA GPUs, through the driver's own library where there is one.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace hone {

class NvmlEnergy {
 public:
  NvmlEnergy();
  ~NvmlEnergy();
  NvmlEnergy(const NvmlEnergy&) = delete;
  NvmlEnergy& operator=(const NvmlEnergy&) = delete;

  struct Reading {
    std::string gpu;         // "NVIDIA H200".
    double millijoules = 0;  // Since the driver was loaded.
  };
  // One per GPU that counts its energy; empty without a driver.
  std::vector<Reading> read() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace hone
