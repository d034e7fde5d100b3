//! Records the name of the build profile in the engine, for `airmile doctor`.

use std::env;
use std::path::Path;

fn main() {
    // Cargo's PROFILE knows only debug and release; OUT_DIR is target/PROFILE/build/CRATE/out.
    let out = env::var("OUT_DIR").unwrap_or_default();
    let profile = Path::new(&out).ancestors().nth(3).and_then(Path::file_name);
    let profile = profile.map_or("unknown".into(), |name| name.to_string_lossy());
    println!("cargo::rustc-env=AIRMILE_PROFILE={profile}");
    println!("cargo::rerun-if-changed=build.rs");
}
