#include "hone/base/shared_library.h"

#include <dlfcn.h>
#include <link.h>

namespace hone {

SharedLibrary::SharedLibrary(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (handle_ == nullptr) handle_ = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  }
}

std::string SharedLibrary::path() const {
  link_map* map = nullptr;
  return dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
}

void* SharedLibrary::address_of(const char* symbol) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, symbol);
}

}  // namespace hone
