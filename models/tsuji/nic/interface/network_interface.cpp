// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/interface/network_interface.h"

#include <cstring>

#include "tsuji/core/error.h"
#include "tsuji/nic/registers.h"

namespace tsuji::nic {
namespace {

constexpr std::uint64_t page(std::uint64_t offset) {
  return offset & ~(sender_set_stride - 1);
}
constexpr std::uint64_t sets_bytes = sender_sets * sender_set_stride;

const NicConfig& checked(const NicConfig& config) {
  config.validate();
  return config;
}

}  // namespace

NetworkInterface::NetworkInterface(sc_core::sc_module_name name, const NicConfig& config, ClockDomain& domain,
                                   PacketPool& pool, NodeId node, const FirstHop& first_hop)
    : sc_module(name),
      network_out("network_out"),
      network_in("network_in"),
      sender_memory("sender_memory"),
      receiver_memory("receiver_memory"),
      registers("registers"),
      domain_(domain),
      node_(node),
      sender_("sender", checked(config), domain, pool, node, first_hop, events_),
      receiver_("receiver", config, domain, node, events_) {
  sender_.network(network_out);
  receiver_.network(network_in);
  sender_.memory.bind(sender_memory);
  receiver_.memory.bind(receiver_memory);
  receiver_.set_reply_port(sender_);
  join(registers, "registers_responses");
}

NetworkInterface::RegisterSocket& NetworkInterface::add_registers(const char* name) {
  further_.push_back(std::make_unique<Further>(name));
  join(further_.back()->socket, (std::string(name) + "_responses").c_str());
  return further_.back()->socket;
}

void NetworkInterface::join(RegisterSocket& socket, const char* queue) {
  const int id = static_cast<int>(responses_.size());
  socket.register_b_transport(this, &NetworkInterface::b_transport, id);
  socket.register_nb_transport_fw(this, &NetworkInterface::nb_transport_fw, id);
  socket.register_transport_dbg(this, &NetworkInterface::transport_dbg, id);
  responses_.push_back(std::make_unique<ResponseQueue>(
      queue,
      [this](tlm::tlm_generic_payload& payload) {
        if (at_an_edge()) return sc_core::sc_get_time_resolution();
        serve(payload);
        return sc_core::SC_ZERO_TIME;
      },
      [&socket](tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& time) {
        return socket->nb_transport_bw(payload, phase, time);
      }));
}

void NetworkInterface::add_wave(observe::Wave& wave) {
  const std::string scope = "node" + std::to_string(node_) + ".nic.";
  sender_.add_wave(wave, scope + "sender");
  receiver_.add_wave(wave, scope + "receiver");
}

tlm::tlm_response_status NetworkInterface::write(std::uint64_t offset, std::uint64_t value) {
  const std::uint64_t in_page = offset - page(offset);
  if (offset < sender_set_base + sets_bytes) {
    const auto set = static_cast<unsigned>((offset - sender_set_base) / sender_set_stride);
    if (in_page == queue_read_pointer) return tlm::TLM_COMMAND_ERROR_RESPONSE;
    if (in_page > queue_status) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    if (in_page == queue_status)
      sender_.clear_queue_status(set);
    else
      sender_.write_queue_pointer(set, value);
    return tlm::TLM_OK_RESPONSE;
  }
  if (offset >= sender_os_base && offset < sender_os_base + sets_bytes) {
    if (in_page > queue_state) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    sender_.write_os(static_cast<unsigned>((offset - sender_os_base) / sender_set_stride), in_page, value);
    return tlm::TLM_OK_RESPONSE;
  }
  if (page(offset) == common_os_base) return write_common(in_page, value);
  if (page(offset) == receiver_task_base) return write_task(in_page, value);
  if (page(offset) == event_os_base) return write_event(in_page, value);
  return tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

tlm::tlm_response_status NetworkInterface::write_common(std::uint64_t offset, std::uint64_t value) {
  switch (offset) {
    case segment_table_base:
      if (value % 8 != 0) {
        throw ModelError(name(), domain_.cycle_at_kernel_time(), "",
                         "segment table base is not a multiple of 8");
      }
      sender_.set_segment_table(value);
      receiver_.set_segment_table(value);
      return tlm::TLM_OK_RESPONSE;
    case buffer_table_base:
      receiver_.set_buffer_table(value);
      return tlm::TLM_OK_RESPONSE;
    case buffer_limit_table_base:
      receiver_.set_limit_table(value);
      return tlm::TLM_OK_RESPONSE;
    case flush_tlbs:
      sender_.flush_translations();
      receiver_.flush();
      return tlm::TLM_OK_RESPONSE;
    case receiver_cid:
      receiver_.set_cid(value);
      return tlm::TLM_OK_RESPONSE;
    default:
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
}

tlm::tlm_response_status NetworkInterface::write_task(std::uint64_t offset, std::uint64_t value) {
  if (offset < address_register0) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (offset < message_read_pointer0) {
    receiver_.set_address_register(static_cast<unsigned>((offset - address_register0) / 8), value);
  } else if (offset <= log_read_pointer) {
    receiver_.set_read_pointer(static_cast<unsigned>((offset - message_read_pointer0) / 8), value);
  } else {
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status NetworkInterface::read_task(std::uint64_t offset, std::uint64_t& value) const {
  if (offset < address_register0) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (offset < message_read_pointer0) {
    value = receiver_.address_register(static_cast<unsigned>((offset - address_register0) / 8));
  } else if (offset <= log_read_pointer) {
    value = receiver_.read_pointer(static_cast<unsigned>((offset - message_read_pointer0) / 8));
  } else {
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

namespace {

/// Which word of which list of cids lies at this offset of the events' page.
bool is_cid_list(std::uint64_t offset) {
  return offset >= cid_list0 && offset < cid_list0 + std::uint64_t{8} * cid_lists * cid_list_words;
}
CidList list_at(std::uint64_t offset) {
  return static_cast<CidList>((offset - cid_list0) / 8 / cid_list_words);
}
unsigned word_at(std::uint64_t offset) {
  return static_cast<unsigned>((offset - cid_list0) / 8 % cid_list_words);
}

}  // namespace

tlm::tlm_response_status NetworkInterface::write_event(std::uint64_t offset, std::uint64_t value) {
  if (is_cid_list(offset)) {
    events_.clear_cid_bits(list_at(offset), word_at(offset), value);
    return tlm::TLM_OK_RESPONSE;
  }
  switch (offset) {
    case event_pending:
      events_.clear(value, domain_.next_cycle());
      return tlm::TLM_OK_RESPONSE;
    case event_enable:
      events_.enable(value, domain_.next_cycle());
      return tlm::TLM_OK_RESPONSE;
    case sender_refusal:
      events_.clear_sender_refusal(value);
      return tlm::TLM_OK_RESPONSE;
    case receiver_refusal:
      events_.clear_receiver_refusal(value);
      return tlm::TLM_OK_RESPONSE;
    case sender_fault_state:
      if (value != fault_retry && value != fault_refuse) return tlm::TLM_GENERIC_ERROR_RESPONSE;
      sender_.answer_fault(value == fault_retry);
      return tlm::TLM_OK_RESPONSE;
    case receiver_fault_state:
      if (value != fault_retry && value != fault_refuse) return tlm::TLM_GENERIC_ERROR_RESPONSE;
      receiver_.answer_fault(value == fault_retry);
      return tlm::TLM_OK_RESPONSE;
    case sender_fault_address:
    case receiver_fault_address:
      return tlm::TLM_COMMAND_ERROR_RESPONSE;
    case empty_sets:
      events_.clear_empty_sets(value);
      return tlm::TLM_OK_RESPONSE;
    case sender_memory_error:
      events_.clear_memory_error(NicHalf::sender);
      return tlm::TLM_OK_RESPONSE;
    case receiver_memory_error:
      events_.clear_memory_error(NicHalf::receiver);
      return tlm::TLM_OK_RESPONSE;
    default:
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
}

tlm::tlm_response_status NetworkInterface::read_event(std::uint64_t offset, std::uint64_t& value) const {
  if (is_cid_list(offset)) {
    value = events_.cid_bits(list_at(offset), word_at(offset));
    return tlm::TLM_OK_RESPONSE;
  }
  switch (offset) {
    case event_pending:
      value = events_.pending();
      return tlm::TLM_OK_RESPONSE;
    case event_enable:
      value = events_.enabled();
      return tlm::TLM_OK_RESPONSE;
    case sender_refusal:
      value = events_.sender_refusal().encode();
      return tlm::TLM_OK_RESPONSE;
    case receiver_refusal:
      value = events_.receiver_refusal().encode();
      return tlm::TLM_OK_RESPONSE;
    case sender_fault_state:
      value = events_.sender_fault().encode();
      return tlm::TLM_OK_RESPONSE;
    case sender_fault_address:
      value = events_.sender_fault().address;
      return tlm::TLM_OK_RESPONSE;
    case receiver_fault_state:
      value = events_.receiver_fault().encode();
      return tlm::TLM_OK_RESPONSE;
    case receiver_fault_address:
      value = events_.receiver_fault().address;
      return tlm::TLM_OK_RESPONSE;
    case empty_sets:
      value = events_.empty_sets();
      return tlm::TLM_OK_RESPONSE;
    case sender_memory_error:
      value = events_.memory_error(NicHalf::sender);
      return tlm::TLM_OK_RESPONSE;
    case receiver_memory_error:
      value = events_.memory_error(NicHalf::receiver);
      return tlm::TLM_OK_RESPONSE;
    default:
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
}

tlm::tlm_response_status NetworkInterface::read(std::uint64_t offset, std::uint64_t& value) const {
  const std::uint64_t in_page = offset - page(offset);
  if (offset < sender_set_base + sets_bytes) {
    const auto set = static_cast<unsigned>((offset - sender_set_base) / sender_set_stride);
    if (in_page > queue_status) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    value = in_page == queue_write_pointer  ? sender_.write_pointer(set)
            : in_page == queue_read_pointer ? sender_.read_pointer(set)
                                            : sender_.queue_status(set);
    return tlm::TLM_OK_RESPONSE;
  }
  if (offset >= sender_os_base && offset < sender_os_base + sets_bytes) {
    if (in_page > queue_state) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    value = sender_.read_os(static_cast<unsigned>((offset - sender_os_base) / sender_set_stride), in_page);
    return tlm::TLM_OK_RESPONSE;
  }
  if (page(offset) == receiver_task_base) return read_task(in_page, value);
  if (page(offset) == event_os_base) return read_event(in_page, value);
  if (page(offset) != common_os_base) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  switch (in_page) {
    case segment_table_base:
      value = sender_.segment_table();
      return tlm::TLM_OK_RESPONSE;
    case buffer_table_base:
      value = receiver_.buffer_table();
      return tlm::TLM_OK_RESPONSE;
    case buffer_limit_table_base:
      value = receiver_.limit_table();
      return tlm::TLM_OK_RESPONSE;
    case flush_tlbs:
      value = 0;
      return tlm::TLM_OK_RESPONSE;
    case receiver_cid:
      value = receiver_.cid();
      return tlm::TLM_OK_RESPONSE;
    default:
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
}

}  // namespace tsuji::nic
