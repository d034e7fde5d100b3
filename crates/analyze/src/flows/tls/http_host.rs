//! Reads the host in an HTTP/1.x request in clear (RFC 9112 section 3.2).

use airmile_types::http_method;

use super::hello::host_name;

/// The empty line after a head (RFC 9112 section 2.1).
const END: &[u8] = b"\r\n\r\n";

/// The length of a request's head; `None` while its end is missing, and 0 when the bytes are not a
/// request.
pub(super) fn length(bytes: &[u8]) -> Option<usize> {
    if http_method(bytes).is_none() {
        return (!bytes.is_empty()).then_some(0);
    }
    bytes.windows(END.len()).position(|window| window == END).map(|at| at + END.len())
}

/// The value of `Host`, without the port; `None` when the payload is not a request, or was cut
/// before the value's end.
pub(super) fn of(payload: &[u8]) -> Option<Box<str>> {
    let mut lines = payload.split(|byte| *byte == b'\n');
    let request = lines.next()?.trim_ascii_end();
    if !request.ends_with(b" HTTP/1.1") && !request.ends_with(b" HTTP/1.0") {
        return None;
    }
    let value = lines.take_while(|line| !line.trim_ascii().is_empty()).find_map(host)?;
    host_name(value.split(|byte| *byte == b':').next()?)
}

/// The value of a complete line `Host: VALUE`.
fn host(line: &[u8]) -> Option<&[u8]> {
    let (name, value) = line.split_at_checked(b"host:".len())?;
    let whole = line.ends_with(b"\r");
    (whole && name.eq_ignore_ascii_case(b"host:")).then(|| value.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_host_of_a_request() {
        let name = |text: &str| of(text.as_bytes()).map(String::from);
        let request = "GET / HTTP/1.1\r\nAccept: */*\r\nhOst: WWW.Example.com:8080\r\n\r\n";
        assert_eq!(name(request).as_deref(), Some("www.example.com"));
        for cut in 0..request.len() - 4 {
            assert_eq!(name(&request[..cut]), None, "cut at {cut}");
        }
        assert_eq!(name("GET / HTTP/1.1\r\n\r\nHost: a.example\r\n\r\n"), None);
        assert_eq!(name("HTTP/1.1 200 OK\r\nHost: a.example\r\n\r\n"), None);
        assert_eq!(name("GET / HTTP/1.1\r\nHost: \x1b[31m\r\n\r\n"), None);
    }
}
