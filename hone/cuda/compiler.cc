#include "hone/cuda/compiler.h"

#include <algorithm>

#include "hone/base/shared_library.h"

namespace hone::cuda {
namespace {

// What is used of NVRTC: all functions give 0 on success.
struct Nvrtc {
  int (*version)(int* major, int* minor) = nullptr;
  int (*create)(void** program, const char* source, const char* name, int headers,
                const char* const* texts, const char* const* names) = nullptr;
  int (*destroy)(void** program) = nullptr;
  int (*compile)(void* program, int options, const char* const* texts) = nullptr;
  int (*code_bytes)(void* program, size_t* bytes) = nullptr;
  int (*code)(void* program, char* code) = nullptr;
  int (*log_bytes)(void* program, size_t* bytes) = nullptr;
  int (*log)(void* program, char* log) = nullptr;
};

Result<Nvrtc> load_nvrtc() {
  const SharedLibrary library(
      {"libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so", "libnvrtc.so"});
  if (!library) return out_of_resource("no compiler for CUDA: libnvrtc.so.12 or newer is not here");
  Nvrtc nvrtc;
  bool complete = true;
  const auto find = [&](auto& function, const char* symbol) {
    function =
        library.find<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(symbol);
    complete = complete && function != nullptr;
  };
  find(nvrtc.version, "nvrtcVersion");
  find(nvrtc.create, "nvrtcCreateProgram");
  find(nvrtc.destroy, "nvrtcDestroyProgram");
  find(nvrtc.compile, "nvrtcCompileProgram");
  find(nvrtc.code_bytes, "nvrtcGetCUBINSize");
  find(nvrtc.code, "nvrtcGetCUBIN");
  find(nvrtc.log_bytes, "nvrtcGetProgramLogSize");
  find(nvrtc.log, "nvrtcGetProgramLog");
  if (!complete) return out_of_resource(library.path(), " lacks functions of NVRTC 12");
  return nvrtc;
}

const Result<Nvrtc>& the_compiler() {
  static const Result<Nvrtc> kCompiler = load_nvrtc();
  return kCompiler;
}

// The first line that tells of an error, or the first of all.
std::string first_error(const std::string& log) {
  size_t begin = log.find("error");
  begin = begin == std::string::npos ? 0 : log.rfind('\n', begin) + 1;
  return log.substr(begin, log.find('\n', begin) - begin);
}

class CompiledSource {
 public:
  explicit CompiledSource(const Nvrtc& nvrtc) : nvrtc_(nvrtc) {}
  ~CompiledSource() {
    if (program_ != nullptr) nvrtc_.destroy(&program_);
  }

  Result<std::string> compile(const std::string& name, const std::string& source,
                              const std::vector<std::string>& options) {
    if (nvrtc_.create(&program_, source.c_str(), name.c_str(), 0, nullptr, nullptr) != 0) {
      return out_of_resource(name, ": the compiler for CUDA cannot begin");
    }
    std::vector<const char*> texts;
    for (const std::string& option : options) texts.push_back(option.c_str());
    if (nvrtc_.compile(program_, static_cast<int>(texts.size()), texts.data()) != 0) {
      const std::string log = text(nvrtc_.log_bytes, nvrtc_.log);
      return unsupported(name, ": the compiler for CUDA says: ", first_error(log));
    }
    return text(nvrtc_.code_bytes, nvrtc_.code);
  }

 private:
  std::string text(int (*size_of)(void*, size_t*), int (*get)(void*, char*)) {
    size_t bytes = 0;
    size_of(program_, &bytes);
    std::string result(bytes, '\0');
    get(program_, result.data());
    return result;
  }

  const Nvrtc& nvrtc_;
  void* program_ = nullptr;
};

}  // namespace

std::string architecture_name(int major, int minor) {
  // From Hopper on, what is new in a generation is not in its successors' common set.
  return str("sm_", major, minor, major >= 9 ? "a" : "");
}

Status find_compiler() {
  if (!the_compiler().ok()) return Error(the_compiler().error());
  return Done{};
}

std::string compiler_version() {
  int major = 0;
  int minor = 0;
  if (!the_compiler().ok() || the_compiler()->version(&major, &minor) != 0) return "";
  return str(major, ".", minor);
}

Result<std::string> compile_source(const std::string& name, const std::string& source,
                                   const std::string& architecture,
                                   const std::vector<std::string>& options) {
  HONE_RETURN_IF_ERROR(find_compiler());
  std::vector<std::string> all = {"-arch=" + architecture, "-std=c++17", "-fmad=true",
                                  "-default-device"};
  all.insert(all.end(), options.begin(), options.end());
  return CompiledSource(*the_compiler()).compile(name, source, all);
}

}  // namespace hone::cuda
