// SPDX-License-Identifier: Apache-2.0
// Types of the handshake router.
package hs_pkg;
  // Ports in the order of their numbers.
  typedef enum logic [2:0] {HOME, NORTH, EAST, SOUTH, WEST} port_e;
  localparam int PORTS = 5;

  typedef enum logic [1:0] {MIDDLE = 2'b00, LAST = 2'b01, FIRST = 2'b10, ONLY = 2'b11} kind_e;

  typedef struct packed {
    logic [2:0] row;     // y
    logic [2:0] column;  // x
  } place_t;

  typedef struct packed {
    kind_e       kind;
    place_t      to;    // meaningful in the first flit
    logic [47:0] data;
  } flit_t;

  // A link in one direction: a flit passes in a cycle in which valid and the receiver's ready are high.
  typedef struct packed {
    logic  valid;
    flit_t flit;
  } link_t;

  function automatic logic begins(flit_t flit);
    return flit.kind inside {FIRST, ONLY};
  endfunction
  function automatic logic ends(flit_t flit);
    return flit.kind inside {LAST, ONLY};
  endfunction

  // Columns first, then rows; rows grow to the north, columns to the east.
  function automatic port_e output_for(place_t here, place_t to);
    if (to.column > here.column) return EAST;
    if (to.column < here.column) return WEST;
    if (to.row > here.row) return NORTH;
    if (to.row < here.row) return SOUTH;
    return HOME;
  endfunction
endpackage
