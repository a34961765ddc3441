# SPDX-License-Identifier: Apache-2.0
"""The handbook's build: pages, READMEs and what the programs print become one folder of HTML."""
