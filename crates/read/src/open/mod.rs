//! Opens inputs: files, pipes and standard input, compressed or not.

pub(crate) mod ahead;
mod compression;
mod error;
mod members;
mod source;
mod stop;
mod stream;
mod waiting;

pub use error::OpenError;
pub use source::{Place, Source, expand};
pub use stop::Stop;
pub use stream::Progress;
pub(crate) use stream::{Stream, reader, stream};
