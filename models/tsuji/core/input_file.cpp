// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/input_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tsuji/core/error.h"

namespace tsuji {

InputFile::InputFile(const std::string& path, const std::string& key, const std::string& accepted)
    : path_(path), key_(key), accepted_(accepted) {
  // open() ends a path at its first zero byte, and would open another file than the user named.
  if (path.find('\0') != std::string::npos) refuse(ENOENT);
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor_ < 0) refuse(errno);
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t InputFile::read(char* to, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::read(descriptor_, to + done, bytes - done);
    if (got < 0) refuse(errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void InputFile::refuse(int error) const {
  throw ConfigError(key_, path_, std::string("cannot be read: ") + std::strerror(error), accepted_);
}

std::string read_input_file(const std::string& path, const std::string& key, const std::string& accepted,
                            std::size_t most_bytes) {
  constexpr std::size_t chunk_bytes = 1 << 16;
  InputFile file(path, key, accepted);
  std::string text;
  for (std::size_t got = chunk_bytes; got == chunk_bytes;) {
    const std::size_t had = text.size();
    text.resize(had + chunk_bytes);
    got = file.read(text.data() + had, chunk_bytes);
    text.resize(had + got);
    if (text.size() > most_bytes) {
      throw ConfigError(key, path, "the file is too long",
                        accepted + " of at most " + std::to_string(most_bytes) + " bytes");
    }
  }
  return text;
}

}  // namespace tsuji
