#pragma once

#include <initializer_list>
#include <string>

namespace hone {

// A library that is looked for at run time, so that one program serves machines with and without
// it. Never closed: drivers leave threads and exit handlers behind that must not lose their code.
class SharedLibrary {
 public:
  SharedLibrary() = default;
  // Opens the first that is there, by name or path.
  explicit SharedLibrary(std::initializer_list<const char*> names);

  explicit operator bool() const { return handle_ != nullptr; }
  // Where the loader found it.
  std::string path() const;

  // Null when the library has no such symbol.
  template <class Function>
  Function* find(const char* symbol) const {
    return reinterpret_cast<Function*>(address_of(symbol));
  }

 private:
  void* address_of(const char* symbol) const;

  void* handle_ = nullptr;
};

}  // namespace hone
