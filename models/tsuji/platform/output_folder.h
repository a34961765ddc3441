// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "tsuji/platform/folder_lock.h"

namespace tsuji::platform {

/// The folder that a run leaves, which replaces the folder of the run before in one step. Until then all
/// files are written into staging(), a hidden folder beside it (or inside of it, see below), where they
/// cannot be taken for a result; a run that is killed leaves them there, and the next run clears them away.
/// One process at a time has the folder (FolderLock).
///
/// Files of the run before go. They are listed in the folder's `.tsuji_files`; files that are not were
/// written by somebody else and stay, under a name with ~ behind it where the run has a file of that name.
///
/// Most folders are exchanged by name, which is one step. A folder in which this process stands, that is a
/// mount point or holds folders of somebody else, or whose parent folder cannot be written, stays where it
/// is: its files are replaced one by one, result.json being the first to go and the last to come, and a run
/// that is killed meanwhile leaves the new files complete in `.tsuji_complete`, from where the next run puts
/// them in place.
class OutputFolder {
 public:
  /// A folder that another run has is refused, or waited for.
  enum class IfTaken { refuses, waits };
  /// Locks it. ConfigError (--out) where it cannot be written or another run has it. Its contents stay.
  explicit OutputFolder(const std::string& path, IfTaken if_taken = IfTaken::refuses);
  /// Without commit() the folder stays as it was, and staging() goes, unless a run of the same identity may
  /// go on in it.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Makes staging(). Files that an earlier run with the same `identity` has left there, or in the folder
  /// without coming to its end, are kept; all else is cleared away. An empty identity keeps nothing.
  void begin(const std::string& identity);
  /// The identity's run has come to its end: no other one goes on from what it leaves.
  void forget_identity();
  const std::string& staging() const { return staging_; }
  /// As the user named it.
  const std::string& path() const { return path_; }

  /// staging() becomes the folder. OutputError where that fails; the folder is as it was then.
  void commit();
  /// Removes staging(): the run has been refused.
  void discard();

 private:
  void find_place(IfTaken if_taken);
  void clear_staging(const std::string& identity);
  void exchange();
  void replace_one_by_one();

  const std::string path_;
  std::string target_;   ///< absolute, without links
  std::string staging_;  ///< absolute
  bool in_place_ = false;
  bool keep_ = false;  ///< staging() is worth going on from
  std::unique_ptr<FolderLock> lock_;
};

}  // namespace tsuji::platform
