#include "hone/profile/import/sqlite.h"

#include <algorithm>
#include <map>

#include "hone/base/shared_library.h"

namespace hone {
namespace {

constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);
// Bytes of the header that say how the file is written to: 2 is a log beside it, which a copy in
// memory cannot have. What is in the file reads the same without.
constexpr size_t kSqliteVersions[] = {18, 19};

constexpr int kSqliteDone = 101;
constexpr int kSqliteRow = 100;
constexpr int kSqliteInteger = 1;
constexpr int kSqliteNull = 5;
constexpr int kSqliteOpenFlags = 0x2 | 0x4 | 0x80;  // Read and write, make, in memory.
constexpr unsigned kSqliteReadOnly = 4;             // Of sqlite3_deserialize.

// What is used of SQLite's interface, whose binary form does not change.
struct SqliteLibrary {
  SharedLibrary library = SharedLibrary({"libsqlite3.so.0", "libsqlite3.so"});
  int (*open)(const char*, void**, int, const char*) =
      library.find<int(const char*, void**, int, const char*)>("sqlite3_open_v2");
  int (*close)(void*) = library.find<int(void*)>("sqlite3_close_v2");
  int (*deserialize)(void*, const char*, unsigned char*, int64_t, int64_t, unsigned) =
      library.find<int(void*, const char*, unsigned char*, int64_t, int64_t, unsigned)>(
          "sqlite3_deserialize");
  int (*prepare)(void*, const char*, int, void**, const char**) =
      library.find<int(void*, const char*, int, void**, const char**)>("sqlite3_prepare_v2");
  int (*step)(void*) = library.find<int(void*)>("sqlite3_step");
  int (*finalize)(void*) = library.find<int(void*)>("sqlite3_finalize");
  int (*column_count)(void*) = library.find<int(void*)>("sqlite3_column_count");
  const char* (*column_name)(void*,
                             int) = library.find<const char*(void*, int)>("sqlite3_column_name");
  int (*column_type)(void*, int) = library.find<int(void*, int)>("sqlite3_column_type");
  int64_t (*column_integer)(void*, int) = library.find<int64_t(void*, int)>("sqlite3_column_int64");
  const unsigned char* (*column_text)(void*, int) =
      library.find<const unsigned char*(void*, int)>("sqlite3_column_text");
  int (*column_bytes)(void*, int) = library.find<int(void*, int)>("sqlite3_column_bytes");
  const char* (*message)(void*) = library.find<const char*(void*)>("sqlite3_errmsg");

  bool complete() const {
    return open && close && deserialize && prepare && step && finalize && column_count &&
           column_name && column_type && column_integer && column_text && column_bytes && message;
  }
};

const SqliteLibrary& sqlite() {
  static const SqliteLibrary kLibrary;
  return kLibrary;
}

// One statement that is run from its first row to its last.
class SqliteStatement final : public SqliteRow {
 public:
  SqliteStatement(void* database, const std::string& text) : database_(database) {
    failed_ = sqlite().prepare(database, text.c_str(), -1, &statement_, nullptr) != 0;
    if (failed_) return;
    const int columns = sqlite().column_count(statement_);
    for (int i = 0; i < columns; ++i) places_.emplace(sqlite().column_name(statement_, i), i);
  }
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;
  ~SqliteStatement() override { sqlite().finalize(statement_); }

  // False behind the last row.
  Result<bool> next() {
    const int code = failed_ ? 1 : sqlite().step(statement_);
    if (code == kSqliteRow) return true;
    if (code == kSqliteDone) return false;
    return bad_input("the database is damaged: ", sqlite().message(database_));
  }

