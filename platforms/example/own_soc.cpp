// SPDX-License-Identifier: Apache-2.0
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstring>
#include <iostream>

#include "tsuji/core/error.h"
#include "tsuji/interconnect/tlm_network.h"

/// A processor that knows TLM-2.0 only: it writes a word and reads it back.
struct OwnCpu : sc_core::sc_module {
  SC_HAS_PROCESS(OwnCpu);
  explicit OwnCpu(sc_core::sc_module_name name) : sc_module(name), socket("socket") { SC_THREAD(run); }
  tlm_utils::simple_initiator_socket<OwnCpu> socket;

  void run() {
    unsigned word = 42;
    access(tlm::TLM_WRITE_COMMAND, word);
    word = 0;
    access(tlm::TLM_READ_COMMAND, word);
    std::cout << name() << ": " << word << " at " << sc_core::sc_time_stamp() << "\n";
  }
  void access(tlm::tlm_command command, unsigned& word) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(0x80000010);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(sizeof word);
    payload.set_streaming_width(sizeof word);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    wait(delay);
    if (payload.is_response_error()) SC_REPORT_ERROR(name(), payload.get_response_string().c_str());
  }
};

/// A memory that answers after 10 ns.
struct OwnMemory : sc_core::sc_module {
  explicit OwnMemory(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &OwnMemory::b_transport);
  }
  tlm_utils::simple_target_socket<OwnMemory> socket;

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    unsigned char* const own = bytes.data() + payload.get_address();
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), own, payload.get_data_length());
    if (payload.is_write()) std::memcpy(own, payload.get_data_ptr(), payload.get_data_length());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay += sc_core::sc_time(10, sc_core::SC_NS);
  }
  std::array<unsigned char, 0x1000> bytes{};
};

int sc_main(int, char**) try {
  tsuji::TlmNetworkConfig config;
  config.tlm.initiators = "cpu node 0";
  config.tlm.targets = "ram node 63 base 0x80000000 bytes 0x1000";
  config.resolve();
  tsuji::TlmNetwork network("network", config);
  OwnCpu cpu("cpu");
  OwnMemory ram("ram");
  cpu.socket.bind(network.for_initiator("cpu"));
  network.for_target("ram").bind(ram.socket);
  network.run_for(sc_core::sc_time(1, sc_core::SC_US));
  network.check_end();
  return 0;
} catch (const tsuji::ConfigError& error) {
  std::cerr << error.what() << "\n";
  return 2;
}
