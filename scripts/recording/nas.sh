# SPDX-License-Identifier: Apache-2.0
# Builds the NAS parallel benchmarks from a user's copy and records them; for record_trace --nas. $root, $ranks, $from and refuse() are its.

# The timer of a benchmark's timed section; none for dt, which has none.
nas_timer() { case $1 in is) echo 0 ;; dt) ;; *) echo 1 ;; esac; }

# The graphs of dt, whose class sets its ranks.
nas_dt_ranks() {
  case $1.$2 in
    BH.S) echo 5 ;; BH.W) echo 11 ;; BH.A) echo 21 ;; BH.B) echo 43 ;; BH.C) echo 85 ;;
    SH.S) echo 12 ;; SH.W) echo 32 ;; SH.A) echo 80 ;; SH.B) echo 192 ;; SH.C) echo 448 ;;
    *) return 1 ;;
  esac
}

# record_nas FOLDER CLASS OUT NAME...: OUT/NAME.CLASS.RANKS.ti.zst of each. FOLDER is NPB's MPI version, with a Makefile and config/.
record_nas() {
  local folder=$1 class=$2 out=$3 name programs compiler="$root/scripts/record_trace --compiler" graph count
  shift 3
  programs=$(mktemp -d)
  # shellcheck disable=SC2064  # the folder of now: refuse() leaves by exit, where the variable may be gone
  trap "rm -rf '$programs'" EXIT
  for name in "$@"; do
    # Its makefiles write beside the sources: a copy stays as it was.
    cp -r "$folder" "$programs/$name"
    mkdir -p "$programs/$name/bin"
    [ -f "$programs/$name/config/make.def" ] || cp "$programs/$name/config/make.def.template" "$programs/$name/config/make.def"
    # NPB up to 3.3 fixes the ranks when it is built. Constants and arguments are those of older Fortran.
    make -C "$programs/$name" "$name" CLASS="$class" NPROCS="$ranks" MPIF77="$compiler fortran" MPIFC="$compiler fortran" \
      FLINK="$compiler fortran" FFLAGS="-O2 -fallow-invalid-boz -fallow-argument-mismatch" FMPI_LIB= FMPI_INC= CMPI_LIB= CMPI_INC= \
      MPICC="$compiler c" CLINK="$compiler c" >"$programs/$name.log" 2>&1 ||
      { tail -20 "$programs/$name.log" >&2; refuse "$name of $folder is not built; its last lines are above"; }
    set -- "$programs/$name/bin/$name.$class."*
    if [ "$name" = dt ]; then
      for graph in BH SH; do
        count=$(nas_dt_ranks $graph "$class") || refuse "dt has no class $class"
        record_one "dt$graph.$class.$count" "$count" "$1" $graph
      done
    else
      record_one "$name.$class.$ranks" "$ranks" "$1"
    fi
    rm -rf "${programs:?}/$name"
  done
}

# record_one TRACE RANKS PROGRAM [ARGUMENT...]
record_one() {
  local trace=$1 count=$2 timer
  shift 2
  timer=$(nas_timer "$name")
  "$root/scripts/record_trace" -n "$count" -o "$out/$trace.ti.zst" --measure ${timer:+--timer $timer} "$@" >"$programs/run.log" 2>&1 ||
    { tail -20 "$programs/run.log" >&2; refuse "$trace is not recorded"; }
  ! grep -qi 'unsuccessful' "$programs/run.log" || refuse "$trace: the benchmark's own verification fails"
  tail -1 "$programs/run.log"
}
