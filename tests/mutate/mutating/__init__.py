# SPDX-License-Identifier: Apache-2.0
"""Mutants of the models' sources and the tests that notice them. See tests/mutate/README.md."""
