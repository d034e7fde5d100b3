//! The check of a run's own manifest.

use std::fmt;
use std::sync::Arc;

/// Says what is wrong with the text of a manifest, before the dataset is put in its place. The
/// shape of a manifest is defined where datasets are opened, in Python. The default finds no fault.
#[derive(Clone, Default)]
pub struct Check(Option<Arc<Find>>);

type Find = dyn Fn(&str) -> Option<String> + Send + Sync;

impl Check {
    /// A check by a function, which returns the fault that it found.
    pub fn new(find: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(find)))
    }

    /// What is wrong with the text of a manifest.
    pub(crate) fn fault(&self, manifest: &str) -> Option<String> {
        self.0.as_ref().and_then(|find| find(manifest))
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Check(finds)" } else { "Check(never)" })
    }
}
