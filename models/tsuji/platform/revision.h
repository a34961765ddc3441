// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tsuji::platform {

/// Source revision of this executable, as git describes it: a tag or commit, with the suffix -dirty if files
/// had been changed; or a text that there was no git repository.
const char* source_revision();

}  // namespace tsuji::platform
