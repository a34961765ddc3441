// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "tsuji/core/message_class.h"
#include "tsuji/core/random.h"
#include "tsuji/traffic/emission.h"

namespace tsuji::traffic {

/// Gives the packets of a source their classes (Emission::sid), drawn by MessageClass::share, and answers
/// arriving packets of classes with an answer: a packet of the answering class goes back to their source,
/// `delay_cycles` after the cycle that follows the arrival of the last flit. Header word 0 of an answer is
/// the birth of the request that began the transaction, plus 1; 0 in other packets.
///
/// A node holds at most `queue` answers of a class, from the ejection of a request's head to the answer's
/// last flit on the link. Without room for one more it accepts no packet that asks for one
/// (closed_classes()): this is the dependency by which messages can deadlock.
///
/// The inner source is notified of the arrival of packets without answer only, so that the window of a closed
/// loop counts whole transactions.
class ClassedSource final : public EmissionSource {
 public:
  /// `classes` outlive the source.
  ClassedSource(std::unique_ptr<EmissionSource> generated, const MessageClasses& classes, std::uint64_t seed,
                NodeId node);

  bool next(Emission& emission) override;
  Cycle lookahead_cycles() const override { return generated_->lookahead_cycles(); }
  void take(Cycle now, PacketRef packet) override;
  void begins(Cycle now, const Packet& packet) override;
  unsigned closed_classes() const override;
  void departed(Cycle now, const Packet& packet) override;
  void dropped(Cycle now, const Packet& packet, const char* cause) override;
  Cycle next_event() const override;
  void advance(Cycle now) override;

 private:
  /// Answers of a class that are not born yet, in order of birth.
  struct Answers {
    std::vector<Emission> ring;
    std::size_t first = 0, count = 0;
    unsigned held = 0;  ///< answers for which there is, or must be, room
  };
  unsigned draw_class();
  void look_ahead();
  const MessageClass* answer_to(const Packet& packet) const;
  Answers* first_due();

  const std::unique_ptr<EmissionSource> generated_;
  const MessageClasses& classes_;
  CounterRandom random_;
  std::uint64_t shares_ = 0;      ///< sum of the classes' shares
  std::vector<Answers> answers_;  ///< [class]
  Emission ahead_;                ///< next packet of `generated_`
  bool has_ahead_ = false;
  Cycle now_ = 0;
};

}  // namespace tsuji::traffic
