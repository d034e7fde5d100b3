//! The list of the formats of modem logs. A format is a folder and a line of this list: fuzzing,
//! tests with damaged logs, help texts, endings of file names and the guide take it from here.

use crate::modem::reader::{Form, ModemFormat};

/// Every format, the surest sign first.
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

/// Every format of modem logs that is read.
pub const fn formats() -> &'static [&'static ModemFormat] {
    FORMATS
}

/// The forms that are text, or those that are not, the surest sign first.
pub(super) fn forms(is_text: bool) -> impl Iterator<Item = &'static Form> {
    FORMATS.iter().flat_map(|format| format.forms).filter(move |form| form.is_text == is_text)
}
