// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/output_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/core/output_file.h"

namespace tsuji::platform {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;  ///< relative to a folder; those of folders end with a slash

constexpr const char* own_prefix = ".tsuji_";
constexpr const char* files_name = ".tsuji_files";
constexpr const char* identity_name = ".tsuji_identity";
constexpr const char* partial_name = ".tsuji_partial";
constexpr const char* complete_name = ".tsuji_complete";
constexpr const char* lock_name = ".tsuji_lock";
constexpr const char* result_name = "result.json";
constexpr std::size_t many_foreign_files = 100;

[[noreturn]] void refuse(const std::string& folder, int error) {
  throw ConfigError("--out", folder, std::string("cannot be written: ") + std::strerror(error),
                    "a folder that exists or can be created, with write permission");
}

bool is_full(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
}

/// A full disk is no fault of the command line's.
void check(const std::error_code& error, const std::string& folder) {
  if (!error) return;
  if (is_full(error.value())) throw OutputError(folder, "cannot be written: " + error.message());
  refuse(folder, error.value());
}

/// Everything in a folder, without what the class itself keeps there.
Names names_in(const fs::path& folder) {
  Names names;
  if (!fs::is_directory(folder)) return names;
  for (fs::recursive_directory_iterator entry(folder), end; entry != end; ++entry) {
    const bool is_folder = entry->is_directory() && !entry->is_symlink();
    const std::string name = entry->path().lexically_relative(folder).string();
    if (entry.depth() == 0 && name.rfind(own_prefix, 0) == 0) {
      entry.disable_recursion_pending();
    } else {
      names.insert(is_folder ? name + "/" : name);
    }
  }
  return names;
}

/// Files that the previous run has left in a folder. A folder of a version that kept no list has its
/// resolved.yaml.
Names listed_in(const fs::path& folder) {
  Names names;
  std::ifstream file(folder / files_name, std::ios::binary);
  for (std::string line; std::getline(file, line);) names.insert(line);
  if (names.empty() && fs::exists(folder / "resolved.yaml"))
    names = {result_name, "resolved.yaml", "packets.csv", "sweep.csv", "sweep.svg", "sweep.png"};
  return names;
}

/// Entries that are neither listed nor in a folder that is not listed.
std::vector<std::string> foreign_in(const fs::path& folder) {
  const Names own = listed_in(folder);
  std::vector<std::string> foreign;
  for (fs::recursive_directory_iterator entry(folder), end; entry != end; ++entry) {
    const bool is_folder = entry->is_directory() && !entry->is_symlink();
    const std::string name = entry->path().lexically_relative(folder).string() + (is_folder ? "/" : "");
    const bool of_this_class = entry.depth() == 0 && name.rfind(own_prefix, 0) == 0;
    const bool listed = own.count(name) != 0;
    if (is_folder && !listed) entry.disable_recursion_pending();
    if (!of_this_class && !listed) foreign.push_back(name);
  }
  return foreign;
}

bool holds_folders(const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.back() == '/'; });
}

void write_list(const fs::path& folder) {
  std::ofstream file(folder / files_name, std::ios::binary);
  for (const std::string& name : names_in(folder)) file << name << '\n';
  close_output(file, (folder / files_name).string());
}

/// Temporary name, in the same folder, for a file that is being replaced.
fs::path spare_name(fs::path path) {
  do path += "~";
  while (fs::exists(fs::symlink_status(path)));
  return path;
}

/// Gives files of one folder a name in another one, too, or a copy where the file system has no such names.
void link_files(const fs::path& from, const std::vector<std::string>& names, const fs::path& to) {
  for (const std::string& name : names) {
    fs::create_directories((to / name).parent_path());
    const bool taken = fs::exists(fs::symlink_status(to / name));
    const fs::path goal = taken ? spare_name(to / name) : to / name;
    if (link((from / name).c_str(), goal.c_str()) != 0)
      fs::copy(from / name, goal, fs::copy_options::copy_symlinks);
  }
}

bool stands_in(const fs::path& folder) {
  std::error_code error;
  const fs::path here = fs::current_path(error).lexically_relative(folder);
  return !error && !here.empty() && *here.begin() != "..";
}

