//! The methods of HTTP requests.

/// The methods of RFC 9110 section 9 and RFC 5789.
const METHODS: [&str; 9] =
    ["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE"];

/// The method of the HTTP/1.x request line that a payload begins with (RFC 9112 section 3): its
/// name, followed by a space. `None` when the payload begins with no known method.
#[inline]
pub fn http_method(payload: &[u8]) -> Option<&'static str> {
    // Most payload begins with another byte, and most of what is left is a GET.
    if !matches!(payload.first(), Some(b'G' | b'P' | b'H' | b'D' | b'O' | b'C' | b'T')) {
        return None;
    }
    let begins =
        |method: &&str| payload.strip_prefix(method.as_bytes()).is_some_and(followed_by_space);
    METHODS.into_iter().find(begins)
}

fn followed_by_space(rest: &[u8]) -> bool {
    rest.first() == Some(&b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_a_whole_word() {
        for method in METHODS {
            assert_eq!(http_method(format!("{method} / HTTP/1.1").as_bytes()), Some(method));
            assert_eq!(http_method(method.as_bytes()), None, "cut after {method}");
        }
        for other in ["", "G", "GETS /", "get / HTTP/1.1", "HTTP/1.1 200 OK", " GET /"] {
            assert_eq!(http_method(other.as_bytes()), None, "{other}");
        }
    }
}
