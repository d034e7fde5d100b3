//! Tests the link in virtual time against theory.

mod clumps;
mod common;
mod disciplines;
mod fairness;
mod grants;
mod link;
mod mobility;
mod queueing;
mod radio;
mod settings;
