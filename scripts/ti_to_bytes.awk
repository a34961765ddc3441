# SPDX-License-Identifier: Apache-2.0
# One rank of an SMPI time-independent trace on standard input to the trace format of this project: sizes in bytes
# (datatype 6), consecutive compute times added up. -v measured=1: compute is a measured time, of which gaps below 1 us are
# dropped and two significant digits kept; otherwise it is what the program said, rounded to whole flops.

function refuse(what) {
  printf "record_trace: rank %s: %s: %s\n", $1, what, $0 >"/dev/stderr"
  failed = 1
  exit 1
}
function bytes(count, datatype) {
  if (datatype == "") datatype = 0
  if (!(datatype in size)) refuse("datatype " datatype " is not one of MPI's basic types")
  return count * size[datatype]
}
function quantized(flops,   scale) {
  if (!measured) return int(flops + 0.5)
  if (flops < 1000) return 0
  scale = 1
  while (flops / scale >= 100) scale *= 10
  return int(flops / scale + 0.5) * scale
}
function flush_compute(   flops) {
  flops = quantized(computed)
  if (flops > 0) printf "%s compute %.0f\n", rank, flops
  computed = 0
}
function counts(first, n, datatype,   i, line, total) {
  for (i = first; i < first + n; ++i) {
    line = line " " sprintf("%.0f", bytes($i, datatype))
    total += bytes($i, datatype)
  }
  return sprintf("%.0f", total) line
}
BEGIN {
  # SMPI's numbers of MPI's basic types.
  split("8 4 1 2 8 4 1 8 1 1 2 4 8 8", sizes, " ")
  for (i in sizes) size[i - 1] = sizes[i]
  size[17] = 1; size[18] = 2; size[19] = 4; size[20] = 8; size[21] = 1; size[22] = 2; size[23] = 4; size[24] = 8
}
{ rank = $1 }
$2 == "compute" { computed += $3; next }
{ flush_compute() }
$2 == "init" || $2 == "finalize" || $2 == "barrier" || $2 == "wait" || $2 == "waitall" { print $0; next }
$2 ~ /^i?(send|recv)$/ { printf "%s %s %s %s %.0f 6\n", $1, $2, $3, $4, bytes($5, $6); next }
$2 == "bcast" { printf "%s bcast %.0f %s 6\n", $1, bytes($3, $5), $4; next }
$2 == "reduce" { printf "%s reduce %.0f %s %s 6\n", $1, bytes($3, $6), 0, $5; next }
$2 == "allreduce" { printf "%s allreduce %.0f 0 6\n", $1, bytes($3, $5); next }
$2 == "alltoall" { printf "%s alltoall %.0f %.0f 6 6\n", $1, bytes($3, $5), bytes($4, $6); next }
$2 == "alltoallv" {
  n = (NF - 6) / 2
  printf "%s alltoallv %s %s 6 6\n", $1, counts(4, n, $(NF - 1)), counts(5 + n, n, $NF)
  next
}
{ refuse("an operation that cannot be replayed") }
END { exit failed }
