// SPDX-License-Identifier: Apache-2.0
// Its target keeps the precompiled headers of tests.
