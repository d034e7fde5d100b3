//! Tests HTTP cases that would be too long for the page of the analysis.

use crate::script::{Value, run};

/// The second half of a head overtakes the first.
#[test]
fn a_response_does_not_end_before_it_begins() {
    let outcome = run("+0 > S 0:0(0)\n+.05 < S. 0:0(0) ack 1\n+.05 > . ack 1\n\
         +0 > P. ack 1 {payload \"GET /a HTTP/1.1\\r\\n\\r\\n\"}\n\
         +.1 < P. 1:39 ack all {payload \"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n\"}\n\
         +.1 > P. ack 39 {payload \"GET /b HTTP/1.1\\r\\n\\r\\n\"}\n\
         +.1 < P. 58:77 ack all {payload \"ntent-Length: 0\\r\\n\\r\\n\"}\n\
         +.1 < P. 39:58 ack all {payload \"HTTP/1.1 200 OK\\r\\nCo\"}")
    .unwrap();
    let table = outcome.table("http").unwrap();
    let at = |column: &str| match table.cell(1, column) {
        Some(Value::I64(ns)) => *ns,
        other => panic!("{column}: {other:?}"),
    };
    assert_eq!(table.cell(1, "status"), Some(&Value::I64(200)));
    assert_eq!(at("response_end_ns") - at("response_ns"), 100_000_000);
}

/// A WebSocket may carry the text of a request; nobody has sent a response with it. The capture
/// missed what the phone has sent before it, which a response may answer.
#[test]
fn what_the_server_sends_as_a_request_begins_no_transfer() {
    let boundaries = |text: &str| {
        let outcome = run(&format!(
            "+0 < P. 1:50 ack 1 {{payload \"HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: x\\r\\n\\r\\n\"}}\n\
             +.1 > . ack all\n\
             +.1 < . ack 300\n\
             +.1 < P. ack 300 {{payload \"{text}\\r\\n\\r\\n\"}}"
        ))
        .unwrap();
        outcome.table("transfers").unwrap().rows.len()
    };
    assert_eq!(boundaries("HTTP/1.1 200 OK"), 2);
    assert_eq!(boundaries("GET /a HTTP/1.1"), 1);
}

/// The clock of the capture point is set back by an hour between the request and its response.
#[test]
fn a_response_before_its_request_has_no_times() {
    let outcome = run("+0 > S 0:0(0)\n+.05 < S. 0:0(0) ack 1\n+.05 > . ack 1\n\
         +0 > P. ack 1 {payload \"GET /a HTTP/1.1\\r\\n\\r\\n\"}\n\
         -3600 < P. ack all {payload \"HTTP/1.1 200 OK\\r\\nContent-Length: 100\\r\\n\\r\\n\"}\n\
         +.1 < P. +100 ack all\n\
         +.1 > P. ack all {payload \"GET /b HTTP/1.1\\r\\n\\r\\n\"}\n\
         +.1 < P. ack all {payload \"HTTP/1.1 404 Not Found\\r\\nContent-Length: 0\\r\\n\\r\\n\"}")
    .unwrap();
    let table = outcome.table("http").unwrap();
    for column in ["response_ns", "response_end_ns"] {
        assert_eq!(table.cell(0, column), Some(&Value::Null), "{column}");
        assert!(matches!(table.cell(1, column), Some(Value::I64(_))), "{column}");
    }
    assert_eq!(table.cell(0, "status"), Some(&Value::I64(200)));
    assert_eq!(table.cell(0, "body_bytes"), Some(&Value::I64(100)));
    assert_eq!(table.cell(0, "reason"), Some(&Value::Text("clock".to_owned())));
}
