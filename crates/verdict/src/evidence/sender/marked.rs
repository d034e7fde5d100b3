//! Notes the marks of congested queues that a sender's data met (RFC 3168).

use airmile_read::TcpFlags;
use airmile_track::Segment;
use airmile_types::Instant;

use super::marks::Marks;
use super::state::Sender;
use crate::evidence::bits::Mask;
use crate::evidence::sender_loop::loop_of;

impl Sender {
    /// Notes that data came marked: a queue before the capture point stood when it passed.
    #[cold]
    pub(super) fn note_marked(&mut self, now: Instant) {
        let round_trip = self.round_trip();
        self.marks_mut().note_marked(now, round_trip);
    }

    /// Notes that the sender has reduced its window after a mark.
    pub(super) fn note_reduced(&mut self, segment: &Segment<'_>) {
        self.marks_mut().note_reduced(segment);
    }

    /// Whether data says that its sender has reduced its window after a mark (RFC 3168 section 6.1.2).
    /// The flag AE beside CWR is part of a count of marks (RFC 9768 section 3.2.2).
    pub(super) fn has_reduced(&self, segment: &Segment<'_>) -> bool {
        let counts = || self.marks().is_some_and(|marks| marks.accurate);
        let says = segment.flags.has(TcpFlags::CWR) && !segment.flags.has(TcpFlags::AE);
        says && !segment.flow.counts_marks() && !counts()
    }

    /// Notes that the receiver echoes a mark.
    #[cold]
    pub(super) fn note_echo(&mut self, segment: &Segment<'_>) {
        if !segment.flags.has(TcpFlags::SYN) {
            let heard = segment.time + loop_of(segment.peer);
            self.marks_mut().note_echo(segment, heard);
        }
    }

    /// The round trips with marks in a bin, one millisecond each: of a queue before the capture point,
    /// and of one behind it.
    pub(crate) fn marks_at(&self, bin: i64) -> (Mask, Mask) {
        self.marks().map_or((0, 0), |marks| marks.at(bin))
    }

    /// Whether any of the sender's data was marked.
    pub(crate) fn has_marks(&self) -> bool {
        self.marks().is_some()
    }

    fn marks(&self) -> Option<&Marks> {
        self.repairs.as_ref()?.marks.as_deref()
    }

    fn marks_mut(&mut self) -> &mut Marks {
        self.repairs.get_or_insert_default().marks.get_or_insert_default()
    }
}
