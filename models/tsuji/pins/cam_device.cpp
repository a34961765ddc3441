// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/cam.h"
#include "tsuji/pins/device_kinds.h"

namespace tsuji::pins {
namespace {

struct CamDeviceConfig {
  lookup::CamConfig cam;
  unsigned value_bits = 32;

  void add_keys(config::KeyTable& keys) {
    keys.add_choice("lookup.cam_kind", cam.kind,
                    {{"binary", lookup::CamKind::binary}, {"ternary", lookup::CamKind::ternary}},
                    "binary: a row matches one key; ternary: bits that are 0 in a row's mask match anything");
    keys.add("lookup.cam_entries", cam.entries, {1, 1U << 24}, "entries", "rows of the memory");
    keys.add("lookup.cam_key_bits", cam.key_bits, {1, 64}, "bits", "width of a key");
    keys.add("lookup.cam_cycles", cam.access_cycles, {1, 65535}, "cycles",
             "time from a request to its answer");
    keys.add("lookup.cam_pipelined", cam.pipelined,
             "true: an access starts in every cycle; false: when the one before has ended");
    keys.add("pins.value_bits", value_bits, {1, 32}, "bits", "width of a row's value");
  }
  void resolve() {}
  void validate() const { cam.validate(); }
};

/// CamState on rows of values.
class CamDevice final : public Device {
 public:
  explicit CamDevice(const CamDeviceConfig& config)
      : cam_(config.cam),
        not_key_(bits_above(config.cam.key_bits)),
        not_value_(bits_above(config.value_bits)),
        reset_(add_input("reset", 1)),
        valid_(add_input("request_valid", 1)),
        operation_(add_input("request_operation", 2)),
        index_(add_input("request_index", bits_of(config.cam.entries - 1))),
        key_(add_input("request_key", config.cam.key_bits)),
        mask_(add_input("request_mask", config.cam.key_bits)),
        value_(add_input("request_value", config.value_bits)),
        ready_out_(add_output("request_ready", 1)),
        valid_out_(add_output("answer_valid", 1)),
        hit_out_(add_output("answer_hit", 1)),
        index_out_(add_output("answer_index", bits_of(config.cam.entries - 1))),
        value_out_(add_output("answer_value", config.value_bits)) {
    show(lookup::CamAnswer());
  }

  void step() override {
    const std::uint64_t* const in = inputs();
    if ((in[reset_] | in[valid_]) > 1) refuse_wide();
    show(in[reset_] != 0 ? cam_.reset() : cam_.step(request(in)));
    next_cycle();
  }

 private:
  lookup::CamRequest request(const std::uint64_t* in) const {
    lookup::CamRequest asked;
    if (in[valid_] == 0) return asked;
    if (in[operation_] > 3 || (in[key_] & not_key_) != 0 || (in[mask_] & not_key_) != 0 ||
        (in[value_] & not_value_) != 0 || in[index_] >> 32 != 0)
      refuse_wide();
    asked.valid = true;
    asked.operation = static_cast<lookup::CamOperation>(in[operation_]);
    asked.index = static_cast<std::uint32_t>(in[index_]);
    asked.key = in[key_];
    asked.mask = in[mask_];
    asked.value = static_cast<std::uint32_t>(in[value_]);
    return asked;
  }
  void show(const lookup::CamAnswer& answer) {
    std::uint64_t* const out = shown();
    out[ready_out_] = answer.ready;
    out[valid_out_] = answer.valid;
    out[hit_out_] = answer.hit;
    out[index_out_] = answer.index;
    out[value_out_] = answer.value;
  }

  lookup::CamState cam_;
  const std::uint64_t not_key_, not_value_;
  const std::size_t reset_, valid_, operation_, index_, key_, mask_, value_;
  const std::size_t ready_out_, valid_out_, hit_out_, index_out_, value_out_;
};

}  // namespace

void add_cam_device(DeviceKinds& kinds) {
  kinds.push_back(device_kind<CamDeviceConfig, CamDevice>("cam"));
}

}  // namespace tsuji::pins
