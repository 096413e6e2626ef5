#pragma once

#include <cstddef>
#include <memory>

namespace hone {

// Memory on a cache-line boundary. Large blocks are in huge pages where the system gives any: with
// small ones, reading past the caches waits for addresses as much as for data.
void* allocate_aligned(size_t bytes);
void free_aligned(void* memory, size_t bytes);

// An array of plain elements on a cache-line boundary, not initialized.
template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(size_t size)
      : size_(size),
        data_(static_cast<T*>(allocate_aligned(size * sizeof(T))), Free{size * sizeof(T)}) {}

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  size_t size() const { return size_; }
  size_t bytes() const { return size_ * sizeof(T); }
  T& operator[](size_t i) { return data_.get()[i]; }
  const T& operator[](size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    size_t bytes = 0;
    void operator()(T* data) const { free_aligned(data, bytes); }
  };
  size_t size_ = 0;
  std::unique_ptr<T, Free> data_;
};

}  // namespace hone
