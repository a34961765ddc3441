# SPDX-License-Identifier: Apache-2.0
# Compiles and links an MPI program with the recorder between it and SMPI; for record_trace. $root, $work and refuse() are its.

is_source() { case $1 in *.c|*.f|*.F|*.f90|*.F90) ;; *) return 1 ;; esac; }

# The compiler of SMPI for a source's name.
compiler_of() {
  case $1 in
    *.c) echo smpicc ;;
    *.f|*.F) echo smpiff ;;
    *) echo smpif90 ;;
  esac
}
linker_of() { case $1 in c) echo smpicc ;; *) echo smpif90 ;; esac; }

# compile_source OBJECT SOURCE [FLAG...]. The names of the calls' lines are found by -g, and where each returns to stays its caller.
compile_source() {
  local object=$1 source=$2 compile
  shift 2
  case $source in
    *.c)
      # smpicc's own compiler and flags, so that ccache, where it is installed, knows what it has compiled.
      read -ra compile <<<"$(smpicc -show -c)"
      $(command -v ccache || true) "${compile[@]}" -g -O2 -fno-optimize-sibling-calls "$@" -o "$object" "$source" ;;
    *)
      command -v gfortran >/dev/null || refuse "$source: Fortran needs gfortran (Debian: gfortran)"
      "$(compiler_of "$source")" -c -g -O2 -fno-optimize-sibling-calls -J "$(dirname "$object")" -I "$(dirname "$object")" "$@" \
        -o "$object" "$source" ;;
  esac
}

# link_program LANGUAGE PROGRAM OBJECT_OR_FLAG...: with the recorder, and a refusal for each call that it does not know.
link_program() {
  local language=$1 program=$2 folder compile wrapped refused timers objects=() word
  shift 2
  folder=$(mktemp -d)
  for word in "$@"; do case $word in *.o|*.a) objects+=("$word") ;; esac; done
  read -ra compile <<<"$(smpicc -show -c)"
  compile=($(command -v ccache || true) "${compile[@]}" -g)
  local recorder=("$folder/recorder.o")
  "${compile[@]}" -o "$folder/recorder.o" "$root/scripts/recording/recorder.c"
  if [ "$language" != c ]; then
    "${compile[@]}" -o "$folder/recorder_fortran.o" "$root/scripts/recording/recorder_fortran.c"
    recorder+=("$folder/recorder_fortran.o")
  fi
  wrapped=$(nm "${recorder[@]}" | sed -n 's/.* T __wrap_//p')
  # What the program calls of MPI and SMPI, neither wrapped nor free. Fortran's mpi_x_ costs nothing where C's MPI_X does.
  refused=$(nm -u "${objects[@]}" | awk -v wrapped="$(echo $wrapped)" '
    BEGIN { count = split(wrapped, names, " "); for (i = 1; i <= count; ++i) free[names[i]] }
    FNR == NR { if (/^[^#]/) { gsub(/\*/, ".*"); patterns = patterns "|" $0; lower = lower "|" tolower($0) "_" } next }
    $NF ~ /^(P?MPIX?_|p?mpi_|smpi_|SMPI_|sg_|simgrid_)/ && !($NF in free) && $NF !~ "^(" substr(patterns, 2) ")$" &&
      $NF !~ "^(mpi_(bottom|in_place|status_ignore|statuses_ignore)_" lower ")$" { print $NF }
  ' "$root/scripts/recording/free_calls.txt" - | sort -u)
  timers=$(nm "${objects[@]}" | sed -En 's/.* T (timer_(clear|start|stop)_?)$/\1/p')
  {
    echo "_Noreturn void tsuji_refuse_call(const char* call, void* from);"
    echo "void tsuji_timer(const char* call, int number, const char* does, void* from);"
    for word in $timers; do
      local argument="int number" number=number does=end
      case $word in *_) argument="const int* number" number="*number" ;; esac
      case $word in timer_clear*) does=clear ;; timer_start*) does=begin ;; esac
      echo "void __real_$word($argument);"
      echo "void __wrap_$word($argument) {"
      echo "  tsuji_timer(\"$word\", $number, \"$does\", __builtin_return_address(0)); __real_$word(number);"
      echo "}"
    done
    for word in $refused; do echo "void __wrap_$word(void) { tsuji_refuse_call(\"$word\", __builtin_return_address(0)); }"; done
  } >"$folder/refused.c"
  "${compile[@]}" -o "$folder/refused.o" "$folder/refused.c"
  "$(linker_of "$language")" -o "$program" "$@" "${recorder[@]}" "$folder/refused.o" \
    $(printf -- '-Wl,--wrap=%s ' $wrapped $refused $timers) -lm -ldl
  local status=$?
  rm -rf "$folder"
  return $status
}

# compiler_for_make LANGUAGE [ARGUMENT...]: SMPI's compiler; where it links, with the recorder.
compiler_for_make() {
  local language=$1 output=a.out arguments=() word links=1 compiler folder object number=0 words=() status
  compiler=$(linker_of "$language")
  shift
  for word in "$@"; do
    case $word in -c|-E|-S|-M|-MM|--version|-v|-show) links=0 ;; esac
    ! is_source "$word" || compiler=$(compiler_of "$word")
  done
  [ $links -eq 1 ] || exec "$compiler" -g -fno-optimize-sibling-calls "$@"
  folder=$(mktemp -d)
  while [ $# -gt 0 ]; do
    case $1 in
      -o) output=$2; shift ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
  # Sources on the line of the link are compiled first.
  for word in "${arguments[@]}"; do
    if is_source "$word"; then
      object=$folder/$((number++)).o
      local flags=()
      for flag in "${arguments[@]}"; do case $flag in -[IDfO]*) flags+=("$flag") ;; esac; done
      compile_source "$object" "$word" "${flags[@]}" || { rm -rf "$folder"; return 1; }
      words+=("$object")
    else
      words+=("$word")
    fi
  done
  link_program "$language" "$output" "${words[@]}"
  status=$?
  rm -rf "$folder"
  return $status
}
