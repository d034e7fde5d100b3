//! Writes rows as files: encoded, in parts with digests, in a folder that appears completely or not
//! at all.

pub(crate) mod batches;
pub(crate) mod columns;
pub(crate) mod debris;
pub(crate) mod digest;
pub(crate) mod directory;
pub(crate) mod encode;
pub(crate) mod folders;
pub(crate) mod gather;
pub(crate) mod hash;
pub(crate) mod locks;
pub(crate) mod names;
pub(crate) mod outcome;
pub(crate) mod part;
pub(crate) mod place;
pub(crate) mod recognise;
pub(crate) mod rows;
pub(crate) mod schema;
pub(crate) mod words;
pub(crate) mod writer;
