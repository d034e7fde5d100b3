//! Reads handover commands with a decoder of whole messages. The first bits show what a message is,
//! but the target of a handover command may follow parts whose length only the full schema gives.
//! Therefore reconfigurations, and no other messages, are passed to such a decoder if there is one.

use std::fmt::Debug;
use std::sync::Arc;

use super::message::{Channel, Step};
use super::{lte, nr};
use crate::modem::record::RrcStep;

/// Decodes whole messages in memory. They contain identities of the subscriber, which an
/// implementation must neither write nor print.
pub trait RrcDecoder: Debug + Send + Sync {
    /// The name of the decoder in reports.
    fn name(&self) -> &'static str;

    /// What a reconfiguration orders. The message is a `DL-DCCH-Message` in unaligned PER, by TS
    /// 36.331, or for 5G by TS 38.331. `None` if it cannot be decoded.
    fn order(&self, nr: bool, message: &[u8]) -> Option<RrcOrder>;
}

/// Whether a reconfiguration is a handover command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RrcOrder {
    /// The phone stays on its cell.
    Stays,
    /// The phone moves to this cell; the EARFCN is given if it changes.
    Moves(Option<(u16, Option<u32>)>),
}

/// How the RRC messages of a log were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RrcReading {
    /// The number of messages of connected phones, read by their first bits.
    pub messages: u64,
    /// The name of the decoder of whole messages; `None` if only first bits are read.
    pub decoder: Option<&'static str>,
    /// The number of reconfigurations that the decoder decoded.
    pub decoded: u64,
    /// The number of reconfigurations that the decoder could not decode; their first bits were
    /// used.
    pub failed: u64,
}

/// Finds the step that each message represents.
#[derive(Default)]
pub(crate) struct Steps {
    decoder: Option<Arc<dyn RrcDecoder>>,
    reading: RrcReading,
}

impl Steps {
    /// Uses `decoder` for reconfigurations from now on.
    pub(crate) fn decode(&mut self, decoder: Arc<dyn RrcDecoder>) {
        self.reading.decoder = Some(decoder.name());
        self.decoder = Some(decoder);
    }

    /// The step that a message represents; `None` if it concerns no connection.
    pub(crate) fn of(&mut self, nr: bool, channel: Channel, message: &[u8]) -> Option<Step> {
        let plain = step(nr, channel, message)?;
        self.reading.messages += 1;
        let may_move = if nr {
            channel == Channel::DlDcch && nr::is_reconfiguration(message)
        } else {
            plain.step == RrcStep::Command
        };
        let Some(decoder) = self.decoder.as_ref().filter(|_| may_move) else { return Some(plain) };
        let order = decoder.order(nr, message);
        let counted =
            if order.is_some() { &mut self.reading.decoded } else { &mut self.reading.failed };
        *counted += 1;
        Some(order.map_or(plain, Step::from))
    }

    /// How messages were read so far.
    pub(crate) const fn reading(&self) -> RrcReading {
        self.reading
    }
}

impl From<RrcOrder> for Step {
    fn from(order: RrcOrder) -> Self {
        match order {
            RrcOrder::Stays => Self::without_target(RrcStep::Seen),
            RrcOrder::Moves(target) => Self { step: RrcStep::Command, target },
        }
    }
}

/// The step that the first bits of a message show; `None` if the message concerns no connection.
pub(crate) fn step(nr: bool, channel: Channel, message: &[u8]) -> Option<Step> {
    if nr { nr::step(channel, message) } else { lte::step(channel, message) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A decoder that knows one message.
    #[derive(Debug)]
    struct Knows(&'static [u8], RrcOrder);

    impl RrcDecoder for Knows {
        fn name(&self) -> &'static str {
            "test"
        }

        fn order(&self, _nr: bool, message: &[u8]) -> Option<RrcOrder> {
            (message == self.0).then_some(self.1)
        }
    }

    /// An LTE reconfiguration with `measConfig` before its `mobilityControlInfo`, and one of 5G.
    const LTE: &[u8] = &[0b0010_0010, 0b0001_1000, 0, 0];
    const NR: &[u8] = &[0b0000_0010, 0, 0];

    fn with(known: &'static [u8], order: RrcOrder) -> Steps {
        let mut steps = Steps::default();
        steps.decode(Arc::new(Knows(known, order)));
        steps
    }

    #[test]
    fn a_whole_decoder_finds_what_the_first_bits_hide() {
        let hidden = Some(Step::without_target(RrcStep::Command));
        assert_eq!(Steps::default().of(false, Channel::DlDcch, LTE), hidden);
        let target = Some((7, Some(6300)));
        let expected = Some(Step { step: RrcStep::Command, target });
        for (nr, message) in [(false, LTE), (true, NR)] {
            let mut steps = with(message, RrcOrder::Moves(target));
            assert_eq!(steps.of(nr, Channel::DlDcch, message), expected);
            let reading = RrcReading { messages: 1, decoder: Some("test"), decoded: 1, failed: 0 };
            assert_eq!(steps.reading(), reading);
        }
        let mut steps = with(NR, RrcOrder::Stays);
        let stays = Some(Step::without_target(RrcStep::Seen));
        assert_eq!(steps.of(true, Channel::DlDcch, NR), stays);
    }

    #[test]
    fn the_first_bits_of_a_damaged_message_count() {
        let mut steps = with(&[], RrcOrder::Stays);
        let hidden = Some(Step::without_target(RrcStep::Command));
        assert_eq!(steps.of(false, Channel::DlDcch, LTE), hidden);
        let reading = RrcReading { messages: 1, decoder: Some("test"), decoded: 0, failed: 1 };
        assert_eq!(steps.reading(), reading);
    }

    #[test]
    fn only_reconfigurations_that_may_move_are_handed_over() {
        let mut steps = with(&[], RrcOrder::Stays);
        let stays: &[u8] = &[0b0010_0010, 0b0001_0000, 0, 0];
        let release: &[u8] = &[0b0010_1000, 0];
        for (nr, channel, message) in [
            (false, Channel::DlDcch, stays),
            (false, Channel::DlDcch, release),
            (false, Channel::UlDcch, LTE),
            (true, Channel::DlDcch, &[0b0001_0000]),
            (true, Channel::UlDcch, NR),
        ] {
            assert!(steps.of(nr, channel, message).is_some());
        }
        assert_eq!(steps.of(true, Channel::Reconfiguration, NR), None);
        let reading = RrcReading { messages: 5, decoder: Some("test"), decoded: 0, failed: 0 };
        assert_eq!(steps.reading(), reading);
    }
}
