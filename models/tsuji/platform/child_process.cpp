// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "tsuji/core/error.h"

namespace tsuji::platform {
namespace {

constexpr int not_started = 127;  ///< a shell's status for a program that cannot be run

/// While this lives, SIGINT and SIGTERM wait.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGTERM);
    sigprocmask(SIG_BLOCK, &both, &before_);
  }
  ~SignalsWait() { end(); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;
  void end() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_ = {};
};

/// A signal to the new process must end it, and not be kept by what handles it in this one.
void forget_handler(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  if (action.sa_handler != SIG_IGN) std::signal(signal, SIG_DFL);
}

/// After fork(): the program takes the place of this process, and ends with its parent.
[[noreturn]] void become(const std::vector<char*>& arguments, int output, pid_t parent,
                         SignalsWait& signals_wait) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(not_started);
  forget_handler(SIGINT);
  forget_handler(SIGTERM);
  signals_wait.end();
  const int input = open("/dev/null", O_RDONLY);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execv(arguments[0], arguments.data());
  const char* problem = std::strerror(errno);
  (void)!write(STDERR_FILENO, arguments[0], std::strlen(arguments[0]));
  (void)!write(STDERR_FILENO, ": ", 2);
  (void)!write(STDERR_FILENO, problem, std::strlen(problem));
  _exit(not_started);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, const std::string& output_file) {
  std::vector<std::string> copy = command;
  std::vector<char*> arguments;
  for (std::string& argument : copy) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  const int output = open(output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (output < 0) throw OutputError(output_file, std::string("cannot be written: ") + std::strerror(errno));
  const pid_t parent = getpid();
  SignalsWait signals_wait;
  pid_ = fork();
  if (pid_ == 0) become(arguments, output, parent, signals_wait);
  close(output);
  if (pid_ < 0) throw ModelError("child process", command[0] + ": " + std::strerror(errno));
  running_ = true;
}

ChildProcess::~ChildProcess() {
  if (!running_) return;
  terminate();
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
}

void ChildProcess::terminate() {
  if (running_) kill(pid_, SIGTERM);
}

void ChildProcess::take_status(int status) {
  running_ = false;
  exit_status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool ChildProcess::ended() {
  int status = 0;
  if (running_ && waitpid(pid_, &status, WNOHANG) == pid_) take_status(status);
  return !running_;
}

void ChildProcess::wait() {
  int status = 0;
  while (running_) {
    if (waitpid(pid_, &status, 0) == pid_) {
      take_status(status);
    } else if (errno != EINTR) {
      throw ModelError("child process", std::string("cannot be waited for: ") + std::strerror(errno));
    }
  }
}

std::string own_executable() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

}  // namespace tsuji::platform
