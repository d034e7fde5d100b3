//! Lists the formats of modem logs. Each format has a folder and a line in this list. Fuzzing,
//! tests with damaged logs, help texts, file name endings and the guide use the list.

use crate::modem::reader::{Form, ModemFormat};

/// All formats, those that are recognised most reliably first.
static FORMATS: &[&ModemFormat] = &[
    &super::diag::FORMAT,
    &super::emulator::FORMAT,
    &super::ns3::FORMAT,
    &super::srsran::FORMAT,
    &super::mobile_insight::FORMAT,
    &super::qcat::FORMAT,
    &super::dumpsys::FORMAT,
    &super::sniffer::falcon::FORMAT,
    &super::sniffer::owl::FORMAT,
    &super::sniffer::ngscope::FORMAT,
];

/// All formats of modem logs that are read.
pub const fn formats() -> &'static [&'static ModemFormat] {
    FORMATS
}

/// The forms of all formats that are text, or those that are not, the most reliably recognised
/// first.
pub(super) fn forms(is_text: bool) -> impl Iterator<Item = &'static Form> {
    FORMATS.iter().flat_map(|format| format.forms).filter(move |form| form.is_text == is_text)
}
