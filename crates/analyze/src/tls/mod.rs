mod by_size;
mod connection;
mod greeting;
mod handshake;
mod hello;
mod hello_bytes;
mod records;
#[cfg(test)]
mod tests;

pub(crate) use handshake::{Part, TlsHandshake};
