// SPDX-License-Identifier: Apache-2.0
#include <fstapi.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/core/output_file.h"
#include "tsuji/observe/fst_writer.h"
#include "tsuji/observe/wave_file.h"
#include "tsuji/observe/wave_sink.h"

namespace tsuji::observe {
namespace {

struct CloseWriter {
  void operator()(void* writer) const { fstWriterClose(writer); }
};

/// Checks, before the writer is closed, that the disk has room for the end of the file. The writer reports no
/// full disk, and crashes where it maps blocks that could not be written. Returns 0, or the system's reason.
int no_room(const std::string& path, std::size_t bytes) {
  const std::string probe = path + ".room";
  std::ofstream file(probe, std::ios::binary);
  int error = file ? 0 : errno;
  const std::vector<char> block(65536, 'x');
  for (std::size_t done = 0; done < bytes && error == 0; done += block.size()) {
    errno = 0;
    file.write(block.data(), static_cast<std::streamsize>(block.size())).flush();
    if (!file) error = errno != 0 ? errno : EIO;
  }
  file.close();
  std::error_code ignored;
  std::filesystem::remove(probe, ignored);
  return error;
}

/// ... and afterwards its blocks must be whole: each has a byte that says which it is, and eight with the
/// length of what follows the byte.
bool is_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::uint64_t>(file ? static_cast<std::streamoff>(file.tellg()) : 0);
  bool header = false, geometry = false, hierarchy = false;
  std::uint64_t at = 0;
  while (at + 9 <= size) {
    std::array<char, 9> begin{};
    file.seekg(static_cast<std::streamoff>(at));
    if (!file.read(begin.data(), begin.size())) return false;
    std::uint64_t length = 0;
    for (unsigned byte = 1; byte <= 8; ++byte) length = length << 8 | static_cast<unsigned char>(begin[byte]);
    if (length < 8 || length > size - at - 1) return false;
    const auto kind = static_cast<unsigned char>(begin[0]);
    header = header || (at == 0 && kind == FST_BL_HDR);
    geometry = geometry || kind == FST_BL_GEOM;
    hierarchy = hierarchy || kind == FST_BL_HIER || kind == FST_BL_HIER_LZ4 || kind == FST_BL_HIER_LZ4DUO;
    if (kind == FST_BL_SKIP) return false;  // a block that was begun
    at += 1 + length;
  }
  return at == size && header && geometry && hierarchy;
}

class FstSink final : public WaveSink, private ScopeWalk {
 public:
  explicit FstSink(const std::string& path) : path_(path), writer_(fstWriterCreate(path.c_str(), 1)) {
    if (writer_ == nullptr) {
      throw ConfigError("", path, std::string("the waveform cannot be written: ") + std::strerror(errno),
                        "a folder in which files can be created");
    }
    fstWriterSetTimescale(writer_.get(), -12);
    fstWriterSetVersion(writer_.get(), "tsuji");
    fstWriterSetDate(writer_.get(), "");  // the same run gives the same bytes
    fstWriterSetPackType(writer_.get(), FST_WR_PT_LZ4);
  }

  void declare(const std::vector<SignalInfo>& signals) override {
    places_.resize(signals.size());
    walk(signals);
  }

  void time(Picoseconds time) override { fstWriterEmitTimeChange(writer_.get(), time); }

  void value(SignalId signal, std::uint64_t value) override {
    const Wave::Change change{signal, value, nullptr};
    const Wave::Change* const one = &change;
    changes(&one, 1);
  }

  void changes(const Wave::Change* const* changes, std::size_t count) override {
    const Wave::Change* const* const end = changes + count;
    while (changes != end) {
      if (begin_ != nullptr) changes = put(changes, end);
      if (changes != end) emit(**changes++);
    }
  }

  void text(SignalId signal, std::string_view text) override {
    fstWriterEmitVariableLengthValueChange(writer_.get(), places_[signal].handle, text.data(),
                                           static_cast<std::uint32_t>(text.size()));
  }

  void close() override {
    int error = no_room(path_, hierarchy_bytes_ + end_bytes);
    if (error != 0) (void)writer_.release();  // it could only end the process
    const bool failed = error != 0 || fstWriterGetFseekFailed(writer_.get()) != 0;
    writer_.reset();
    if (!failed && is_whole(path_)) return;
    // The writer keeps no reason; a disk that was full mostly still is.
    if (error == 0) error = no_room(path_, end_bytes);
    throw OutputError(
        path_, error != 0 ? write_problem(error)
                          : "cannot be written: parts of the waveform are missing, as after a full disk");
  }

