//! Tests the kind of each segment of packet scripts.

use airmile_track::{Datagram, FlowFacts, Handler, Scoreboard, Segment, SessionFacts};
use airmile_types::{Held, Parameters, PerDirection};
use airmile_verdict::TlsPart;
use proptest::prelude::*;

use super::TlsHandshake;
use crate::script;

/// One code per segment with payload: `H` handshake, `A` application data, `-` minor, `.` no TLS,
/// with the offset in the segment at which data begins after something else. Lower-case while the
/// handshake is open.
#[derive(Default)]
struct Letters(Vec<String>);

impl Handler for Letters {
    type Flow = TlsHandshake;
    type Ue = ();

    fn open(&mut self, _: &FlowFacts) -> TlsHandshake {
        TlsHandshake::default()
    }

    fn segment(&mut self, tls: &mut TlsHandshake, (): &mut (), segment: &Segment<'_>) {
        tls.take(segment, &Parameters::default());
        if segment.payload_bytes == 0 {
            return;
        }
        let start = segment.end - i64::from(segment.payload_bytes);
        if let TlsPart::Application { from } = tls.progress().part {
            assert!((start..segment.end).contains(&from), "data at {from} outside of {start}");
        }
        let word = match tls.progress().part {
            TlsPart::Handshake => "H".to_owned(),
            TlsPart::Application { from } if from > start => format!("A{}", from - start),
            TlsPart::Application { .. } => "A".to_owned(),
            TlsPart::Minor => "-".to_owned(),
            TlsPart::NotTls => {
                assert!(!tls.progress().is_tls);
                ".".to_owned()
            }
        };
        self.0.push(if tls.progress().is_open { word.to_ascii_lowercase() } else { word });
    }

    fn datagram(&mut self, _: &mut TlsHandshake, (): &mut (), _: &Datagram<'_>) {}
    fn end(&mut self, _: TlsHandshake, (): &mut (), _: &FlowFacts, _: Option<&PerDirection<Scoreboard>>) {}
    fn session(&mut self, (): (), _: &SessionFacts) {}
}

const OPENING: &str = "+0 > S 0:0(0)\n+.02 < S. 0:0(0) ack 1\n+.02 > . 1:1(0) ack 1\n";

/// The codes of a TLS conversation after a TCP handshake; each input line is `> RECORDS`.
fn letters(lines: &str) -> String {
    let packets: Vec<String> = lines
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| format!("+.01 {} P. ack all {{{}}}", &line[..1], &line[1..].trim()))
        .collect();
    raw(&format!("{OPENING}{}\n", packets.join("\n")))
}

fn raw(text: &str) -> String {
    script::track(text, Letters::default()).expect("the script reads").0.join(" ")
}

#[test]
fn tls_1_3_with_a_request_in_the_segment_of_the_finished() {
    let seen = letters(
        "> tls client_hello(a.example)
         < tls 0..1000 server_hello ccs app(30) app(3000) app(264) app(53)
         < tls 1000.. server_hello ccs app(30) app(3000) app(264) app(53)
         > tls ccs finished app(200)
         < tls app(250) app(250)
         < tls app(900)",
    );
    assert_eq!(seen, "h h h A64 - A");
}

#[test]
fn tls_1_2_in_full() {
    let seen = letters(
        "> tls client_hello(a.example)
         < tls server_hello(1.2) handshake(2500) handshake(300) handshake(4)
         > tls handshake(70) ccs handshake(40)
         < tls handshake(200) ccs handshake(40)
         > tls app(200)
         < tls app(900)
         < tls alert",
    );
    assert_eq!(seen, "h h h H A A -");
}

#[test]
fn tls_1_2_with_false_start() {
    let seen = letters(
        "> tls client_hello(a.example)
         < tls server_hello(1.2) handshake(2500) handshake(300) handshake(4)
         > tls handshake(70) ccs handshake(40) app(200)
         < tls ccs handshake(40) app(900)",
    );
    assert_eq!(seen, "h h a126 A51");
}

#[test]
fn tls_1_2_resumed() {
    let seen = letters(
        "> tls client_hello(a.example)
         < tls server_hello(1.2) ccs handshake(40)
         > tls ccs handshake(40) app(200)
         < tls app(900)",
    );
    assert_eq!(seen, "h h A51 A");
}

