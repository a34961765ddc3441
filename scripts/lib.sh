# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts: to be sourced. Sets `root` (the project's folder, or PREFIX/share/tsuji), `called_from`, `script` (the caller's name),
# `platforms` (the folder of the executables), `python` and `snakemake` (programs), exports TSUJI_BUILD (the build folder, a whole path), and
# goes to `root`.

set -euo pipefail
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}  # or it keeps nothing compiled with precompiled headers
called_from=$PWD
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
script=$(basename "$0")
cd "$root"

# TSUJI_BUILD=DIR: where to build, for a checkout that cannot be written.
TSUJI_BUILD=${TSUJI_BUILD:-$root/build}
case $TSUJI_BUILD in /*) ;; *) TSUJI_BUILD=$called_from/$TSUJI_BUILD ;; esac
export TSUJI_BUILD
platforms=$TSUJI_BUILD/platforms
# An installation has nothing to build.
prefix=${root%/share/tsuji}
if [ "$prefix" != "$root" ] && [ -x "$prefix/bin/tsuji" ]; then
  installed=yes platforms=$prefix/bin
else
  installed=no
fi

# chosen_program VARIABLE NAME: the program that the environment's VARIABLE names, or Debian's NAME (one that comes first in PATH may lack
# what Debian's has), or the first in PATH; nothing where there is none.
chosen_program() {
  local chosen=${!1:-}
  if [ -n "$chosen" ]; then
    (cd "$called_from" && realpath -s -- "$(command -v "$chosen")") 2>/dev/null || {
      echo "$script: $1: no such program (got '$chosen')" >&2
      return 2
    }
  elif [ -x "/usr/bin/$2" ]; then
    echo "/usr/bin/$2"
  else
    command -v "$2" || true
  fi
}
python=$(chosen_program TSUJI_PYTHON python3) || exit
snakemake=$(chosen_program TSUJI_SNAKEMAKE snakemake) || exit
# For what the scripts start, which may stand in another folder.
[ -z "${TSUJI_PYTHON:-}" ] || TSUJI_PYTHON=$python
[ -z "${TSUJI_SNAKEMAKE:-}" ] || TSUJI_SNAKEMAKE=$snakemake

# help_if_asked ARGUMENT...: with -h or --help among the arguments prints the calling script's first comment and ends.
help_if_asked() {
  case " $* " in *" -h "* | *" --help "*) ;; *) return 0 ;; esac
  sed -n '2,$ { /^# SPDX-/d; /^#/!q; s/^# \{0,1\}//p }' "$root/scripts/$script"
  exit 0
}

source scripts/needs.sh  # need SECTION... [-- SECTION...]

# build_folder PRESET: the release build's own, and a neighbour of it for each other preset.
build_folder() {
  case $1 in release) echo "$TSUJI_BUILD" ;; *) echo "$TSUJI_BUILD-$1" ;; esac
}

# locked PRESET COMMAND...: of several scripts one works in a build folder; the others say whom they wait for.
locked() {
  local folder lock status=0
  folder=$(build_folder "$1")
  shift
  mkdir -p "$folder" 2>/dev/null && [ -w "$folder" ] || {
    echo "$script: $folder: cannot be written; TSUJI_BUILD=DIR builds in another folder" >&2
    return 1
  }
  if command -v flock >/dev/null; then
    exec {lock}>>"$folder/.lock"
    flock -n "$lock" || {
      echo "$script: waits for $(cat "$folder/.lock"), which builds in $folder" >&2
      flock "$lock"
    }
    echo "scripts/$script (process $$)" >"$folder/.lock"
  fi
  "$@" || status=$?
  [ -z "${lock:-}" ] || exec {lock}>&-
  return $status
}

# told_by_cmake WORD...: of CMake's words those about this project, or all of them where it fails. Tests that are left out concern scripts/test
# alone.
told_by_cmake() {
  local log others=
  [ "$script" = test ] || others='/^-- tsuji: .*\btests\b.* left out/d;'
  log=$(cmake "$@" 2>&1) || {
    echo "$log" >&2
    return 1
  }
  sed -n "${others}s/^-- tsuji: /$script: /p" <<<"$log" >&2
}

# configure PRESET [ARGUMENT OF CMAKE...], build PRESET [TARGET...]: the target `all` if none is named.
configure() {
  [ $installed = no ] || return 0
  local preset=$1
  shift
  locked "$preset" told_by_cmake --preset "$preset" -B "$(build_folder "$preset")" ${TSUJI_PYTHON:+"-DTSUJI_PYTHON=$TSUJI_PYTHON"} "$@"
}
build() {
  [ $installed = no ] || return 0
  local preset=$1
  shift
  locked "$preset" cmake --build "$(build_folder "$preset")" --target "${@:-all}"
}
