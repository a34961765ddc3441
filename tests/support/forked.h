// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <functional>
#include <stdexcept>
#include <string>

#include "support/sc_reports.h"

namespace tsuji::test {

/// Exit status of a process with a SystemC report that no test expects.
constexpr int exit_with_reports = 3;

/// Returns the text that `write` returns in a separate process, or "exception: ..." with the message of what
/// it throws. SystemC elaborates once a process, and in a process of its own a design has the kernel's time
/// to itself. Must be called before anything is elaborated.
inline std::string forked(const std::function<std::string()>& write) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    const unsigned reports_before = report_failures();
    close(ends[0]);
    std::string text;
    try {
      text = write();
    } catch (const std::exception& error) {
      text = std::string("exception: ") + error.what();
    }
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t count = ::write(ends[1], text.data() + done, text.size() - done);
      if (count <= 0) _exit(1);
      done += static_cast<std::size_t>(count);
    }
    _exit(report_failures() == reports_before ? 0 : exit_with_reports);
  }
  close(ends[1]);
  std::string text;
  char buffer[1 << 16];
  for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == exit_with_reports)
    add_report_failure("in a process of its own");
  else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    text += "\nended with status " + std::to_string(status);
  return text;
}

}  // namespace tsuji::test
