// A compiler for tests beside the driver that computes nothing: all code is four letters.
// FAKE_CUDA=compiler: it finds an error in every source.

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {

constexpr char kCode[] = "code";
constexpr char kLog[] = "conv.cu(1): error: no such thing\nconv.cu(2): error: nor this\n";
int program = 0;

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return 0;
}
int nvrtcCreateProgram(void** made, const char*, const char*, int, const char* const*,
                       const char* const*) {
  *made = &program;
  return 0;
}
int nvrtcDestroyProgram(void**) {
  return 0;
}
int nvrtcCompileProgram(void*, int, const char* const*) {
  const char* told = std::getenv("FAKE_CUDA");
  return told != nullptr && std::strcmp(told, "compiler") == 0 ? 6 : 0;
}
int nvrtcGetCUBINSize(void*, size_t* bytes) {
  *bytes = sizeof kCode;
  return 0;
}
int nvrtcGetCUBIN(void*, char* code) {
  std::memcpy(code, kCode, sizeof kCode);
  return 0;
}
int nvrtcGetProgramLogSize(void*, size_t* bytes) {
  *bytes = sizeof kLog;
  return 0;
}
int nvrtcGetProgramLog(void*, char* log) {
  std::memcpy(log, kLog, sizeof kLog);
  return 0;
}

}  // extern "C"
