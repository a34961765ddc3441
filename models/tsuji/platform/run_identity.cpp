// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/run_identity.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tsuji/platform/child_process.h"
#include "tsuji/platform/trace_source.h"

namespace tsuji::platform {
namespace {

/// FNV-1a of 64 bits.
class Digest {
 public:
  void add(const char* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      value_ = (value_ ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3U;
  }
  void add(const std::string& text) { add(text.c_str(), text.size() + 1); }
  void add_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::array<char, 65536> bytes{};
    while (file) {
      file.read(bytes.data(), bytes.size());
      add(bytes.data(), static_cast<std::size_t>(file.gcount()));
    }
    add("");
  }
  std::string text() const {
    std::array<char, 17> hex{};
    std::snprintf(hex.data(), hex.size(), "%016llx", static_cast<unsigned long long>(value_));
    return hex.data();
  }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

std::string digest_of_file(const std::string& path) {
  Digest digest;
  digest.add_file(path);
  return digest.text();
}

/// Digest of the executable and of the files installed with it.
std::string digest_of_what_runs() {
  Digest digest;
  digest.add_file(own_executable());
  for (const char* name : {conjugate_gradient, transpose}) digest.add_file(shipped_trace(name));
  return digest.text();
}

/// Words of a configuration have neither, so a file called `mesh` is not mistaken for one.
bool looks_like_path(const std::string& text) {
  return text.find_first_of("./") != std::string::npos;
}

}  // namespace

RunIdentity::RunIdentity() : executable_digest_(digest_of_what_runs()) {}

std::string RunIdentity::of(const nlohmann::ordered_json& config, const std::string& words) {
  nlohmann::ordered_json named = config;
  name_files_by_content(named);
  Digest digest;
  digest.add(executable_digest_);
  digest.add(named.dump());
  digest.add(words);
  return digest.text();
}

/// Traces, topologies and matrices: the same bytes in another folder are the same input.
void RunIdentity::name_files_by_content(nlohmann::ordered_json& config) {
  for (auto& value : config) {
    if (value.is_structured()) name_files_by_content(value);
    if (!value.is_string()) continue;
    const std::string path = value;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) continue;
    const auto known = file_digests_.find(path);
    const std::string& digest =
        known != file_digests_.end() ? known->second : file_digests_[path] = digest_of_file(path);
    value = looks_like_path(value) ? digest : value.get<std::string>() + " " + digest;
  }
}

}  // namespace tsuji::platform