#[test]
fn tls_1_3_with_a_hello_retry_request() {
    let seen = letters(
        "> tls client_hello(a.example)
         < tls retry ccs
         > tls ccs client_hello(a.example)
         < tls server_hello app(3000)
         > tls finished
         > tls app(200)
         < tls app(900)",
    );
    assert_eq!(seen, "h h h h H A A");
}

#[test]
fn early_data_is_a_request_and_its_answer_may_come_before_the_finished() {
    let seen = letters(
        "> tls client_hello(a.example) ccs app(300)
         < tls server_hello ccs app(40) app(53) app(900)
         > tls app(21) finished
         < tls app(900)",
    );
    assert_eq!(seen, "a205 a204 H A");
}

#[test]
fn tickets_and_settings_before_the_first_request_are_minor() {
    let seen = letters(
        "> tls client_hello(a.example)
         < tls server_hello ccs app(30) app(3000) app(264) app(53)
         > tls ccs finished
         < tls app(250) app(250) app(57)
         > tls app(200)
         < tls app(100)",
    );
    assert_eq!(seen, "h h H - A A");
}

#[test]
fn a_lone_small_record_behind_the_first_request_may_be_a_ticket_or_the_answer() {
    let seen = letters(
        "> tls client_hello(a.example)
         < tls server_hello app(3000)
         > tls finished
         > tls app(200)
         < tls app(250)
         > tls app(200)
         < tls app(250)",
    );
    assert_eq!(seen, "h h H A - A A");
}

#[test]
fn records_span_segments_and_headers_too() {
    let seen = letters(
        "> tls 0..3 client_hello(a.example)
         > tls 3.. client_hello(a.example)
         < tls server_hello app(3000)
         > tls 0..60 finished app(2000)
         > tls 60..1000 finished app(2000)
         > tls 1000.. finished app(2000)
         < tls 0..1400 app(4000)
         < tls 1400.. app(4000) app(40)
         < tls app(40)",
    );
    assert_eq!(seen, "h h h H A A A A -");
}

#[test]
fn plain_http_on_port_443_is_no_tls() {
    let seen = letters(
        "> payload \"GET / HTTP/1.1\\r\\n\\r\\n\"
         < payload \"HTTP/1.1 200 OK\\r\\n\\r\\n\"",
    );
    assert_eq!(seen, ". .");
}

#[test]
fn a_client_certificate_comes_before_the_finished() {
    let seen = letters(
        "> tls client_hello(a.example)
         < tls server_hello app(3000)
         > tls ccs app(900) app(281) finished app(200)
         < tls app(900)",
    );
    assert_eq!(seen, "h h A1255 A");
}

#[test]
fn a_finished_inside_of_a_longer_record_is_known_by_the_server_s_answer() {
    let seen = letters(
        "> tls client_hello(a.example)
         < tls server_hello app(3000)
         > tls ccs app(1200)
         < tls app(900)
         > tls app(200)",
    );
    assert_eq!(seen, "h h h A A");
}

#[test]
fn the_direction_of_the_client_alone() {
    let opening = "+0 > S 0:0(0)\n+.04 > . 1:1(0) ack 1\n";
    let new = "+0 > P. ack 1 {tls client_hello(a.example)}
        +.05 > P. ack 3000 {tls ccs finished app(200)}
        +.05 > P. ack 9000 {tls app(300)}";
    assert_eq!(raw(&format!("{opening}{new}")), "h A64 A");
    let old = "+0 > P. ack 1 {tls client_hello(a.example)}
        +.05 > P. ack 3000 {tls handshake(70) ccs handshake(40)}
        +.05 > P. ack 3052 {tls app(300)}";
    assert_eq!(raw(&format!("{opening}{old}")), "h H A");
}

#[test]
fn a_flight_that_came_twice_or_out_of_order_changes_nothing() {
    let seen = raw(&format!(
        "{OPENING}
         +.01 > P. 1:206(205) ack 1 {{tls client_hello(a.example) ccs}}
         +.01 > P. 1:206(205) ack 1 {{tls client_hello(a.example) ccs}}
         +.01 < . 1001:2001(1000) ack 206
         +.01 < . 1:1001(1000) ack 206 {{tls 0..1000 server_hello app(3000)}}
         +.01 < . 2001:3101(1100) ack 206
         +.01 > P. 206:264(58) ack 3101 {{tls finished}}
         +.01 > P. 264:469(205) ack 3101 {{tls app(200)}}"
    ));
    assert_eq!(seen, "h h h h h H A");
}

