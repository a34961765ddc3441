// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/multicast_program.h"

#include <numeric>
#include <string>
#include <vector>

namespace tsuji::host {

void MulticastProgram::play() {
  PayloadKey key;
  key.source = config_.root;
  // The root's own copy goes to another place than it comes from, so that it can be compared, too.
  const HeapBlock from(runtime_.heap, config_.bytes), to(runtime_.heap, config_.bytes),
      word(runtime_.heap, 8);
  const std::uint64_t arrived = word.address();
  std::vector<std::uint32_t> everybody(runtime_.ranks());
  std::iota(everybody.begin(), everybody.end(), 0U);
  enter("multicast: registering the group");
  const GroupHandle group = runtime_.paralib.register_group(everybody);
  runtime_.paralib.set_address_register(0, to.address());
  runtime_.cpu.store(arrived, 0);
  enter("multicast: barrier before it");
  barrier();
  if (runtime_.rank() == config_.root) {
    Payload(runtime_.cpu).write(key, from.address(), config_.bytes);
    start_ = runtime_.cpu.now();
    for (const std::uint16_t part : group.multicast) {
      runtime_.paralib.put_to_register(Target::group(part), 0, from.address(), 0, config_.bytes);
      runtime_.paralib.put_word(Target::group(part), arrived, 1);
    }
  }
  enter("multicast: arrival");
  const std::string what = "the arrival of a multicast";
  runtime_.waiter.until([&] { return runtime_.cpu.load(arrived) != 0; }, what, arrived);
  arrival_ = runtime_.cpu.now();
  Payload(runtime_.cpu).check(key, to.address(), config_.bytes);
  enter("multicast: barrier behind it");
  barrier();
  runtime_.paralib.release_group(everybody, group);
}

}  // namespace tsuji::host
