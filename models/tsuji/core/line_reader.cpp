// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/line_reader.h"

#include <zstd.h>

#include <cstring>

#include "tsuji/core/error.h"

namespace tsuji {
namespace {

constexpr std::size_t chunk_bytes = 1 << 16;
constexpr int largest_window_log = 30;
constexpr unsigned char zstd_magic[4] = {0x28, 0xB5, 0x2F, 0xFD};

}  // namespace

struct LineReader::Zstd {
  struct Deleter {
    void operator()(ZSTD_DStream* freed) const { ZSTD_freeDStream(freed); }
  };

  std::unique_ptr<ZSTD_DStream, Deleter> stream{ZSTD_createDStream()};
  std::vector<char> raw = std::vector<char>(chunk_bytes);
  ZSTD_inBuffer input{nullptr, 0, 0};
  bool inside_frame = false;
};

LineReader::LineReader(const std::string& path, const std::string& key, LastLine last_line,
                       const std::string& accepted)
    : path_(path), key_(key), last_line_(last_line), file_(path, key, accepted), text_(2 * chunk_bytes) {
  // A pipe cannot be rewound: the bytes that identify the format are also the beginning of the content.
  const std::size_t got = read_raw(text_.data(), sizeof zstd_magic);
  if (got != sizeof zstd_magic || std::memcmp(text_.data(), zstd_magic, sizeof zstd_magic) != 0) {
    end_ = got;
    return;
  }
  zstd_ = std::make_unique<Zstd>();
  std::memcpy(zstd_->raw.data(), zstd_magic, sizeof zstd_magic);
  zstd_->input = {zstd_->raw.data(), sizeof zstd_magic, 0};
  ZSTD_DCtx_setParameter(zstd_->stream.get(), ZSTD_d_windowLogMax, largest_window_log);
}

LineReader::~LineReader() = default;

std::string LineReader::place() const {
  return path_ + ":" + std::to_string(line_number_);
}

void split_words(std::string_view line, std::vector<std::string_view>& words) {
  const auto is_blank = [](char one) { return one == ' ' || one == '\t' || one == '\r'; };
  words.clear();
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && !is_blank(line[end])) ++end;
    if (end > at) words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
}

std::string LineReader::next_place() const {
  return path_ + ":" + std::to_string(line_number_ + 1);
}

void LineReader::refuse(const std::string& problem, const std::string& accepted) const {
  throw ConfigError(key_, "", problem, accepted).at(next_place());
}

std::size_t LineReader::read_raw(char* to, std::size_t bytes) {
  try {
    return file_.read(to, bytes);
  } catch (const ConfigError& error) {
    // A file that cannot be read at all is reported at its key, not at a line.
    if (line_number_ == 0) throw;
    throw error.at(next_place());
  }
}

std::size_t LineReader::decompress(char* to, std::size_t bytes) {
  ZSTD_outBuffer output{to, bytes, 0};
  while (output.pos == 0) {
    if (zstd_->input.pos == zstd_->input.size) {
      zstd_->input = {zstd_->raw.data(), read_raw(zstd_->raw.data(), zstd_->raw.size()), 0};
      if (zstd_->input.size == 0) {
        if (zstd_->inside_frame) refuse("truncated: the zstd frame is incomplete", "a whole zstd file");
        return 0;
      }
    }
    const std::size_t left = ZSTD_decompressStream(zstd_->stream.get(), &output, &zstd_->input);
    if (ZSTD_isError(left) != 0) {
      refuse(std::string("damaged zstd data: ") + ZSTD_getErrorName(left),
             "zstd with a window of at most 2^" + std::to_string(largest_window_log) +
                 " bytes, or uncompressed text");
    }
    zstd_->inside_frame = left != 0;
  }
  return output.pos;
}

bool LineReader::refill() {
  if (begin_ > 0) {
    std::memmove(text_.data(), text_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (text_.size() - end_ < chunk_bytes) text_.resize(2 * text_.size());  // one very long line (alltoallv)
  char* to = text_.data() + end_;
  const std::size_t got = zstd_ ? decompress(to, chunk_bytes) : read_raw(to, chunk_bytes);
  end_ += got;
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  for (;;) {
    const void* found =
        end_ > searched ? std::memchr(text_.data() + searched, '\n', end_ - searched) : nullptr;
    if (found != nullptr) {
      const std::size_t length =
          static_cast<std::size_t>(static_cast<const char*>(found) - text_.data()) - begin_;
      line = std::string_view(text_.data() + begin_, length);
      begin_ += length + 1;
      ++line_number_;
      return true;
    }
    const std::size_t kept = end_ - begin_;
    if (kept > longest_line_bytes) {
      refuse("the line is too long", "lines of at most " + std::to_string(longest_line_bytes) + " bytes");
    }
    if (!refill()) {
      if (kept == 0) return false;
      if (last_line_ == LastLine::ends)
        refuse("truncated: the last line has no end", "lines that end with a newline");
      line = std::string_view(text_.data() + begin_, kept);
      begin_ = end_;
      ++line_number_;
      return true;
    }
    searched = begin_ + kept;
  }
}

}  // namespace tsuji
