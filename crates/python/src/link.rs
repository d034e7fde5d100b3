//! Gives the link model to Python: in virtual time on every system, and in real time on Linux.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use airmile_link::{
    End, Event, Link, LinkConfig, Packet, PhoneClocks, Row, TcpFields, TickClock, Truth, WallClock,
};
use airmile_types::{Direction, Duration, Instant};
use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use arrow_pyarrow::IntoPyArrow;
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;

use crate::errors::usage;

/// Adds the functions to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    #[cfg(target_os = "linux")]
    module.add_function(wrap_pyfunction!(realtime::link_run, module)?)?;
    module.add_function(wrap_pyfunction!(link_check, module)?)?;
    module.add_function(wrap_pyfunction!(link_download, module)?)?;
    module.add_function(wrap_pyfunction!(link_recorded, module)?)?;
    module.add_function(wrap_pyfunction!(link_replay, module)?)
}

/// Checks the settings of a link, and returns them with all defaults, as JSON.
#[pyfunction]
fn link_check(py: Python<'_>, config: &str) -> PyResult<String> {
    let config = read(py, config)?;
    Link::<Plain>::new(&config).map_err(|error| usage(py, &error.to_string()))?;
    crate::errors::json(&config)
}

/// Sends packets through a link in virtual time. `arrivals` are tuples (nanoseconds from the start,
/// end, bytes, payload) in order of time. Packets that leave the wired path enter the radio at
/// once. Returns (TTIs of the downlink, TTIs of the uplink, deliveries) as record batches.
#[pyfunction]
fn link_replay<'py>(
    py: Python<'py>,
    config: &str,
    arrivals: Vec<(i64, String, u32, u32)>,
    ttis: u64,
    forward: bool,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let config = read(py, config)?;
    let mut link = Link::new(&config).map_err(|error| usage(py, &error.to_string()))?;
    let mut packets = Vec::with_capacity(arrivals.len());
    let mut before = 0;
    for (index, arrival) in arrivals.into_iter().enumerate() {
        let packet = packet(&config, index as u64, arrival, before)
            .map_err(|problem| usage(py, &format!("arrival {index}: {problem}")))?;
        before = packet.0.as_nanos();
        packets.push(packet);
    }
    let played = py.detach(|| play(&mut link, packets, ttis, forward));
    let failed = |error: arrow_schema::ArrowError| PyRuntimeError::new_err(error.to_string());
    Ok((
        rows(&played.downlink).map_err(failed)?.into_pyarrow(py)?,
        rows(&played.uplink).map_err(failed)?.into_pyarrow(py)?,
        deliveries(&played.delivered).map_err(failed)?.into_pyarrow(py)?,
    ))
}

/// Plays a download that always fills the downlink's queue, in virtual time. Returns its time in
/// seconds (`None` if it is longer than `longest_s`), the number of handovers, and the mean SINR of
/// the serving cell in dB.
#[pyfunction]
fn link_download(
    py: Python<'_>,
    config: &str,
    bytes: u64,
    longest_s: u32,
) -> PyResult<(Option<f64>, u32, Option<f64>)> {
    let config = read(py, config)?;
    let longest = Duration::from_secs(longest_s.into());
    let found = py.detach(|| airmile_link::download(&config, bytes, longest));
    let found = found.map_err(|error| usage(py, &error.to_string()))?;
    Ok((found.seconds, found.handovers, found.sinr_db))
}

/// The packet of an arrival, which must not come before `before`; otherwise the error.
fn packet(
    config: &LinkConfig,
    number: u64,
    (ns, end, bytes, payload): (i64, String, u32, u32),
    before: i64,
) -> Result<(Instant, End, Plain), String> {
    let Some(end) = End::ALL.into_iter().find(|known| format!("{known:?}") == end) else {
        return Err(format!("no end of a link is called {end}"));
    };
    if ns < before {
        return Err(format!("{ns} ns is before {before} ns; sort arrivals by time, from 0 on"));
    }
    let queue = match end {
        End::Server | End::CoreRadio => &config.downlink.queue,
        End::Phone | End::CoreWired => &config.uplink.queue,
    };
    if bytes == 0 || u64::from(bytes) > queue.bytes {
        let most = queue.bytes;
        return Err(format!("{bytes} bytes; a packet has 1 to the {most} that its queue holds"));
    }
    Ok((Instant::from_nanos(ns), end, Plain { bytes, payload, number }))
}

