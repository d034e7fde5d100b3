//! Reads `mPhysicalChannelConfigs=[{...}, {...}]`: the carriers in use and their bandwidths.

use super::value::value;
use crate::modem::report::Notes;
use crate::modem::text::lte_prbs;

/// The greatest number of carriers that LTE aggregates (TS 36.331, `maxServCell-r13`).
const MOST_CHANNELS: usize = 32;

/// An LTE carrier in use.
#[derive(Debug, PartialEq)]
pub(super) struct Channel {
    /// The number of the carrier: 0 for the primary one, then the secondary ones.
    pub(super) carrier: u8,
    pub(super) cell: Option<u16>,
    pub(super) earfcn: Option<u32>,
    pub(super) downlink_prbs: u16,
    pub(super) uplink_prbs: Option<u16>,
}

/// The LTE carriers of a line. Carriers of 5G are left out, because their number of PRBs depends
/// also on the subcarrier spacing, which is not written.
pub(super) fn all(line: &str, notes: &mut Notes) -> Vec<Channel> {
    let mut secondary = 0;
    let mut all = Vec::new();
    for text in line.split('{').skip(1).take(MOST_CHANNELS) {
        let text = text.split('}').next().unwrap_or_default();
        let primary = text.contains("PrimaryServing");
        secondary += u8::from(!primary);
        if text.contains("mNetworkType=NR") {
            notes.skip("nr_channel");
            continue;
        }
        let Some(downlink_prbs) = prbs(text, "mCellBandwidthDownlinkKhz") else {
            notes.skip("channel_without_bandwidth");
            continue;
        };
        let cell = value(text, "mPhysicalCellId").and_then(|cell| u16::try_from(cell).ok());
        let earfcn =
            value(text, "mDownlinkChannelNumber").or_else(|| value(text, "mChannelNumber"));
        let earfcn = earfcn.and_then(|earfcn| u32::try_from(earfcn).ok());
        all.push(Channel {
            carrier: if primary { 0 } else { secondary },
            cell: cell.filter(|cell| *cell <= 503),
            // Android writes 0 for a channel that it does not know.
            earfcn: earfcn.filter(|earfcn| (1..=262_143).contains(earfcn)),
            downlink_prbs,
            uplink_prbs: prbs(text, "mCellBandwidthUplinkKhz"),
        });
    }
    all
}

fn prbs(text: &str, name: &str) -> Option<u16> {
    let khz = value(text, name)?;
    let mhz = if khz == 1400 { "1.4".to_owned() } else { (khz / 1000).to_string() };
    lte_prbs(&mhz).filter(|_| khz == 1400 || (khz % 1000 == 0 && khz >= 3000))
}
