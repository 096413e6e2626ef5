// Kernels as source, and as what can be launched: compiled once for a GPU and kept on the disk.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hone/cuda/gpu.h"

namespace hone::cuda {

// A text with an entry of C linkage, whole: what it is specialised to is in it.
struct KernelSource {
  std::string name;  // For messages and profiles: "conv 64x64x32".
  std::string entry;
  std::string text;
  bool operator==(const KernelSource&) const = default;
};

struct Kernel {
  void* function = nullptr;
  int registers = 0;    // Of a thread.
  int local_bytes = 0;  // Of a thread, in memory: registers that did not suffice.
};

// What the driver tells of a function that is loaded; nothing of null.
Kernel kernel_of_function(const Gpu& gpu, void* function);

class KernelLibrary {
 public:
  // That of a GPU, with the compiled code of earlier runs; one in a process.
  static KernelLibrary& of(const Gpu& gpu);

  // Compiles those that are not known yet, on all threads, with progress.
  Status compile(const std::vector<const KernelSource*>& sources);
  Result<Kernel> get(const KernelSource& source);

 private:
  explicit KernelLibrary(const Gpu& gpu);
  Result<std::string> code_of(const KernelSource& source) const;

  const Gpu& gpu_;
  std::mutex mutex_;                       // Guards what follows.
  std::map<std::string, Kernel> kernels_;  // By entry and text.
};

// Code of earlier runs in a folder. What is damaged is as if it were not there.
class CodeCache {
 public:
  explicit CodeCache(std::string folder) : folder_(std::move(folder)) {}
  // `key`: all that the code depends on. Empty where there is none.
  std::string find(const std::string& key) const;
  // A cache that cannot be written costs time later and nothing else.
  void keep(const std::string& key, const std::string& code) const;
  // Removes what was not found for the longest time, as far as there are more bytes than `most`.
  void trim(uintmax_t most) const;

 private:
  std::string path_of(const std::string& key) const;
  std::string folder_;
};

}  // namespace hone::cuda
