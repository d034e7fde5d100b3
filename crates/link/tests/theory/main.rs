//! The link in virtual time against what theory says about it.

mod common;
mod fairness;
mod grants;
mod link;
mod mobility;
mod queueing;
mod radio;
mod settings;