#[test]
fn headers_alone_tell_by_position_and_size_on_a_port_of_tls() {
    let hidden = "+.01 > P. +517 ack all
         +.01 < . +1400 ack all
         +.01 < P. +1400 ack all
         +.01 > P. +64 ack all
         +.01 > P. +250 ack all
         +.01 < P. +3000 ack all";
    let port = "flow 1 = 10.0.0.1:40000 - 203.0.113.9:443\n";
    assert_eq!(raw(&format!("{port}{OPENING}{hidden}")), "h h h H A A");
    let port = "flow 1 = 10.0.0.1:40000 - 203.0.113.9:80\n";
    assert_eq!(raw(&format!("{port}{OPENING}{hidden}")), ". . . . . .");
}

#[test]
fn headers_alone_of_another_protocol_on_a_port_of_tls() {
    let hidden = "+.01 > P. +21 ack all\n+.01 < P. +21 ack all\n+.01 > P. +1000 ack all";
    let port = "flow 1 = 10.0.0.1:40000 - 203.0.113.9:443\n";
    assert_eq!(raw(&format!("{port}{OPENING}{hidden}")), "h . .");
}

#[test]
fn thirty_bytes_of_each_segment_follow_the_records() {
    let seen = letters(
        "> cut 30 tls client_hello(a.example)
         < cut 30 tls 0..1400 server_hello app(3000)
         < cut 30 tls 1400.. server_hello app(3000)
         > cut 30 tls ccs finished app(200)
         < cut 30 tls app(250) app(250)
         < cut 30 tls 0..1400 app(3000)",
    );
    assert_eq!(seen, "h h h A64 - A");
}

#[test]
fn thirty_bytes_of_each_segment_follow_tls_1_2() {
    let seen = letters(
        "> cut 30 tls client_hello(a.example)
         < cut 30 tls server_hello(1.2) handshake(2500) handshake(300) handshake(4)
         > cut 30 tls handshake(70) ccs handshake(40)
         < cut 30 tls handshake(200) ccs handshake(40)
         > cut 30 tls app(200)
         < cut 30 tls app(900)",
    );
    assert_eq!(seen, "h h h H A A");
}

#[test]
fn a_capture_that_begins_inside_of_a_connection() {
    let request = "+.01 > P. 1:206(205) ack 1 {tls app(200)}";
    let rest = "+.01 < P. 1:906(905) ack 206 {tls app(900)}\n+.01 < P. +24 ack 206 {tls app(19)}";
    assert_eq!(raw(&format!("{request}\n{rest}")), "A A -");
    assert_eq!(raw("+0 < . +1000 ack 1\n+0 < . +1000 ack 1"), ". .");
}

/// Gives the name in each ClientHello.
#[derive(Default)]
struct Names(Vec<Option<String>>);

impl Handler for Names {
    type Flow = TlsHandshake;
    type Ue = ();

    fn open(&mut self, _: &FlowFacts) -> TlsHandshake {
        TlsHandshake::default()
    }

    fn segment(&mut self, tls: &mut TlsHandshake, (): &mut (), segment: &Segment<'_>) {
        tls.take(segment, &Parameters::default());
        assert!(tls.held_bytes() < 20_000, "of an opening, 8,192 bytes wait");
    }

