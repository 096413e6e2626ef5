// Tables of an SQLite database that is at hand as bytes. The library is looked for at run time, so
// that one program serves machines with and without it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"

namespace hone {

bool is_sqlite(std::string_view bytes);

// BadInput where part of the database at `path` is still in the log beside it.
Status check_no_log(const std::filesystem::path& path);

// A row of a table, asked by the names of its columns; what a version of a tool does not write, what
// it leaves empty, and an integer that is none, is nothing.
class SqliteRow {
 public:
  virtual ~SqliteRow() = default;
  virtual std::optional<int64_t> integer(std::string_view column) const = 0;
  virtual std::optional<std::string> text(std::string_view column) const = 0;
};

class SqliteDatabase {
 public:
  // Keeps `bytes`, which must outlive it. Resource where there is no library, BadInput where the
  // bytes are no database.
  static Result<SqliteDatabase> open(std::string_view bytes);

  // A table of its own: views, which a stranger's file may hide work behind, are none.
  bool has_table(std::string_view name) const;
  // Every row, until `take` fails. Nothing where there is no such table; BadInput where the file is
  // damaged.
  Status each_row(std::string_view table,
                  const std::function<Status(const SqliteRow& row)>& take) const;

 private:
  struct State;
  explicit SqliteDatabase(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

}  // namespace hone
