//! Units of the measurements of 0xB193 and 0xB179.

/// Sixteenths of a dB above -180 dBm.
pub(crate) fn rsrp_dbm(raw: impl Into<f64>) -> f64 {
    raw.into() / 16.0 - 180.0
}

/// Sixteenths of a dB above -30 dB.
pub(crate) fn rsrq_db(raw: impl Into<f64>) -> f64 {
    raw.into() / 16.0 - 30.0
}

/// Sixteenths of a dB above -110 dBm.
pub(crate) fn rssi_dbm(raw: impl Into<f64>) -> f64 {
    raw.into() / 16.0 - 110.0
}

/// A value, unless it is what stands for nothing: antennas that did not measure say 0, the lowest
/// value that there is.
pub(crate) fn measured(value: f64, nothing: f64) -> Option<f64> {
    (value > nothing).then_some(value)
}

/// Tenths of a dB above -20 dB.
pub(crate) fn snr_db(raw: impl Into<f64>) -> f64 {
    raw.into() / 10.0 - 20.0
}
