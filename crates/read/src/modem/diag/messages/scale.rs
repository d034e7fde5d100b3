//! Converts the units of the measurements in 0xB193 and 0xB179.

/// RSRP in dBm; the modem counts sixteenths of a dB above -180 dBm.
pub(crate) fn rsrp_dbm(raw: impl Into<f64>) -> f64 {
    raw.into() / 16.0 - 180.0
}

/// RSRQ in dB; the modem counts sixteenths of a dB above -30 dB.
pub(crate) fn rsrq_db(raw: impl Into<f64>) -> f64 {
    raw.into() / 16.0 - 30.0
}

/// RSSI in dBm; the modem counts sixteenths of a dB above -110 dBm.
pub(crate) fn rssi_dbm(raw: impl Into<f64>) -> f64 {
    raw.into() / 16.0 - 110.0
}

/// The value; `None` if it equals `nothing`, the lowest value, which antennas that did not measure
/// have.
pub(crate) fn measured(value: f64, nothing: f64) -> Option<f64> {
    (value > nothing).then_some(value)
}

/// Signal to noise ratio in dB; the modem counts tenths of a dB above -20 dB.
pub(crate) fn snr_db(raw: impl Into<f64>) -> f64 {
    raw.into() / 10.0 - 20.0
}
