#include "hone/base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

extern char** environ;

namespace hone {
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

// A program in a process group of its own, so that what it starts can be ended with it.
struct Child {
  pid_t pid;
  int output;  // The reading end of its standard output and standard error.
};

Result<Child> start(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return out_of_resource("no pipe: ", std::strerror(errno));

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);

  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    return out_of_resource(arguments[0], ": cannot be started: ", std::strerror(error));
  }
  return Child{pid, ends[0]};
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<decltype(left)>(left, 0, 1'000'000));
}

// Reads until the program closes its output; false when the deadline passes first.
bool read_all(int output, Clock::time_point deadline, std::string& text,
              size_t most_text = kUsualText) {
  char buffer[4096];
  for (;;) {
    pollfd ready = {output, POLLIN, 0};
    const int events = poll(&ready, 1, milliseconds_until(deadline));
    if (events < 0 && errno == EINTR) continue;
    if (events <= 0) return false;
    const ssize_t got = read(output, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(buffer, std::min(static_cast<size_t>(got), most_text - text.size()));
  }
}

// Programs that are being waited for, which a signal's handler can read at any time.
std::atomic<pid_t> running[16];
static_assert(std::atomic<pid_t>::is_always_lock_free);

// One of them, for as long as this lives; more are hardly run at a time.
class RunningEntry {
 public:
  explicit RunningEntry(pid_t pid) {
    for (std::atomic<pid_t>& entry : running) {
      pid_t none = 0;
      if (!entry.compare_exchange_strong(none, pid)) continue;
      entry_ = &entry;
      return;
    }
  }
  RunningEntry(const RunningEntry&) = delete;
  RunningEntry& operator=(const RunningEntry&) = delete;
  ~RunningEntry() {
    if (entry_ != nullptr) *entry_ = 0;
  }

 private:
  std::atomic<pid_t>* entry_ = nullptr;
};

// Waits a little; false once it has waited for so long.
bool wait_a_little(int& milliseconds_left) {
  constexpr timespec kMillisecond = {0, 1'000'000};
  nanosleep(&kMillisecond, nullptr);
  return --milliseconds_left > 0;
}

// Ends a program and what it started, which is asked to first. Waits for the program.
void end_group(pid_t pid) {
  int patience = 1000;
  kill(-pid, SIGTERM);
  while (waitpid(pid, nullptr, WNOHANG) == 0 && wait_a_little(patience)) continue;
  kill(-pid, SIGKILL);
  for (patience = 1000; waitpid(pid, nullptr, WNOHANG) == 0 && wait_a_little(patience);) continue;
}

// The status of a program that has closed its output; nothing when it lives on past the deadline.
std::optional<int> wait_for(pid_t pid, Clock::time_point deadline) {
  int status = SIGKILL;  // Where somebody else has waited for its end: end_programs.
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (Clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Clock::time_point deadline_of(double limit_seconds) {
  const auto limit = std::chrono::duration<double>(limit_seconds);
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
}

// In the copy: silent, without a dump when it crashes, and gone when the process that asks is.
[[noreturn]] void answer_and_end(const std::function<std::string()>& question, int pipe) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none = {};
  setrlimit(RLIMIT_CORE, &none);
  for (const int fault : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE}) signal(fault, SIG_DFL);
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
  const std::string answer = question();
  for (size_t done = 0; done < answer.size();) {
    const ssize_t written = ::write(pipe, answer.data() + done, answer.size() - done);
    if (written <= 0) _exit(1);
    done += static_cast<size_t>(written);
  }
  _exit(0);
}

// One that hangs in the kernel cannot be ended, and is left to whoever comes after.
std::optional<int> status_of_ended(pid_t pid, Clock::time_point deadline) {
  for (int status = 0;;) {
    if (waitpid(pid, &status, WNOHANG) != 0) return status;
    if (Clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

}  // namespace

std::optional<fs::path> find_program(std::string_view name) {
  if (name.find('/') != std::string_view::npos) {
    return is_program(name) ? std::optional<fs::path>(name) : std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "/usr/bin:/bin" : path;
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    const fs::path candidate = fs::path(folder) / name;
    if (!folder.empty() && is_program(candidate)) return candidate;
    folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
  }
  return std::nullopt;
}

Result<ProcessOutput> run_program(const std::vector<std::string>& arguments, double limit_seconds,
                                  size_t most_text) {
  HONE_CHECK(!arguments.empty(), "no program to run");
  const Clock::time_point deadline = deadline_of(limit_seconds);
  HONE_TRY(const Child child, start(arguments));
  const RunningEntry entry(child.pid);
  ProcessOutput result{};
  const bool closed = read_all(child.output, deadline, result.text, most_text);
  close(child.output);
  const std::optional<int> status = closed ? wait_for(child.pid, deadline) : std::nullopt;
  if (!status) {
    end_group(child.pid);  // Its children too, even if it has ended itself.
    return out_of_resource(arguments[0], ": still running after ", limit_seconds, " s");
  }
  result.status = *status;
  return result;
}

void end_programs() {
  for (const std::atomic<pid_t>& entry : running) {
    if (const pid_t pid = entry; pid > 0) end_group(pid);
  }
}

Result<std::string> ask_in_child(const std::function<std::string()>& question,
                                 double limit_seconds) {
  constexpr double kSecondsToEnd = 0.5;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return out_of_resource("no pipe: ", std::strerror(errno));
  const pid_t pid = fork();
  if (pid == 0) answer_and_end(question, ends[1]);
  close(ends[1]);
  std::string answer;
  const bool answered = pid > 0 && read_all(ends[0], deadline_of(limit_seconds), answer);
  close(ends[0]);
  if (pid < 0) return out_of_resource("no process: ", std::strerror(errno));
  if (!answered) kill(pid, SIGKILL);
  const std::optional<int> status = status_of_ended(pid, deadline_of(kSecondsToEnd));
  if (!answered || !status) {
    kill(pid, SIGKILL);
    return out_of_resource("does not answer within ", limit_seconds, " s");
  }
  if (WIFSIGNALED(*status)) return out_of_resource("crashes: ", strsignal(WTERMSIG(*status)));
  if (*status != 0) return out_of_resource("ends the program");
  return answer;
}

}  // namespace hone