 private:
  void enter(const std::string& scope) override {
    hierarchy_bytes_ += scope.size() + 16;
    fstWriterSetScope(writer_.get(), FST_ST_VCD_MODULE, scope.c_str(), nullptr);
  }
  void leave() override { fstWriterSetUpscope(writer_.get()); }
  void signal(SignalId id, const SignalInfo& info) override {
    std::string name = info.path.substr(info.path.rfind('.') + 1);
    if (!info.range().empty()) name += " " + info.range();
    hierarchy_bytes_ += name.size() + 64;
    places_[id].width = info.is_text() ? 0 : info.width_bits;
    if (info.width_bits <= short_width) places_[id].shift = short_width - info.width_bits;
    fstHandle& handle = places_[id].handle;
    handle = fstWriterCreateVar(writer_.get(), info.is_text() ? FST_VT_GEN_STRING : FST_VT_VCD_WIRE,
                                FST_VD_IMPLICIT, info.is_text() ? 0 : info.width_bits, name.c_str(), 0);
    places_[id].row = tsuji_fst_row(handle);
  }

  static constexpr std::size_t end_bytes = 65536;
  static constexpr unsigned short_width = 8;
  struct Place {
    fstHandle handle = 0;
    std::uint32_t row = 0;    ///< number of the handle in tsuji_fst_block
    std::uint32_t width = 0;  ///< bits; 0: a text
    std::uint32_t shift = 0;  ///< of a short number, so that its bits come first
  };
  /// Digits of all numbers of eight bits.
  static std::array<std::array<char, short_width>, 1U << short_width> all_digits() {
    std::array<std::array<char, short_width>, 1U << short_width> all{};
    for (unsigned number = 0; number < all.size(); ++number)
      for (unsigned bit = 0; bit < short_width; ++bit)
        all[number][bit] = (number >> (short_width - 1 - bit) & 1U) != 0 ? '1' : '0';
    return all;
  }
  /// Writes changes up to one that only the writer's own functions can write. Returns that one.
  const Wave::Change* const* put(const Wave::Change* const* changes, const Wave::Change* const* end) {
    tsuji_fst_block written;
    if (begin_(writer_.get(), static_cast<std::size_t>(end - changes), &written) == 0) return changes;
    const tsuji_fst_block block = written;  // in registers, as its address is not known to anyone
    const Place* const places = places_.data();
    unsigned char* at = block.end;
    for (; changes != end; ++changes) {
      const Wave::Change& change = **changes;
      const Place& place = places[change.signal];
      if (place.width - 1U < short_width) {
        at = tsuji_fst_put_digits(block, at, place.row, digits_of(place, change.number), place.width);
      } else if (change.text != nullptr) {
        static_assert(sizeof(WaveText) == tsuji_fst_text);
        const std::string_view text = change.text->view();
        at = tsuji_fst_put_text(block, at, place.row, text.data(), static_cast<std::uint32_t>(text.size()));
      } else {
        break;
      }
    }
    tsuji_fst_end(writer_.get(), &block, at);
    return changes;
  }
  void emit(const Wave::Change& change) {
    const Place& place = places_[change.signal];
    if (change.text != nullptr) {
      text(change.signal, change.text->view());
    } else if (place.width > short_width) {
      fstWriterEmitValueChange64(writer_.get(), place.handle, place.width, change.number);
    } else {
      fstWriterEmitValueChange(writer_.get(), place.handle, digits_of(place, change.number));
    }
  }
  /// Of a signal of at most 8 bits, which come first.
  const char* digits_of(const Place& place, std::uint64_t number) const {
    return digits_[number << place.shift].data();
  }
  const std::string path_;
  std::size_t hierarchy_bytes_ = 0;  ///< about what the names of signals and scopes take
  std::unique_ptr<void, CloseWriter> writer_;
  decltype(&tsuji_fst_begin) const begin_ = tsuji_fst_begin;  ///< null: another copy of the writer is linked
  std::vector<Place> places_;                                 ///< [signal]
  const std::array<std::array<char, short_width>, 1U << short_width> digits_ = all_digits();
};

}  // namespace

bool writes_fst() {
  return true;
}

std::unique_ptr<WaveSink> open_fst(const std::string& path) {
  return std::make_unique<FstSink>(path);
}

}  // namespace tsuji::observe
