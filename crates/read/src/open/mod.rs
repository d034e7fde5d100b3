//! Opens inputs: files, pipes and standard input, compressed or not.

pub(crate) mod ahead;
mod compression;
mod error;
mod expand;
pub(crate) mod handles;
mod listing;
mod members;
mod pattern;
mod source;
mod stop;
mod stream;
mod waiting;

pub use error::OpenError;
pub use expand::expand;
pub use source::{Place, Source};
pub use stop::Stop;
pub use stream::Progress;
pub(crate) use stream::{Stream, reader, stream};
