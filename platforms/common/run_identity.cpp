#include "tsuji/platform/run_identity.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tsuji/platform/child_process.h"
#include "tsuji/platform/command_line.h"

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

/// Texts that are the names of files: traces, topologies, matrices.
void add_named_files(const nlohmann::ordered_json& config, Digest& digest) {
  for (const auto& item : config.items()) {
    if (item.value().is_structured()) {
      add_named_files(item.value(), digest);
    } else if (item.value().is_string()) {
      const std::string path = find_input(item.value());
      std::error_code error;
      if (std::filesystem::is_regular_file(path, error)) digest.add_file(path);
    }
  }
}

}  // namespace

std::string run_identity(const nlohmann::ordered_json& config, const std::string& words) {
  Digest digest;
  digest.add_file(own_executable());
  digest.add(config.dump());
  digest.add(words);
  add_named_files(config, digest);
  return digest.text();
}

}  // namespace tsuji::platform