/// Copies a capture that was taken in the phone with the address `phone`, and converts its TCP
/// timestamps to ticks of `tick_ns`, and the times of its records to those of a clock: right at a
/// time in ns, fast by some ppm, and set forward by a number of ns at a time in ns. Returns the
/// number of packets.
#[pyfunction]
#[expect(clippy::disallowed_methods, reason = "a capture of a run is read and written here")]
fn link_recorded(
    py: Python<'_>,
    capture: PathBuf,
    out: PathBuf,
    phone: [u8; 4],
    tick_ns: Option<i64>,
    clock: Option<(i64, f64, i64, i64)>,
) -> PyResult<u64> {
    let ticks = tick_ns.map(|ns| {
        TickClock::new(Duration::from_nanos(ns))
            .ok_or_else(|| usage(py, "timestamp_tick_ms: a tick is 1 to 1000 ms"))
    });
    let wall = clock.map(|(right_at, fast_ppm, step, step_at)| WallClock {
        right_at: Instant::from_nanos(right_at),
        fast_ppm,
        step: (Duration::from_nanos(step), Instant::from_nanos(step_at)),
    });
    let mut clocks = PhoneClocks { ticks: ticks.transpose()?, wall };
    let exception = |path: &Path, error: &std::io::Error| {
        PyOSError::new_err(format!("{}: {error}", path.display()))
    };
    let input = File::open(&capture).map_err(|error| exception(&capture, &error))?;
    let output = File::create(&out).map_err(|error| exception(&out, &error))?;
    let (mut input, mut output) = (BufReader::new(input), BufWriter::new(output));
    airmile_link::rewrite_capture(&mut input, &mut output, &mut clocks, phone)
        .map_err(|error| exception(&capture, &error))
}

/// Reads the settings of a link; an error names the key.
fn read(py: Python<'_>, config: &str) -> PyResult<LinkConfig> {
    let mut json = serde_json::Deserializer::from_str(config);
    serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let problem = error.inner().to_string();
        // The position is cut off, because it refers to this JSON text, which no user has written.
        let problem = problem.split(" at line ").next().unwrap_or_default();
        usage(py, &format!("link.{}: {problem}", error.path()))
    })
}

/// A packet without content.
#[derive(Clone, Copy, Debug)]
struct Plain {
    bytes: u32,
    payload: u32,
    number: u64,
}

impl Packet for Plain {
    fn bytes(&self) -> u32 {
        self.bytes
    }

    fn tcp(&self) -> Option<TcpFields> {
        Some(TcpFields { payload_bytes: self.payload, ..TcpFields::default() })
    }
}

#[derive(Default)]
struct Played {
    downlink: Vec<Row>,
    uplink: Vec<Row>,
    delivered: Vec<(u64, i64, End)>,
}

impl Truth for Played {
    fn row(&mut self, direction: Direction, row: &Row) {
        match direction {
            Direction::Downlink => self.downlink.push(*row),
            Direction::Uplink => self.uplink.push(*row),
        }
    }

    fn event(&mut self, _event: &Event) {}
}

fn play(
    link: &mut Link<Plain>,
    packets: Vec<(Instant, End, Plain)>,
    ttis: u64,
    forward: bool,
) -> Played {
    let mut played = Played::default();
    let mut packets = packets.into_iter().peekable();
    while (played.downlink.len() as u64) < ttis {
        let next = link.next_wake();
        if let Some((at, end, packet)) = packets.next_if(|(at, ..)| *at <= next) {
            link.push(end, at, packet, &mut played);
            continue;
        }
        while let Some((end, at, packet)) = link.pop(next) {
            played.delivered.push((packet.number, at.as_nanos(), end));
            match end {
                End::CoreWired if forward => link.push(End::CoreRadio, at, packet, &mut played),
                End::CoreRadio if forward => link.push(End::CoreWired, at, packet, &mut played),
                _ => {}
            }
        }
        link.tick(next, &mut played);
    }
    played
}

