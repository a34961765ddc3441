// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/gtkw.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "tsuji/core/error.h"
#include "tsuji/core/output_file.h"

namespace tsuji::observe {
namespace {

/// Flags of a signal, as GTKWave writes them (hexadecimal) before the signals that they hold for.
enum Flags : unsigned {
  hex = 0x2,
  decimal = 0x4,
  binary = 0x8,
  right_justified = 0x20,
  blank = 0x200,
  ascii = 0x800,
  translated = 0x2000,
  analog_step = 0x8000,
  collapsed = 0x1000,
  analog_stretch = 0x20000,
  closed = 0x400000,
  group_begin = 0x800000,
  group_end = 0x1000000,
};

unsigned flags_of(WaveFormat format) {
  switch (format) {
    case WaveFormat::binary:
      return binary | right_justified;
    case WaveFormat::hex:
      return hex | right_justified;
    case WaveFormat::decimal:
      return decimal | right_justified;
    case WaveFormat::text:
      return ascii | right_justified;
    case WaveFormat::analog:
      return decimal | right_justified | analog_step;
  }
  return hex | right_justified;
}

/// A value as GTKWave prints it, for the left column of a translation file.
std::string shown_value(std::uint64_t value, const SignalInfo& signal) {
  if (signal.format == WaveFormat::decimal || signal.format == WaveFormat::analog)
    return std::to_string(value);
  const unsigned bits = signal.format == WaveFormat::binary ? 1 : 4;
  std::string text;
  for (unsigned digit = (signal.width_bits + bits - 1) / bits; digit-- > 0;) {
    text += "0123456789ABCDEF"[value >> digit * bits & ((1U << bits) - 1)];
  }
  return text;
}

/// The length of the scopes (with their dots) that all signals of a group share.
std::size_t common_scope(const std::vector<const SignalInfo*>& signals) {
  std::string common = signals.front()->path.substr(0, signals.front()->path.rfind('.') + 1);
  for (const SignalInfo* signal : signals) {
    const std::string& path = signal->path;
    while (path.compare(0, common.size(), common) != 0) {
      const std::size_t dot = common.rfind('.', common.size() - 2);
      common.resize(dot == std::string::npos || common.size() < 2 ? 0 : dot + 1);
    }
  }
  return common.size();
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// Places of a save file for them.
constexpr std::size_t named_markers = 26;

class SaveFile {
 public:
  SaveFile(const std::string& stem, const std::string& ending)
      : stem_(stem), path_(stem + ".gtkw"), file_(path_, std::ios::binary) {
    // GTKWave replaces this save file's folder by the one in which it finds it: a made-up root keeps the
    // names relative to each other.
    file_ << "[*] Written by tsuji; open it with: gtkwave " << file_name(path_) << '\n'
          << "[dumpfile] \"/" << file_name(stem) << ending << "\"\n"
          << "[savefile] \"/" << file_name(path_) << "\"\n";
  }

  void view(WaveWindow shown, Picoseconds at, const std::vector<WaveView::Marker>& markers) {
    const double length = std::max(1.0, static_cast<double>(shown.to - shown.from));
    constexpr double frame_pixels = 200.0, wave_pixels = 1180.0;
    file_ << "[timestart] " << shown.from << "\n[size] 1600 900\n[pos] 0 0\n";
    // The zoom is the negative binary logarithm of the time that GTKWave's frame of 200 pixels shows;
    // then the marker's time and those of the named markers (-1: none).
    file_ << '*' << std::to_string(-std::log2(length * frame_pixels / wave_pixels)) << ' ' << at;
    for (std::size_t marker = 0; marker < named_markers; ++marker) {
      if (marker < markers.size())
        file_ << ' ' << markers[marker].at;
      else
        file_ << " -1";
    }
    for (std::size_t marker = 0; marker < std::min(markers.size(), named_markers); ++marker)
      file_ << "\n[markername] " << static_cast<char>('A' + marker) << markers[marker].name;
    file_ << "\n[sst_width] 60\n[signals_width] 300\n[sst_expanded] 0\n";
  }

  void group(const std::string& name, const std::vector<const SignalInfo*>& signals, bool folded,
             const std::string& left_out = {}) {
    flags(group_begin | blank | (folded ? closed : 0U));
    file_ << '-' << name << '\n';
    const std::size_t scope = common_scope(signals);
    for (const SignalInfo* info : signals) {
      const bool in_scope = !left_out.empty() && info->path.compare(0, left_out.size(), left_out) == 0;
      signal(*info, in_scope ? std::max(scope, left_out.size()) : scope);
    }
    flags(group_end | blank | (folded ? closed | collapsed : 0U));
    file_ << '-' << name << '\n';
  }

  void close() { close_output(file_, path_); }

 private:
  void flags(unsigned flags) {
    if (flags == flags_) return;
    flags_ = flags;
    file_ << '@' << std::hex << flags << std::dec << '\n';
  }

  void signal(const SignalInfo& info, std::size_t scope) {
    const bool named = !info.names.empty() && !info.is_text();
    flags(flags_of(info.format) | (named ? translated : 0U));
    if (named) file_ << '^' << names_file(info) << " /" << file_name(names_path(names_file(info))) << '\n';
    // GTKWave shows the last part of a path; where a group spans scopes that would name many signals alike.
    if (info.path.find('.', scope) != std::string::npos) {
      std::string label = info.path.substr(scope);
      std::replace(label.begin(), label.end(), '.', '/');  // it would shorten the label, too
      file_ << "+{" << label << info.range() << "} ";
    }
    file_ << info.path << info.range() << '\n';
    if (info.format != WaveFormat::analog) return;
    flags(analog_stretch);  // an analog signal is drawn over the empty rows below it
    file_ << "-\n-\n";
  }

  std::string names_path(unsigned number) const { return stem_ + ".names" + std::to_string(number) + ".txt"; }

  /// The number of the translation file with this signal's names; signals with the same names share one.
  unsigned names_file(const SignalInfo& info) {
    std::string text;
    for (const auto& [value, name] : info.names) text += shown_value(value, info) + ' ' + name + '\n';
    const auto [place, is_new] = names_files_.emplace(text, static_cast<unsigned>(names_files_.size() + 1));
    if (is_new) {
      std::ofstream names(names_path(place->second), std::ios::binary);
      names << text;
      close_output(names, names_path(place->second));
    }
    return place->second;
  }

  const std::string stem_, path_;
  std::ofstream file_;
  unsigned flags_ = 0;
  std::map<std::string, unsigned> names_files_;
};

/// Writes the parts of a view that have a signal. False: none has.
bool write_view(SaveFile& file, const WaveView& view, const std::vector<SignalInfo>& signals) {
  std::map<std::string, const SignalInfo*> by_path;
  for (const SignalInfo& signal : signals) by_path.emplace(signal.path, &signal);
  bool any = false;
  for (const WaveView::Part& part : view.parts) {
    std::vector<const SignalInfo*> found;
    for (const std::string& path : part.paths)
      if (const auto place = by_path.find(path); place != by_path.end()) found.push_back(place->second);
    if (found.empty()) continue;
    file.group(part.heading, found, false, view.scope);
    any = true;
  }
  return any;
}

}  // namespace

void write_gtkw(const std::string& stem, const std::string& ending, const std::vector<SignalInfo>& signals,
                WaveWindow shown, Picoseconds marker, const WaveView* view) {
  std::vector<std::string> groups;
  std::map<std::string, std::vector<const SignalInfo*>> members;
  for (const SignalInfo& signal : signals) {
    if (signal.group.empty()) continue;
    auto& group = members[signal.group];
    if (group.empty()) groups.push_back(signal.group);
    group.push_back(&signal);
  }
  SaveFile file(stem, ending);
  file.view(shown, marker, view == nullptr ? std::vector<WaveView::Marker>{} : view->markers);
  const bool viewed = view != nullptr && write_view(file, *view, signals);
  for (const std::string& group : groups) file.group(group, members[group], viewed);
  file.close();
}

}  // namespace tsuji::observe
