//! Defines the value of a parameter: a number or a set of ports.

use std::fmt::{Display, Formatter, Result};

use super::ports::Ports;

/// The value that a parameter has in a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// A number, as most parameters are.
    Number(f64),
    /// A set of ports.
    Ports(Ports),
}

/// The default value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Preset {
    /// A number.
    Number(f64),
    /// A set of ports.
    Ports(&'static [u16]),
}

impl Setting {
    /// The numbers that must lie within the parameter's range: the number, or each port.
    pub fn members(&self) -> impl Iterator<Item = f64> {
        let (number, ports) = match self {
            Self::Number(number) => (Some(*number), [].as_slice()),
            Self::Ports(ports) => (None, ports.as_slice()),
        };
        number.into_iter().chain(ports.iter().map(|port| f64::from(*port)))
    }
}

impl From<f64> for Setting {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<Ports> for Setting {
    fn from(ports: Ports) -> Self {
        Self::Ports(ports)
    }
}

impl From<Preset> for Setting {
    fn from(preset: Preset) -> Self {
        match preset {
            Preset::Number(number) => Self::Number(number),
            Preset::Ports(ports) => Self::Ports(Ports::new(ports)),
        }
    }
}

/// Writes the value as it is written after `=` on the command line.
impl Display for Setting {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Ports(ports) => ports.fmt(f),
        }
    }
}
