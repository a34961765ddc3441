#include <fstapi.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "observe/wave_sink.h"

namespace tsuji::observe {
namespace {

struct CloseWriter {
  void operator()(void* writer) const { fstWriterClose(writer); }
};

class FstSink final : public WaveSink, private ScopeWalk {
 public:
  explicit FstSink(const std::string& path) : path_(path), writer_(fstWriterCreate(path.c_str(), 1)) {
    if (writer_ == nullptr) {
      throw ConfigError("", path, std::string("the waveform cannot be written: ") + std::strerror(errno),
                        "a folder in which files can be made");
    }
    fstWriterSetTimescale(writer_.get(), -12);
    fstWriterSetVersion(writer_.get(), "tsuji");
    fstWriterSetDate(writer_.get(), "");  // the same run gives the same bytes
    fstWriterSetPackType(writer_.get(), FST_WR_PT_LZ4);
  }

  void declare(const std::vector<SignalInfo>& signals) override {
    handles_.resize(signals.size());
    widths_.resize(signals.size());
    walk(signals);
  }

  void time(Picoseconds time) override { fstWriterEmitTimeChange(writer_.get(), time); }

  void value(SignalId signal, std::uint64_t value) override {
    fstWriterEmitValueChange64(writer_.get(), handles_[signal], widths_[signal], value);
  }

  void text(SignalId signal, const std::string& text) override {
    fstWriterEmitVariableLengthValueChange(writer_.get(), handles_[signal], text.data(),
                                           static_cast<std::uint32_t>(text.size()));
  }

  void close() override {
    const bool failed = fstWriterGetFseekFailed(writer_.get()) != 0;
    writer_.reset();
    if (failed) throw ModelError(path_, "the waveform could not be written to its end");
  }

 private:
  void enter(const std::string& scope) override {
    fstWriterSetScope(writer_.get(), FST_ST_VCD_MODULE, scope.c_str(), nullptr);
  }
  void leave() override { fstWriterSetUpscope(writer_.get()); }
  void signal(SignalId id, const SignalInfo& info) override {
    std::string name = info.path.substr(info.path.rfind('.') + 1);
    if (!info.range().empty()) name += " " + info.range();
    widths_[id] = info.width_bits;
    handles_[id] = fstWriterCreateVar(writer_.get(), info.is_text() ? FST_VT_GEN_STRING : FST_VT_VCD_WIRE,
                                      FST_VD_IMPLICIT, info.is_text() ? 0 : info.width_bits, name.c_str(), 0);
  }

  const std::string path_;
  std::unique_ptr<void, CloseWriter> writer_;
  std::vector<fstHandle> handles_;
  std::vector<std::uint32_t> widths_;
};

}  // namespace

std::unique_ptr<WaveSink> open_fst(const std::string& path) {
  return std::make_unique<FstSink>(path);
}

}  // namespace tsuji::observe
