//! Every threshold by name, with its unit, its default and its source.

macro_rules! parameters {
    ($($(#[doc = $doc:literal])+ #[unit($unit:literal)] #[source($source:literal)] $name:ident $key:literal = $default:expr),* $(,)?) => {
        /// The thresholds in force.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Parameters {
            $($(#[doc = $doc])+ pub $name: f64,)*
            /// Also fill the tables of single samples (`--samples`), which are larger than all
            /// the others together.
            pub samples: bool,
        }

        impl Default for Parameters {
            fn default() -> Self { Self { $($name: $default,)* samples: false } }
        }

        /// Every parameter: name, unit, description, source, default.
        pub const PARAMETERS: &[Parameter] = &[$(Parameter {
            name: $key, unit: $unit, doc: concat!($($doc),+), source: $source, default: $default,
        }),*];

        impl Parameters {
            /// Sets one by name; `false` when there is none of that name.
            pub fn set(&mut self, key: &str, value: f64) -> bool {
                match key { $($key => self.$name = value,)* _ => return false }
                true
            }

            /// The value of one by name.
            pub fn get(&self, key: &str) -> Option<f64> {
                match key { $($key => Some(self.$name),)* _ => None }
            }
        }
    };
}

/// A threshold that users may set with `--set NAME=VALUE`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Name on the command line: section, dot, name.
    pub name: &'static str,
    /// Unit in words.
    pub unit: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Where its value comes from.
    pub source: &'static str,
    /// Its value unless set.
    pub default: f64,
}

parameters! {
    /// A UE not seen for this long ends its session.
    #[unit("s")] #[source("LTE13 section 3.1")] session_gap_s "a3.session_gap_s" = 3600.0,
    /// A flow without packets for this long ends.
    #[unit("s")] #[source("LTE13 section 3.1")] flow_gap_s "a4.flow_gap_s" = 3600.0,
    /// How long the radio stays on after the last packet.
    #[unit("s")] #[source("LTE13 section 4.1")] tail_s "a6.tail_s" = 10.0,
    /// Silence of the UE before a SYN that makes its radio idle.
    #[unit("s")] #[source("methods B2")] idle_before_s "b2.idle_before_s" = 13.0,
    /// A promotion delay below this is flagged as doubtful.
    #[unit("ms")] #[source("methods B2")] promotion_floor_ms "b2.floor_ms" = 50.0,
}
