#include "hone/cuda/kernels.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "hone/base/file.h"
#include "hone/base/hash.h"
#include "hone/base/parallel.h"
#include "hone/base/progress.h"
#include "hone/base/version.h"
#include "hone/cuda/compiler.h"
#include "hone/device/device_folder.h"

namespace hone::cuda {
namespace {

namespace fs = std::filesystem;

std::string key_in_memory(const KernelSource& source) {
  return str(source.entry, "\n", source.text);
}

constexpr std::string_view kCodeSuffix = ".cubin";
constexpr uintmax_t kMostCode = uintmax_t{512} << 20;  // Some fifty networks, with all variants.

// The line in front of kept code: what it is of, and what it must hash to.
std::string header_of(const std::string& key, std::string_view code) {
  return str("hone cuda code ", hash64(key), " ", hash64(code), " ", code.size(), "\n");
}

}  // namespace

std::string CodeCache::path_of(const std::string& key) const {
  return str(folder_, "/", hash64(key), kCodeSuffix);
}

std::string CodeCache::find(const std::string& key) const {
  const auto file = read_file(path_of(key));
  if (!file.ok()) return "";
  const std::string_view text(reinterpret_cast<const char*>(file->bytes.data()),
                              file->bytes.size());
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return "";
  const std::string_view code = text.substr(end + 1);
  if (text.substr(0, end + 1) != header_of(key, code)) return "";
  std::error_code ignored;
  fs::last_write_time(path_of(key), fs::file_time_type::clock::now(), ignored);
  return std::string(code);
}

void CodeCache::keep(const std::string& key, const std::string& code) const {
  if (!make_folder(folder_).ok()) return;
  const Status ignored = write_file(path_of(key), header_of(key, code) + code);
  static_cast<void>(ignored);
}

void CodeCache::trim(uintmax_t most) const {
  struct Kept {
    fs::file_time_type found;
    uintmax_t bytes;
    fs::path path;
  };
  // Others may remove files as well: what is gone is passed over.
  std::vector<Kept> all;
  uintmax_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    Kept kept{entry->last_write_time(gone), entry->file_size(gone), entry->path()};
    if (gone || kept.path.extension() != kCodeSuffix) continue;
    bytes += kept.bytes;
    all.push_back(std::move(kept));
  }
  std::ranges::sort(all, {}, &Kept::found);
  for (const Kept& kept : all) {
    if (bytes <= most) return;
    if (fs::remove(kept.path, error)) bytes -= kept.bytes;
  }
}

Kernel kernel_of_function(const Gpu& gpu, void* function) {
  Kernel kernel{.function = function};
  if (function == nullptr) return kernel;
  gpu.driver().cuFuncGetAttribute(&kernel.registers, kFunctionRegisters, function);
  gpu.driver().cuFuncGetAttribute(&kernel.local_bytes, kFunctionLocalBytes, function);
  return kernel;
}

KernelLibrary& KernelLibrary::of(const Gpu& gpu) {
  static KernelLibrary library(gpu);  // There is one GPU.
  return library;
}

KernelLibrary::KernelLibrary(const Gpu& gpu) : gpu_(gpu) {
  const auto folder = cache_folder();
  if (folder.ok()) CodeCache((*folder / "cuda").string()).trim(kMostCode);
}

Result<std::string> KernelLibrary::code_of(const KernelSource& source) const {
  const auto folder = cache_folder();
  const std::string key = str(version(), "\n", compiler_version(), "\n", gpu_.architecture(), "\n",
                              key_in_memory(source));
  const CodeCache cache(folder.ok() ? (*folder / "cuda").string() : "");
  if (folder.ok()) {
    if (std::string code = cache.find(key); !code.empty()) return code;
  }
  HONE_TRY(std::string code, compile_source(source.name, source.text, gpu_.architecture()));
  if (folder.ok()) cache.keep(key, code);
  return code;
}

Status KernelLibrary::compile(const std::vector<const KernelSource*>& sources) {
  std::vector<const KernelSource*> missing;
  {
    const std::lock_guard lock(mutex_);
    std::set<std::string> seen;
    for (const KernelSource* source : sources) {
      const std::string key = key_in_memory(*source);
      if (!kernels_.contains(key) && seen.insert(key).second) missing.push_back(source);
    }
  }
  if (missing.empty()) return Done{};
  Progress progress("compiling kernels", missing.size());
  std::vector<Status> results(missing.size(), Done{});
  parallel_for(missing.size(), 0, [&](size_t i) {
    const Result<Kernel> kernel = get(*missing[i]);
    if (!kernel.ok()) results[i] = Error(kernel.error());
    progress.step();
  });
  for (Status& result : results) HONE_RETURN_IF_ERROR(std::move(result));
  return Done{};
}

Result<Kernel> KernelLibrary::get(const KernelSource& source) {
  const std::string key = key_in_memory(source);
  {
    const std::lock_guard lock(mutex_);
    const auto found = kernels_.find(key);
    if (found != kernels_.end()) return found->second;
  }
  HONE_TRY(const std::string code, code_of(source));
  HONE_RETURN_IF_ERROR(gpu_.use());
  const Driver& driver = gpu_.driver();
  void* module = nullptr;  // Never unloaded: kernels are good for as long as the process runs.
  HONE_RETURN_IF_ERROR(check(driver.cuModuleLoadData(&module, code.data()), source.name));
  void* function = nullptr;
  HONE_RETURN_IF_ERROR(
      check(driver.cuModuleGetFunction(&function, module, source.entry.c_str()), source.name));
  const Kernel kernel = kernel_of_function(gpu_, function);
  int own = 0;  // Shared memory that the source declares itself.
  driver.cuFuncGetAttribute(&own, kFunctionOwnSharedBytes, kernel.function);
  const auto most = static_cast<int>(gpu_.info().most_shared_bytes);
  driver.cuFuncSetAttribute(kernel.function, kFunctionSharedBytes, most - own);
  if (gpu_.info().major >= 9) {
    driver.cuFuncSetAttribute(kernel.function, kNonPortableCluster, 1);
  }
  const std::lock_guard lock(mutex_);
  return kernels_.emplace(key, kernel).first->second;
}

}  // namespace hone::cuda
