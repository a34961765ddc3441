# SPDX-License-Identifier: Apache-2.0
# Never built: tests/packaging_test.py reads it only. To try it: spack repo create tsuji_repo; copy this folder to its
# packages.
from spack.package import *


class Tsuji(CMakePackage):
    """Cycle-level models of interconnection networks in SystemC/TLM."""

    # From a checkout: spack dev-build tsuji@0.1.0
    version("0.1.0")

    variant("fst", default=True, description="waveforms in FST")
    license("Apache-2.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("git", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("systemc@2.3.4:")
    depends_on("spdlog")
    depends_on("yaml-cpp")
    depends_on("cli11")
    depends_on("nlohmann-json")
    depends_on("random123")
    depends_on("zstd")
    depends_on("zlib-api", when="+fst")
    depends_on("verilator", type="build", when="+fst")

    generator("ninja")

    def cmake_args(self):
        without_fst = [] if "+fst" in self.spec else [self.define("TSUJI_FSTAPI_DIR", False)]
        return [self.define("TSUJI_TESTS", False), *without_fst]