bool is_mount_point(const fs::path& folder) {
  struct statx status = {};
  if (statx(AT_FDCWD, folder.c_str(), 0, STATX_BASIC_STATS, &status) != 0) return false;
  return (status.stx_attributes_mask & status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

/// Too much of others to be given names elsewhere.
bool is_shared(const fs::path& folder) {
  const std::vector<std::string> foreign = foreign_in(folder);
  return holds_folders(foreign) || foreign.size() > many_foreign_files;
}

/// The folder with all links followed; its parent is made, the folder is not.
fs::path place_of(const std::string& path) {
  std::error_code error;
  fs::path place = fs::absolute(path).lexically_normal();
  if (!place.has_filename()) place = place.parent_path();
  if (fs::exists(fs::symlink_status(place, error))) {
    place = fs::canonical(place, error);
    if (error.value() == ENOENT) refuse(path, ENOENT);
    check(error, path);
    if (!fs::is_directory(place)) refuse(path, ENOTDIR);
    return place;
  }
  fs::create_directories(place.parent_path(), error);
  check(error, path);
  return fs::canonical(place.parent_path()) / place.filename();
}

/// Everything in a folder, but not in its folders.
std::vector<std::string> top_names(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string() +
                    (entry.is_directory() && !entry.is_symlink() ? "/" : ""));
  return names;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Moves everything of one folder into another that has some of its folders.
void move_into(const fs::path& from, const fs::path& to) {
  for (const std::string& name : top_names(from)) {
    if (name == files_name || name == result_name) continue;
    if (name.back() == '/' && fs::is_directory(fs::symlink_status(to / name))) {
      move_into(from / name, to / name);
    } else {
      fs::rename(from / name, to / name);
    }
  }
  // The list and the result come last: a folder with a result is whole.
  for (const char* name : {files_name, result_name})
    if (fs::exists(from / name)) fs::rename(from / name, to / name);
  fs::remove(from);
}

/// Moves files from a folder's .tsuji_complete into the folder; a repeated call resumes an interrupted move.
void put_in_place(const fs::path& folder) {
  const fs::path complete = folder / complete_name;
  const Names before = listed_in(folder), left = names_in(complete), after = listed_in(complete);
  const auto moved = [&](const std::string& name) { return after.count(name) != 0 && left.count(name) == 0; };
  // Once the list has moved all that is missing is the result.
  if (fs::exists(complete / files_name)) {
    if (!moved(result_name)) fs::remove(folder / result_name);
    for (auto name = before.rbegin(); name != before.rend(); ++name) {
      std::error_code not_empty;
      if (!moved(*name)) fs::remove(folder / *name, not_empty);
    }
    for (const std::string& name : left) {
      const fs::path goal = folder / name;
      if (name.back() != '/' && fs::exists(fs::symlink_status(goal))) fs::rename(goal, spare_name(goal));
    }
  }
  move_into(complete, folder);
}

}  // namespace

OutputFolder::OutputFolder(const std::string& path, IfTaken if_taken) : path_(path) {
  try {
    find_place(if_taken);
  } catch (const fs::filesystem_error& error) {
    check(error.code(), path_);
  }
}

void OutputFolder::find_place(IfTaken if_taken) {
  const fs::path target = place_of(path_);
  const fs::path parent = target.parent_path();
  target_ = target.string();
  const bool exists = fs::exists(target);
  if (exists && access(target.c_str(), R_OK | W_OK | X_OK) != 0) refuse(path_, errno);
  const bool beside = access(parent.c_str(), W_OK | X_OK) == 0 && !(exists && is_mount_point(target));
  if (!beside && !exists) refuse(path_, errno);
  const std::string hidden = "." + target.filename().string();
  lock_ = std::make_unique<FolderLock>(beside ? parent / (hidden + ".lock") : target / lock_name, path_,
                                       if_taken == IfTaken::waits);
  if (fs::exists(target / complete_name)) put_in_place(target);
  in_place_ = !beside || (exists && (stands_in(target) || is_shared(target)));
  staging_ = in_place_ ? target / partial_name : parent / (hidden + ".partial");
  if (beside) fs::remove_all(in_place_ ? parent / (hidden + ".partial") : target / partial_name);
}

OutputFolder::~OutputFolder() {
  if (!keep_) discard();
}

void OutputFolder::begin(const std::string& identity) {
  try {
    clear_staging(identity);
  } catch (const fs::filesystem_error& error) {
    check(error.code(), path_);
  }
  if (identity.empty()) return;
  keep_ = true;
  std::ofstream file(fs::path(staging_) / identity_name, std::ios::binary);
  file << identity;
  close_output(file, staging_ + "/" + identity_name);
}

void OutputFolder::clear_staging(const std::string& identity) {
  const fs::path staging = staging_, target = target_;
  const auto is_of_identity = [&](const fs::path& folder) {
    return !identity.empty() && text_of(folder / identity_name) == identity;
  };
  if (is_of_identity(staging)) {
    for (const std::string& name : top_names(staging))
      if (name.back() != '/' || name.front() == '.') fs::remove_all(staging / name);
    return;
  }
  fs::remove_all(staging);
  fs::create_directory(staging);
  if (!is_of_identity(target)) return;
  std::vector<std::string> in_folders;
  for (const std::string& name : listed_in(target))
    if (name.back() != '/' && name.find('/') != std::string::npos) in_folders.push_back(name);
  link_files(target, in_folders, staging);
}

void OutputFolder::forget_identity() {
  fs::remove(fs::path(staging_) / identity_name);
  keep_ = false;
}

void OutputFolder::commit() {
  try {
    write_list(staging_);
    if (in_place_) {
      replace_one_by_one();
    } else {
      exchange();
    }
  } catch (const fs::filesystem_error& error) {
    throw OutputError(path_, error.what());
  }
  keep_ = false;
}

void OutputFolder::exchange() {
  const fs::path staging = staging_, target = target_;
  if (!fs::exists(target)) return fs::rename(staging, target);
  const std::vector<std::string> foreign = foreign_in(target);
  if (holds_folders(foreign)) return replace_one_by_one();  // of somebody who was here during the run
  link_files(target, foreign, staging);
  fs::permissions(staging, fs::status(target).permissions());
  if (renameat2(AT_FDCWD, staging.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) != 0) {
    if (errno == ENOENT) return fs::rename(staging, target);
    // A file system that knows no exchange, or a folder that may not be renamed.
    return replace_one_by_one();
  }
  std::error_code left_for_the_next_run;
  fs::remove_all(staging, left_for_the_next_run);
}

void OutputFolder::replace_one_by_one() {
  const fs::path complete = fs::path(target_) / complete_name;
  fs::rename(staging_, complete);
  put_in_place(target_);
}

void OutputFolder::discard() {
  keep_ = false;
  std::error_code left_for_the_next_run;
  fs::remove_all(staging_, left_for_the_next_run);
}

}  // namespace tsuji::platform
