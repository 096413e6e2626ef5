#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "hone/base/check.h"
#include "hone/base/hint.h"
#include "hone/base/str.h"

namespace hone {

enum class ErrorKind {
  BadInput,     // The file, flag or model is wrong; the user can fix it.
  Unsupported,  // Well formed, but Hone or the chosen target does not implement it.
  Resource,     // No memory, no device, no permission, time-out.
};

// Why an operation failed. The message reads outside-in, one clause per layer:
// "mobilenet.onnx: node 'conv_3': weight has rank 3, expected 4".
struct Error {
  ErrorKind kind;
  std::string message;
  Hint hint = {};  // What would make it work, where a caller can give that.

  // Adds what the caller was doing, in front.
  Error in(std::string_view doing) && { return {kind, str(doing, ": ", message), std::move(hint)}; }
  // Adds what would make it work.
  Error needs(Hint what) && { return {kind, std::move(message), std::move(what)}; }
};

template <class... Parts>
Error bad_input(const Parts&... parts) {
  return {ErrorKind::BadInput, str(parts...)};
}

template <class... Parts>
Error unsupported(const Parts&... parts) {
  return {ErrorKind::Unsupported, str(parts...)};
}

template <class... Parts>
Error out_of_resource(const Parts&... parts) {
  return {ErrorKind::Resource, str(parts...)};
}

// A T, or the Error that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }

  // Requires ok().
  T& operator*() & { return value(); }
  const T& operator*() const& { return const_cast<Result*>(this)->value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &**this; }

  // Requires !ok().
  const Error& error() const& {
    HONE_CHECK(!ok(), "error() of a Result that holds a value");
    return error_;
  }
  Error&& error() && {
    HONE_CHECK(!ok(), "error() of a Result that holds a value");
    return std::move(error_);
  }

  // The same result with what the caller was doing put in front of its error.
  Result in(std::string_view doing) && {
    if (ok()) return std::move(*this);
    return std::move(*this).error().in(doing);
  }

 private:
  T& value() {
    HONE_CHECK(ok(), "value of a failed Result: ", error_.message);
    return *value_;
  }

  // Not a variant, which is slower to compile.
  std::optional<T> value_;
  Error error_ = {};  // Where there is no value.
};

struct Done {};
using Status = Result<Done>;

}  // namespace hone

// HONE_TRY(auto graph, import_onnx(path)): declares `graph`, or returns the error to the caller.
#define HONE_TRY(declaration, expression) \
  HONE_TRY_(HONE_JOIN_(hone_try_, __LINE__), declaration, expression)
#define HONE_TRY_(result, declaration, expression)    \
  auto result = (expression);                         \
  if (!result.ok()) return std::move(result).error(); \
  declaration = *std::move(result)
#define HONE_JOIN_(a, b) HONE_JOIN2_(a, b)
#define HONE_JOIN2_(a, b) a##b

#define HONE_RETURN_IF_ERROR(expression)                      \
  do {                                                        \
    if (auto hone_status = (expression); !hone_status.ok()) { \
      return std::move(hone_status).error();                  \
    }                                                         \
  } while (false)
