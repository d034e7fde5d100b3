//! Assigns media types to the classes of content of LTE13 section 7.1.

/// The media types of archives and packages.
const ARCHIVES: [&str; 9] = [
    "application/zip",
    "application/gzip",
    "application/x-gzip",
    "application/x-zip-compressed",
    "application/x-7z-compressed",
    "application/x-rar-compressed",
    "application/vnd.rar",
    "application/x-tar",
    "application/vnd.android.package-archive",
];
/// Media types of text that are registered as `application/`.
const TEXTS: [&str; 5] = [
    "application/json",
    "application/javascript",
    "application/x-javascript",
    "application/xml",
    "application/xhtml+xml",
];
/// Media types of playlists and streams that are registered as `application/`.
const VIDEOS: [&str; 4] = [
    "application/mp4",
    "application/dash+xml",
    "application/vnd.apple.mpegurl",
    "application/x-mpegurl",
];
const BYTES: &str = "application/octet-stream";

/// The class of a media type. Bytes without a type that a range request fetched belong to a video
/// player, as in the paper; `unknown` is a response that names no type.
pub(super) fn of(media_type: Option<&str>, is_range: bool) -> &'static str {
    let Some(name) = media_type else { return "unknown" };
    match name.split('/').next().unwrap_or_default() {
        "video" => "video",
        "image" => "image",
        "text" => "text",
        "audio" => "audio",
        _ if VIDEOS.contains(&name) || (name == BYTES && is_range) => "video",
        _ if TEXTS.contains(&name) || name.ends_with("+json") || name.ends_with("+xml") => "text",
        _ if ARCHIVES.contains(&name) => "zip",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn each_class_by_its_media_types() {
        let cases = [
            ("video/mp4", "video"),
            ("image/jpeg", "image"),
            ("text/html", "text"),
            ("application/json", "text"),
            ("application/zip", "zip"),
            ("audio/aac", "audio"),
            ("application/pdf", "other"),
            ("application/octet-stream", "other"),
        ];
        for (name, class) in cases {
            assert_eq!(of(Some(name), false), class, "{name}");
        }
        assert_eq!(of(Some("application/octet-stream"), true), "video");
        assert_eq!(of(None, true), "unknown");
    }
}
