# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts: to be sourced. Sets `root` (the project's folder) and goes there.

set -euo pipefail
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}  # or it keeps nothing compiled with precompiled headers
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# help_if_asked ARGUMENT...: with -h or --help among the arguments prints the calling script's first comment and ends.
help_if_asked() {
  case " $* " in *" -h "* | *" --help "*) ;; *) return 0 ;; esac
  sed -n '2,$ { /^# SPDX-/d; /^#/!q; s/^# \{0,1\}//p }' "$root/scripts/$(basename "$0")"
  exit 0
}

# packages_of SECTION: the packages of one section of scripts/packages.
packages_of() {
  awk -v wanted="[$1]" '/^\[/ { inside = $1 == wanted; next } inside && NF && !/^#/ { print $1 }' scripts/packages
}

# need SECTION...: installs what is missing of these sections; asks dpkg only, so a second call costs milliseconds.
need() {
  local section missing=() known
  known=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' 2>/dev/null | awk '$1 == "ii" { print $2 }')
  for section in "$@"; do
    local package
    for package in $(packages_of "$section"); do
      grep -qxF "$package" <<<"$known" || missing+=("$package")
    done
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      echo "missing packages: ${missing[*]}; installing them takes root or sudo" >&2
      exit 1
    }
    as_root=(sudo)
  fi
  echo "installing: ${missing[*]}" >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# configure PRESET [ARGUMENT OF CMAKE...], build PRESET TARGET...: the target `all` if none is named.
configure() {
  local log
  log=$(cmake --preset "$@" 2>&1) || {
    echo "$log" >&2
    return 1
  }
}
build() {
  local preset=$1
  shift
  cmake --build --preset "$preset" --target "${@:-all}"
}
