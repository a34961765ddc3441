// Verilator's runtime with the hooks that it leaves to its users: what RTL prints, and its ends.
#include <systemc.h>  // as Verilator wants it

#include <verilated.h>

#include "common/rtl_messages.h"

#undef VL_PRINTF
#define VL_PRINTF tsuji::bench::RtlMessages::print
#define VL_USER_FINISH
#define VL_USER_STOP
#define VL_USER_FATAL
#include <verilated.cpp>

void vl_finish(const char* file, int line, const char*) {
  tsuji::bench::RtlMessages::finish(file, line);
}

void vl_stop(const char* file, int line, const char*) {
  tsuji::bench::RtlMessages::stop(file, line);
}

void vl_fatal(const char* file, int line, const char*, const char* text) {
  tsuji::bench::RtlMessages::abort(file, line, text);
}
