//! Tests the link in virtual time against theory.

mod common;
mod fairness;
mod grants;
mod link;
mod mobility;
mod queueing;
mod radio;
mod settings;
