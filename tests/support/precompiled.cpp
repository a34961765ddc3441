// SPDX-License-Identifier: Apache-2.0
// The target of this file holds the precompiled headers of tests.
