// SPDX-License-Identifier: Apache-2.0
// The leak checker reads a thread's whole stack, including the kernel's guard page, and crashes there; and a
// program that waits forever never unwinds. Therefore tests with processor threads run under the address
// sanitizer without leak checks.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}
