// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tsuji::platform {

/// The source that this executable was built from, as git describes it: a tag or the commit, with -dirty
/// behind it where files had been changed; or that there was no git repository.
const char* source_revision();

}  // namespace tsuji::platform
