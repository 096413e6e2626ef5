#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace hone {

// An array of plain elements on a cache-line boundary, not initialized.
template <class T>
class AlignedArray {
 public:
  static constexpr size_t kAlignment = 64;

  AlignedArray() = default;
  explicit AlignedArray(size_t size)
      : size_(size),
        data_(static_cast<T*>(::operator new (size * sizeof(T), std::align_val_t{kAlignment}))) {}

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  size_t size() const { return size_; }
  size_t bytes() const { return size_ * sizeof(T); }
  T& operator[](size_t i) { return data_.get()[i]; }
  const T& operator[](size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(T* data) const { ::operator delete (data, std::align_val_t{kAlignment}); }
  };
  size_t size_ = 0;
  std::unique_ptr<T, Free> data_;
};

}  // namespace hone