    fn datagram(&mut self, _: &mut TlsHandshake, (): &mut (), _: &Datagram<'_>) {}

    fn end(&mut self, tls: TlsHandshake, (): &mut (), _: &FlowFacts, _: Option<&PerDirection<Scoreboard>>) {
        let hello = tls.connection().map(|connection| connection.hello().into_owned());
        self.0.push(hello.and_then(|hello| hello.server_name.map(String::from)));
    }

    fn session(&mut self, (): (), _: &SessionFacts) {}
}

fn name(text: &str) -> Option<String> {
    script::track(text, Names::default()).expect("the script reads").0.pop().flatten()
}

#[test]
fn what_comes_before_the_first_segment_is_handshake_on_a_port_of_tls() {
    let seen = |port: u16, text: &str| raw(&format!("flow 1 = 10.0.0.1:40000 - 203.0.113.9:{port}\n{text}"));
    let hello = format!("{}\n{}\n", part(1, 2), part(0, 2));
    assert_eq!(seen(443, &format!("{OPENING}{hello}")), "h h");
    assert!(seen(443, &hello).starts_with(". "), "nobody knows where the stream begins");
    let plain = format!(
        "{OPENING}+.01 > . 100:110 ack 1 {{hex \"{}\"}}\n+.01 > . 1:100 ack 1 {{hex \"{}\"}}\n",
        "41".repeat(10),
        "41".repeat(99)
    );
    assert_eq!(seen(443, &plain), "h .", "the first segment shows that there is no TLS");
    assert_eq!(seen(25, &plain), ". .");
}

/// A segment of a ClientHello of 199 bytes, which is cut into parts of equal length but the last.
fn part(number: usize, parts: usize) -> String {
    let length = 199_usize.div_ceil(parts);
    let (from, to) = (length * number, (length * (number + 1)).min(199));
    format!("+.001 > . {}:{} ack 1 {{tls {from}..{to} client_hello(a.example)}}", from + 1, to + 1)
}

#[test]
fn a_client_hello_is_read_in_every_order_of_up_to_four_segments() {
    let mut orders = 0;
    for parts in 1..=4 {
        for order in permutations((0..parts).collect()) {
            let lines: Vec<String> = order.iter().map(|number| part(*number, parts)).collect();
            let found = name(&format!("{OPENING}{}\n", lines.join("\n")));
            assert_eq!(found.as_deref(), Some("a.example"), "{order:?} of {parts}");
            orders += 1;
        }
    }
    assert_eq!(orders, 1 + 2 + 6 + 24);
}

fn permutations(items: Vec<usize>) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let first = |place: usize| {
        let mut rest = items.clone();
        let item = rest.remove(place);
        permutations(rest).into_iter().map(move |rest| [vec![item], rest].concat())
    };
    (0..items.len()).flat_map(first).collect()
}

#[test]
fn a_header_alone_may_come_last() {
    let tiny = "+.01 > P. 5:200 ack 1 {tls 4..199 client_hello(a.example)}
        +.01 > . 1:5 ack 1 {tls 0..4 client_hello(a.example)}";
    assert_eq!(name(&format!("{OPENING}{tiny}\n")).as_deref(), Some("a.example"));
}

#[test]
fn what_waits_for_a_first_segment_is_bounded() {
    let content = "41".repeat(1400);
    let far: Vec<String> = (1..9)
        .map(|n| (1400 * n, 1400 * (n + 1)))
        .map(|(from, to)| format!("+.001 > . {from}:{to}(1400) ack 1 {{hex \"{content}\"}}"))
        .collect();
    let whole = part(0, 1);
    let seven = far[..7].join("\n");
    assert_eq!(name(&format!("{OPENING}{seven}\n{whole}\n")).as_deref(), Some("a.example"));
    let all = far.join("\n");
    assert_eq!(name(&format!("{OPENING}{all}\n{}\n{whole}\n", far[0])), None, "it is no TLS by then");
    let unopened = format!("{}\n{}\n", part(1, 2), part(0, 2));
    assert_eq!(name(&unopened), None, "nobody knows where the stream begins");
}

/// Generates a packet of a hostile conversation.
fn hostile() -> impl Strategy<Value = String> {
    let record = prop_oneof![
        Just("client_hello(a.example)"),
        Just("server_hello"),
        Just("server_hello(1.2)"),
        Just("retry"),
        Just("ccs"),
        Just("alert"),
        Just("finished"),
        Just("handshake(40)"),
        Just("handshake(2000)"),
        Just("app(60)"),
        Just("app(250)"),
        Just("app(3000)"),
    ];
    let records = prop::collection::vec(record, 1..4);
    let payload = prop_oneof![
        4 => (records, 0..200_usize)
            .prop_map(|(records, cut)| format!("cut {} tls {}", cut * cut, records.join(" "))),
        1 => prop::collection::vec(any::<u8>(), 1..40)
            .prop_map(|bytes| format!("hex \"{}\"", hex(&bytes))),
    ];
    (any::<bool>(), 1..4000_i64, any::<bool>(), payload).prop_map(|(up, start, next, payload)| {
        let way = if up { '>' } else { '<' };
        let place = if next { String::new() } else { format!("{start}:{}(300)", start + 300) };
        format!("+.01 {way} P. {place} ack all {{{payload}}}")
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

proptest! {
    /// For any input, application data begins inside of its segment (asserted where the codes are
    /// made), and nothing panics.
    #[test]
    fn no_conversation_confuses_it(lines in prop::collection::vec(hostile(), 1..30)) {
        let text = format!("{OPENING}{}", lines.join("\n"));
        prop_assert!(!raw(&text).is_empty());
    }
}
