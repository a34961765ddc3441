# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts: sourced by lib.sh. `need` sees to it that what a script needs is there, by scripts/packages.

# packages_of SECTION...: the lines of these sections of scripts/packages.
packages_of() {
  awk -v wanted=" $* " '/^\[/ { inside = index(wanted, " " substr($1, 2, length($1) - 2) " ") } /^[^[#]/ && inside && !seen[$0]++' scripts/packages
}

# found_headers NAME..., found_modules NAME...: those that the compiler (of C++, or of C where that is all there is) and `python` find, one a
# line; one process for all of them.
found_headers() {
  local name prefix prefixes include=() compiler="${CXX:-c++} -x c++"
  command -v ${CXX:-c++} >/dev/null || compiler="gcc -x c"
  IFS=: read -ra prefixes <<<"${CMAKE_PREFIX_PATH:-}:${CONDA_PREFIX:-}"
  for prefix in "${prefixes[@]}"; do [ -z "$prefix" ] || include+=(-I "$prefix/include"); done
  # shellcheck disable=SC2086  # CXX may have options
  for name in "$@"; do printf '#if __has_include(<%s>)\n"%s"\n#endif\n' "$name" "$name"; done |
    $compiler "${include[@]}" -E -P - 2>/dev/null | tr -d '"' || true
}
found_modules() {
  [ -z "$python" ] || "$python" -c 'import importlib.util, sys
for name in sys.argv[1:]:
    if importlib.util.find_spec(name):
        print(name)' "$@" 2>/dev/null || true
}

# is_there PROBE: headers and Python modules are looked for in `found`, programs and shared files in PATH.
is_there() {
  local kind=${1%%:*} name names folder folders
  IFS='|' read -ra names <<<"${1#*:}"
  IFS=: read -ra folders <<<"$PATH"
  for name in "${names[@]}"; do
    case $kind:$name in
      program:python3) [ -z "$python" ] || return 0 ;;
      program:snakemake) [ -z "$snakemake" ] || return 0 ;;
      program:c++) ! command -v "${CXX:-c++}" >/dev/null || return 0 ;;
      program:*) ! command -v "$name" >/dev/null || return 0 ;;
      module:*) ! pkg-config --exists "$name" 2>/dev/null || return 0 ;;
      header:* | python:*) [[ $found != *" $name "* ]] || return 0 ;;
      file:*) ! compgen -G "$name" >/dev/null || return 0 ;;
      share:*)
        for folder in "${folders[@]/%//../share}" ${VERILATOR_ROOT:+"$VERILATOR_ROOT/.."}; do
          [ ! -e "$folder/$name" ] || return 0
        done
        ;;
    esac
  done
  return 1
}

# missing_of SECTION...: the lines of packages whose probe fails.
missing_of() {
  local lines line package probe names headers=() modules=() found
  mapfile -t lines < <(packages_of "$@")
  for line in "${lines[@]}"; do
    read -r package probe _ <<<"$line"
    case $probe in
      header:*) IFS='|' read -ra names <<<"${probe#*:}" && headers+=("${names[@]}") ;;
      python:*) modules+=("${probe#*:}") ;;
    esac
  done
  found=" $(found_headers "${headers[@]}" | tr '\n' ' ')$(found_modules "${modules[@]}" | tr '\n' ' ')"
  for line in "${lines[@]}"; do
    read -r package probe _ <<<"$line"
    is_there "$probe" || echo "$line"
  done
}

# planned PACKAGE...: what apt-get says before it would install them.
planned() {
  LC_ALL=C apt-get install --assume-no --no-install-recommends "$@" 2>&1 || true
}

# lacks_all PACKAGE...: whether this release has none of them, by its package lists, where these are there.
lacks_all() {
  command -v apt-cache >/dev/null || return 1
  [ -n "$(apt-cache madison base-files 2>/dev/null)" ] && [ -z "$(apt-cache madison "$@" 2>/dev/null)" ]
}

# install PACKAGE...: by apt-get, which says first what it takes. False where there is no apt-get, or neither root nor sudo, or where the release
# has none of them.
install() {
  local as_root=() plan unknown package known=()
  command -v apt-get >/dev/null || return 1
  ! lacks_all "$@" || return 1
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || return 1
    as_root=(sudo)
  fi
  echo "$script: installs $*" >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2 || return 1
  plan=$(planned "$@")
  # One package that the release lacks would keep all others out.
  unknown=" $(sed -n "s/^E: Unable to locate package //p; s/^E: Package '\(.*\)' has no installation candidate$/\1/p" <<<"$plan" | tr '\n' ' ')"
  for package in "$@"; do
    if [[ $unknown == *" $package "* ]]; then
      echo "$script: this release has no package $package" >&2
    else
      known+=("$package")
    fi
  done
  [ ${#known[@]} -gt 0 ] || return 1
  [ ${#known[@]} -eq $# ] || plan=$(planned "${known[@]}")
  sed -n "s/^\(Need to get .*\|After this operation.*\)/$script: \1/p" <<<"$plan" >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${known[@]}" >&2
}

# need SECTION... [-- SECTION...]: what of these sections is missing is installed. Where that is impossible it is named, and the script ends
# if it cannot do without: what has no USE in scripts/packages, and is in a section before `--`.
need() {
  local sections=() required missing line package probe use lacks=no
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    [ "$1" = run ] && [ $installed = yes ] || sections+=("$1")  # its packages build
    shift
  done
  [ $# -eq 0 ] || shift
  missing=$(missing_of "${sections[@]}" "$@")
  [ -n "$missing" ] || return 0
  # shellcheck disable=SC2046  # a list of names
  if install $(awk '{ print $1 }' <<<"$missing" | LC_ALL=C sort -u); then
    hash -r
    python=$(chosen_program TSUJI_PYTHON python3)
    snakemake=$(chosen_program TSUJI_SNAKEMAKE snakemake)
    missing=$(missing_of "${sections[@]}" "$@")  # as a module of an interpreter that is not Debian's
    [ -n "$missing" ] || return 0
  fi
  required=$(packages_of "${sections[@]}" | awk 'NF == 2')
  while read -r line; do
    read -r package probe use <<<"$line"
    if [[ $'\n'$required$'\n' == *$'\n'$line$'\n'* ]]; then
      lacks=yes
      echo "$script: missing: ${probe/:/ } (Debian's package $package)" >&2
    else
      echo "$script: goes on without ${probe/:/ } (Debian's package $package)${use:+: $use}" >&2
    fi
  done <<<"$missing"
  [ $lacks = no ] || {
    echo "$script: where there is apt-get, and root or sudo, what is missing is installed" >&2
    exit 1
  }
}
