// SPDX-License-Identifier: Apache-2.0
#pragma once

// The library's version. CMake refuses to configure where this differs from project(tsuji VERSION).
#define TSUJI_VERSION_MAJOR 0
#define TSUJI_VERSION_MINOR 1
#define TSUJI_VERSION_PATCH 0

/// A version as one number that grows with it: #if TSUJI_VERSION >= TSUJI_VERSION_NUMBER(0, 2, 0)
#define TSUJI_VERSION_NUMBER(major, minor, patch) ((major)*10000 + (minor)*100 + (patch))
#define TSUJI_VERSION TSUJI_VERSION_NUMBER(TSUJI_VERSION_MAJOR, TSUJI_VERSION_MINOR, TSUJI_VERSION_PATCH)

namespace tsuji {

inline constexpr int version_major = TSUJI_VERSION_MAJOR;
inline constexpr int version_minor = TSUJI_VERSION_MINOR;
inline constexpr int version_patch = TSUJI_VERSION_PATCH;
/// "MAJOR.MINOR.PATCH", as --version and result.json have it.
inline constexpr const char* version_text = "0.1.0";

}  // namespace tsuji
