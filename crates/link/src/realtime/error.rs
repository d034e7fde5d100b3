//! Defines the errors of a link that runs in real time.

use std::io;
use std::path::PathBuf;

use nix::errno::Errno;

use crate::config::ConfigError;

/// Why a run did not begin, or ended early.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The settings of the link are wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A device could not be made.
    #[error("device {name} in {namespace}: {cause}")]
    Device {
        /// The name of the device.
        name: String,
        /// The file of its network namespace.
        namespace: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// A file of the truth could not be written.
    #[error("{path}: {cause}")]
    Truth {
        /// The path of the file.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// The system refused a timer or another resource.
    #[error("the system refused: {0}")]
    System(#[from] io::Error),
}

impl From<Errno> for Error {
    fn from(errno: Errno) -> Self {
        Self::System(errno.into())
    }
}
