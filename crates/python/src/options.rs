//! Reads the options that Python passes as a dictionary.

use airmile_dataset::{Error, Options};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::errors::exception;

/// Reads every option of a run; an unknown key is a usage error.
pub(crate) fn read(dict: &Bound<'_, PyDict>, overwrite: bool) -> PyResult<Options> {
    let mut options = Options { overwrite, ..Options::default() };
    // The profile comes first, whatever the order, because single settings override it.
    if let Some(profile) = dict.get_item("profile")?.filter(|value| !value.is_none()) {
        let profile: String = profile.extract()?;
        options.set_profile(&profile).map_err(|error| exception(dict.py(), &error))?;
    }
    for (key, value) in dict.iter().filter(|(_, value)| !value.is_none()) {
        let key: String = key.cast::<PyString>()?.extract()?;
        set(&mut options, &key, &value)?;
    }
    Ok(options)
}

fn set(options: &mut Options, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let usage = |error: Error| exception(value.py(), &error);
    match key {
        "profile" => {}
        "threads" => options.threads = value.extract()?,
        "samples" => options.parameters.samples = value.extract()?,
        "hash" => options.hash = value.extract()?,
        "vantage" => options.set_vantage(&value.extract::<String>()?).map_err(usage)?,
        "memory" => options.set_memory(&value.extract::<String>()?).map_err(usage)?,
        "default_memory" => options.default_memory_bytes = value.extract()?,
        "ue_net" => options.ue_nets = value.extract()?,
        "modem" => options.modem = value.extract()?,
        "compat_online" => options.compat_online = value.extract()?,
        "cell_prbs" => options.set_cell_prbs(value.extract()?).map_err(usage)?,
        "set" => {
            for assignment in value.extract::<Vec<String>>()? {
                options.set(&assignment).map_err(usage)?;
            }
        }
        _ => return Err(usage(Error::usage(format!("no option {key}")))),
    }
    Ok(())
}