fn rows(rows: &[Row]) -> Result<RecordBatch, arrow_schema::ArrowError> {
    let numbers = |of: fn(&Row) -> u64| -> ArrayRef {
        Arc::new(rows.iter().map(of).collect::<UInt64Array>())
    };
    let states: ArrayRef =
        Arc::new(rows.iter().map(|r| Some(r.state().name())).collect::<StringArray>());
    RecordBatch::try_from_iter([
        ("tti", numbers(|r| r.tti)),
        ("queue_bytes", numbers(|r| r.queue_bytes)),
        ("qdisc_bytes", numbers(|r| r.qdisc_bytes)),
        ("available_bytes", numbers(|r| r.available_bytes.into())),
        ("prbs", numbers(|r| r.prbs.into())),
        ("repeated_prbs", numbers(|r| r.repeated_prbs.into())),
        ("other_prbs", numbers(|r| r.other_prbs.into())),
        ("tbs_bytes", numbers(|r| r.tbs_bytes.into())),
        ("served_bytes", numbers(|r| r.served_bytes.into())),
        ("blocked", numbers(|r| r.blocked as u64)),
        ("state", states),
    ])
}

fn deliveries(delivered: &[(u64, i64, End)]) -> Result<RecordBatch, arrow_schema::ArrowError> {
    let numbers: ArrayRef = Arc::new(delivered.iter().map(|d| d.0).collect::<UInt64Array>());
    let at: ArrayRef = Arc::new(delivered.iter().map(|d| d.1).collect::<arrow_array::Int64Array>());
    let ends = delivered.iter().map(|d| Some(format!("{:?}", d.2)));
    let ends: ArrayRef = Arc::new(ends.collect::<StringArray>());
    RecordBatch::try_from_iter([("packet", numbers), ("at_ns", at), ("end", ends)])
}

#[cfg(target_os = "linux")]
mod realtime {
    use std::path::PathBuf;

    use airmile_link::realtime::{self, Device, Error, Options};
    use pyo3::exceptions::PyOSError;
    use pyo3::prelude::*;

    use crate::errors::usage;

    /// Makes the devices (each given as the file of a namespace and a name, from the server's to
    /// the phone's) and calls `opened`. Then runs the link until `going` returns false, which a
    /// signal's handler decides, or until `longest_s` have passed. Returns the report as JSON.
    /// `timestamp_tick_ns` is the length of a tick of the phone's TCP timestamps.
    #[pyfunction]
    #[pyo3(signature = (config, devices, out, longest_s, opened, going, timestamp_tick_ns=None))]
    #[expect(clippy::too_many_arguments, reason = "each has its name in Python")]
    pub(super) fn link_run(
        py: Python<'_>,
        config: &str,
        devices: [(PathBuf, String); 4],
        out: PathBuf,
        longest_s: f64,
        opened: &Bound<'_, PyAny>,
        going: Py<PyAny>,
        timestamp_tick_ns: Option<i64>,
    ) -> PyResult<String> {
        let options = Options {
            config: super::read(py, config)?,
            devices: devices.map(|(namespace, name)| Device { namespace, name }),
            out,
            longest: airmile_types::Duration::from_secs_f64(longest_s),
            timestamp_tick: timestamp_tick_ns.map(airmile_types::Duration::from_nanos),
        };
        let exception = |error: &Error| match error {
            Error::Config(wrong) => usage(py, &wrong.to_string()),
            other => PyOSError::new_err(other.to_string()),
        };
        let link = realtime::open(&options).map_err(|error| exception(&error))?;
        opened.call0()?;
        let go_on = || {
            Python::attach(|py| {
                py.check_signals().is_ok()
                    && going.bind(py).call0().is_ok_and(|yes| yes.is_truthy().unwrap_or(false))
            })
        };
        let report = py.detach(|| link.run(go_on)).map_err(|error| exception(&error))?;
        let [median, p99, p999, most] = report.late_us;
        crate::errors::json(&serde_json::json!({
            "start_ns": report.start.as_nanos(),
            "ttis": report.ttis,
            "late_us": {"p50": median, "p99": p99, "p99.9": p999, "max": most},
            "refused_packets": report.refused,
            "arrived": report.arrived,
            "memory_locked": report.locked,
            "trustworthy": report.is_trustworthy(),
        }))
    }
}
