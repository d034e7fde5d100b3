//! Plays a download that always fills the queue of the downlink, in virtual time: how long it takes,
//! and what the phone meets meanwhile.

use airmile_types::{Direction, Duration, Instant};

use crate::config::{ConfigError, LinkConfig};
use crate::packet::{Packet, TcpFields};
use crate::ran::Ran;
use crate::truth::{Event, Measured, Moved, Row, Truth};

/// The size of each packet in bytes.
const PACKET_BYTES: u32 = 1500;
/// The queue is kept above this number of bytes, as long as it has room: more than a TTI can carry.
const ENOUGH_BYTES: u64 = 100_000;

/// A download.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Download {
    /// The time from the first TTI to the one that serves the last byte, in seconds; `None` if the
    /// download did not end within the longest time.
    pub seconds: Option<f64>,
    /// The number of handovers that ended meanwhile.
    pub handovers: u32,
    /// The mean SINR of the serving cell in dB, which the phone measures each second; `None` for a
    /// link without a channel.
    pub sinr_db: Option<f64>,
}

/// Plays a download of `bytes` that takes at most `longest`.
///
/// # Errors
/// Fails with the name of the setting that makes no link.
pub fn download(
    config: &LinkConfig,
    bytes: u64,
    longest: Duration,
) -> Result<Download, ConfigError> {
    let mut ran = Ran::new(config)?;
    let (mut heard, end) = (Heard::default(), Instant::from_nanos(0) + longest);
    while heard.served_bytes < bytes && ran.next_tick() < end {
        let now = ran.next_tick();
        while heard.queued_bytes < ENOUGH_BYTES.min(config.downlink.queue.bytes / 2) {
            ran.arrive(Direction::Downlink, now, Full, &mut heard);
            heard.queued_bytes += u64::from(PACKET_BYTES);
        }
        ran.tick(&mut heard);
        while ran.pop(Direction::Downlink, now).is_some() {}
    }
    let whole = heard.served_bytes >= bytes;
    Ok(Download {
        seconds: whole.then(|| (ran.next_tick() - Instant::from_nanos(0)).as_secs_f64()),
        handovers: heard.handovers,
        sinr_db: (heard.levels > 0.0).then(|| heard.sum_db / heard.levels),
    })
}

/// A packet of a full queue.
struct Full;

impl Packet for Full {
    fn bytes(&self) -> u32 {
        PACKET_BYTES
    }

    fn tcp(&self) -> Option<TcpFields> {
        None
    }
}

/// What the phone meets during the download.
#[derive(Default)]
struct Heard {
    served_bytes: u64,
    queued_bytes: u64,
    handovers: u32,
    sum_db: f64,
    levels: f64,
}

impl Truth for Heard {
    fn row(&mut self, direction: Direction, row: &Row) {
        if direction == Direction::Downlink {
            let served = u64::from(row.served_bytes);
            self.served_bytes += served;
            self.queued_bytes = row.queue_bytes.saturating_sub(served);
        }
    }

    fn event(&mut self, _event: &Event) {}

    fn measured(&mut self, measured: &Measured) {
        if let Some(db) = measured.sinr_db {
            (self.sum_db, self.levels) = (self.sum_db + db, self.levels + 1.0);
        }
    }

    fn handover(&mut self, moved: &Moved) {
        self.handovers += u32::from(moved.end.is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{DriveConfig, HarqConfig, RateConfig, SinrConfig};

    fn at(rate: RateConfig) -> LinkConfig {
        let mut config = LinkConfig { rrc: None, ..LinkConfig::default() };
        config.downlink.rate = rate;
        config.downlink.harq = HarqConfig { failure: 0.0, ..config.downlink.harq };
        config
    }

    #[test]
    fn a_download_takes_its_bytes_over_the_rate() {
        let config = at(RateConfig::Constant { mbps: 12.0 });
        let found = download(&config, 1_500_000, Duration::from_secs(10)).unwrap();
        assert!((found.seconds.unwrap() - 1.0).abs() < 0.005, "{found:?}");
        assert_eq!((found.handovers, found.sinr_db), (0, None));
        let found = download(&config, 1_500_000, Duration::from_millis(900)).unwrap();
        assert_eq!(found.seconds, None);
    }

    #[test]
    fn a_drive_past_borders_is_handed_over_at_each() {
        // At 60 m/s past cells 1000 m apart, a border comes each 16.7 s, the first after 8.3 s.
        let drive = DriveConfig { speed_mps: 60.0, shadow_db: 0.0, ..DriveConfig::default() };
        let sinr = SinrConfig::Drive(drive);
        let config = at(RateConfig::Sinr { sinr, layers: 1, qam256: false });
        let found = download(&config, u64::MAX, Duration::from_secs(50)).unwrap();
        assert_eq!(found.handovers, 3);
        let sinr_db = found.sinr_db.unwrap();
        assert!((-3.0..5.0).contains(&sinr_db), "{sinr_db}");
    }
}