  std::optional<int64_t> integer(std::string_view column) const override {
    const int place = place_of(column);
    const bool whole = place >= 0 && sqlite().column_type(statement_, place) == kSqliteInteger;
    if (!whole) return std::nullopt;
    return sqlite().column_integer(statement_, place);
  }
  std::optional<std::string> text(std::string_view column) const override {
    const int place = place_of(column);
    if (place < 0) return std::nullopt;
    const auto* from = reinterpret_cast<const char*>(sqlite().column_text(statement_, place));
    if (from == nullptr) return std::nullopt;
    return std::string(from, static_cast<size_t>(sqlite().column_bytes(statement_, place)));
  }

 private:
  // -1 where there is nothing.
  int place_of(std::string_view column) const {
    const auto found = places_.find(column);
    if (found == places_.end()) return -1;
    return sqlite().column_type(statement_, found->second) == kSqliteNull ? -1 : found->second;
  }

  void* database_;
  void* statement_ = nullptr;
  bool failed_ = false;
  std::map<std::string, int, std::less<>> places_ = {};
};

}  // namespace

struct SqliteDatabase::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (database != nullptr) sqlite().close(database);
  }

  void* database = nullptr;
  std::string changed = {};  // The bytes, where their header had to be changed.
  size_t size = 0;
  std::vector<std::string> tables = {};
};

bool is_sqlite(std::string_view bytes) {
  return bytes.starts_with(kSqliteMagic);
}

Status check_no_log(const std::filesystem::path& path) {
  std::filesystem::path log = path;
  log += "-wal";
  std::error_code none;
  const auto size = std::filesystem::file_size(log, none);
  if (none || size == 0) return Done{};
  return bad_input("what was written last is still in ", log.filename().string(),
                   " beside it: end what writes to the database, or run `sqlite3 ",
                   path.filename().string(), " 'PRAGMA wal_checkpoint'`");
}

Result<SqliteDatabase> SqliteDatabase::open(std::string_view bytes) {
  if (!sqlite().library || !sqlite().complete()) {
    return out_of_resource(
        "reading SQLite needs libsqlite3.so.0 (package libsqlite3-0), and it is ",
        sqlite().library ? "too old here" : "not here");
  }
  auto state = std::make_shared<State>();
  state->size = bytes.size();
  const bool logged = std::ranges::any_of(
      kSqliteVersions, [&](size_t at) { return at < bytes.size() && bytes[at] != 1; });
  if (logged && bytes.size() > kSqliteVersions[1]) {
    state->changed = bytes;
    for (const size_t at : kSqliteVersions) state->changed[at] = 1;
    bytes = state->changed;
  }
  const auto size = static_cast<int64_t>(bytes.size());
  // Read only: SQLite does not write to what it takes as if it could.
  auto* data = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
  const bool opened =
      sqlite().open(":memory:", &state->database, kSqliteOpenFlags, nullptr) == 0 &&
      sqlite().deserialize(state->database, "main", data, size, size, kSqliteReadOnly) == 0;
  if (!opened) return bad_input("the database cannot be opened");
  SqliteStatement list(state->database, "SELECT name FROM sqlite_master WHERE type = 'table'");
  while (true) {
    HONE_TRY(const bool more, list.next());
    if (!more) break;
    if (auto name = list.text("name")) state->tables.push_back(*std::move(name));
  }
  return SqliteDatabase(std::move(state));
}

bool SqliteDatabase::has_table(std::string_view name) const {
  return std::ranges::find(state_->tables, name) != state_->tables.end();
}

Status SqliteDatabase::each_row(std::string_view table,
                                const std::function<Status(const SqliteRow& row)>& take) const {
  if (!has_table(table)) return Done{};
  SqliteStatement rows(state_->database, str("SELECT * FROM \"", table, "\""));
  // A row takes bytes: a file whose pages point at one another in circles has more.
  for (size_t count = 0; count <= state_->size; ++count) {
    HONE_TRY(const bool more, rows.next().in(str("table ", table)));
    if (!more) return Done{};
    HONE_RETURN_IF_ERROR(take(rows));
  }
  return bad_input("table ", table, ": the database is damaged: it has more rows than bytes");
}

}  // namespace hone
