// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "tsuji/platform/folder_lock.h"

namespace tsuji::platform {

/// Output folder of a run, which replaces the folder of an earlier run in one step at the end. Until then all
/// files are written into staging(), a hidden folder next to the output folder (or inside it, see below),
/// where nobody mistakes them for a result. A killed run leaves staging() to be removed by the next run. A
/// FolderLock reserves the folder for one process at a time.
///
/// Files of the earlier run, listed in the folder's `.tsuji_files`, are removed. Files not in that list
/// belong to the user and are kept; if the new run has a file of that name, the user's file is renamed with a
/// trailing ~.
///
/// Most folders are exchanged by renaming, which is one step. A folder is kept in place if it is the current
/// directory, is a mount point, contains folders of the user, or has a parent folder that cannot be written.
/// Its files are replaced one by one, with result.json removed first and written last. If the run is killed
/// meanwhile, the complete new files are in `.tsuji_complete`, and the next run finishes the replacement.
///
/// Contract: begin(), then the run writes into staging(), then commit() or discard(). forget_identity() may
/// be called between begin() and the end.
class OutputFolder {
 public:
  /// Policy for a folder that another run holds.
  enum class IfTaken { refuses, waits };
  /// Locks the folder and leaves its contents unchanged. Throws ConfigError (--out) if it cannot be written
  /// or, with IfTaken::refuses, if another run holds it.
  explicit OutputFolder(const std::string& path, IfTaken if_taken = IfTaken::refuses);
  /// Without commit(), leaves the folder unchanged and removes staging(), unless a later run of this identity
  /// can resume from staging().
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Creates staging(). Keeps files of an unfinished earlier run with this `identity`, in staging() or in the
  /// folder; removes everything else in staging(). An empty identity keeps nothing.
  void begin(const std::string& identity);
  /// Declares the run of this identity finished: no later run resumes from its files.
  void forget_identity();
  const std::string& staging() const { return staging_; }
  /// Path as the user wrote it.
  const std::string& path() const { return path_; }

  /// Replaces the folder by staging(). Throws OutputError on failure and leaves the folder unchanged.
  void commit();
  /// Removes staging() after a refused run.
  void discard();

 private:
  void find_place(IfTaken if_taken);
  void clear_staging(const std::string& identity);
  void exchange();
  void replace_one_by_one();

  const std::string path_;
  std::string target_;   ///< Absolute path without symbolic links.
  std::string staging_;  ///< Absolute path.
  bool in_place_ = false;
  bool keep_ = false;  ///< A later run can resume from staging().
  std::unique_ptr<FolderLock> lock_;
};

}  // namespace tsuji::platform
