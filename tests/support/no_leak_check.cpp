// SPDX-License-Identifier: Apache-2.0
// The leak checker reads the whole of a thread's stack, the kernel's guard page too, and dies of it; and a
// program that waits forever never unwinds. So tests with processor threads run under the address sanitizer
// without leak checks.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}
