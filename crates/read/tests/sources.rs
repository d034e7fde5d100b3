//! Tests which inputs the names that a user gives lead to.

use std::fs;
use std::path::Path;

use airmile_read::{Capture, OpenError, Place, Source, expand};

#[expect(clippy::disallowed_methods, reason = "a test lays out its own files")]
fn touch(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, b"junk").unwrap();
}

fn names(sources: &[Source], root: &Path) -> Vec<String> {
    let name = |source: &Source| match &source.place {
        Place::File(path) => path.strip_prefix(root).unwrap_or(path).display().to_string(),
        Place::Link(path) => format!("not {}", path.strip_prefix(root).unwrap_or(path).display()),
        Place::Stdin => "-".to_owned(),
    };
    sources.iter().map(name).collect()
}

#[test]
fn directories_are_walked_in_natural_order_without_our_own_output() {
    let root = tempfile::tempdir().unwrap();
    for name in ["x10.pcap", "x2.pcap", "x.pcap", "deep/a/b.pcap", "old.airmile/manifest.json"] {
        touch(&root.path().join(name));
    }
    let sources = expand(&[root.path().to_str().unwrap()]).unwrap();
    assert_eq!(names(&sources, root.path()), ["deep/a/b.pcap", "x.pcap", "x2.pcap", "x10.pcap"]);
    assert!(sources.iter().all(|source| !source.named));
}

#[test]
fn a_loop_of_links_ends() {
    let root = tempfile::tempdir().unwrap();
    touch(&root.path().join("a/x.pcap"));
    std::os::unix::fs::symlink(root.path(), root.path().join("a/loop")).unwrap();
    let sources = expand(&[root.path().to_str().unwrap()]).unwrap();
    assert_eq!(names(&sources, root.path()), ["a/x.pcap"]);
}

#[test]
fn a_directory_is_not_left_through_links() {
    let root = tempfile::tempdir().unwrap();
    for name in ["in/x.pcap", "in/deep/y.pcap", "out/secret.pcap"] {
        touch(&root.path().join(name));
    }
    let links = [
        ("in/all", "/"),
        ("in/deep/up", ".."),
        ("in/file", "../out/secret.pcap"),
        ("in/gone", "nowhere"),
        ("in/ours", "deep/y.pcap"),
        ("in/outside", "../out"),
    ];
    for (name, to) in links {
        std::os::unix::fs::symlink(to, root.path().join(name)).unwrap();
    }
    let named = root.path().join("in").display().to_string();
    let sources = expand(&[named.as_str(), named.as_str()]).unwrap();
    let expected = [
        "not in/all",
        "in/deep/y.pcap",
        "not in/file",
        "not in/gone",
        "not in/outside",
        "in/x.pcap",
    ];
    assert_eq!(names(&sources, root.path()), expected);
    let said = |source: &Source| Capture::open(source).err().unwrap();
    assert!(sources.iter().all(|source| !source.named && said(source).is_junk()));
    assert!(
        said(&sources[0])
            .to_string()
            .ends_with("a symbolic link out of its folder, to /, was not followed")
    );
    assert!(said(&sources[3]).to_string().ends_with("in/gone: a symbolic link that leads nowhere"));
    assert_eq!(said(&sources[2]).hint(), Some("name the link itself to read what it leads to"));
}

#[test]
fn a_link_that_is_named_is_followed() {
    let root = tempfile::tempdir().unwrap();
    touch(&root.path().join("out/x.pcap"));
    std::os::unix::fs::symlink("out", root.path().join("link")).unwrap();
    std::os::unix::fs::symlink("out/x.pcap", root.path().join("file")).unwrap();
    let at = |name: &str| root.path().join(name).display().to_string();
    for (name, expected) in [("link", "link/x.pcap"), ("file", "file"), ("l*", "link/x.pcap")] {
        assert_eq!(names(&expand(&[at(name)]).unwrap(), root.path()), [expected]);
    }
}

#[test]
fn a_pattern_over_directories_enters_no_links() {
    let root = tempfile::tempdir().unwrap();
    for name in ["in/x.pcap", "in/a/b/y.pcap", "in/a/z.txt", "out/secret.pcap"] {
        touch(&root.path().join(name));
    }
    std::os::unix::fs::symlink("../out", root.path().join("in/outside")).unwrap();
    std::os::unix::fs::symlink("..", root.path().join("in/a/up")).unwrap();
    let at = |name: &str| root.path().join(name).display().to_string();
    let sources = expand(&[at("in/**/*.pcap")]).unwrap();
    let expected = ["in/a/b/y.pcap", "in/x.pcap", "not in/outside"];
    assert_eq!(names(&sources, root.path()), expected);
    let sources = expand(&[at("in/a/*/y.pcap")]).unwrap();
    assert_eq!(names(&sources, root.path()), ["in/a/b/y.pcap", "not in/a/up"]);
}

#[test]
fn a_pattern_does_not_leave_its_folder() {
    let root = tempfile::tempdir().unwrap();
    for name in ["in/sub/x.pcap", "in/y.pcap", "out/secret.pcap"] {
        touch(&root.path().join(name));
    }
    for (name, to) in [("in/all", "../out"), ("in/inner", "sub"), ("in/sub/root", "/")] {
        std::os::unix::fs::symlink(to, root.path().join(name)).unwrap();
    }
    let at = |name: &str| root.path().join(name).display().to_string();
    for (pattern, expected) in [
        ("in/*", &["in/inner/x.pcap", "in/y.pcap", "not in/all", "not in/inner/root"][..]),
        ("in/**/*", &["in/inner/x.pcap", "in/y.pcap", "not in/all", "not in/inner/root"]),
        ("in/**", &["in/inner/x.pcap", "in/y.pcap", "not in/all", "not in/inner/root"]),
        ("in/**/*.pcap", &["in/sub/x.pcap", "in/y.pcap", "not in/all", "not in/sub/root"]),
        ("in/*/*.pcap", &["in/inner/x.pcap", "not in/all"]),
        ("i*/all/*.pcap", &["in/all/secret.pcap"]),
        ("in/**/all/*.pcap", &["not in/all", "not in/sub/root"]),
        ("in/all/*", &["in/all/secret.pcap"]),
    ] {
        let mut found = names(&expand(&[at(pattern)]).unwrap(), root.path());
        found.retain(|name| !name.contains('*'));
        found.sort();
        assert_eq!(found, expected, "{pattern}");
    }
}

#[test]
fn names_that_are_not_text_are_found() {
    use std::os::unix::ffi::OsStrExt;
    let root = tempfile::tempdir().unwrap();
    let name = std::ffi::OsStr::from_bytes(b"x\xff.pcap");
    touch(&root.path().join(name));
    for named in ["", "/*.pcap", "/x?.pcap", "/**/*.pcap"] {
        let sources = expand(&[root.path().display().to_string() + named]).unwrap();
        assert_eq!(sources.len(), 1, "{named}");
        assert_eq!(sources[0].place, Place::File(root.path().join(name)), "{named}");
    }
}

#[test]
fn patterns_and_repeated_names() {
    let root = tempfile::tempdir().unwrap();
    for name in ["x9.pcap", "x11.pcap", "y.pcap", "[odd].pcap"] {
        touch(&root.path().join(name));
    }
    let at = |name: &str| root.path().join(name).display().to_string();
    let sources = expand(&[at("y.pcap"), at("x*.pcap"), at("?.pcap"), at("[odd].pcap")]).unwrap();
    assert_eq!(names(&sources, root.path()), ["y.pcap", "x9.pcap", "x11.pcap", "[odd].pcap"]);
    assert!(sources.iter().all(|source| source.named));
}

#[test]
fn one_file_under_several_names_is_one_input() {
    let root = tempfile::tempdir().unwrap();
    touch(&root.path().join("a/x.pcap"));
    std::os::unix::fs::symlink(root.path().join("a/x.pcap"), root.path().join("link")).unwrap();
    let at = |name: &str| root.path().join(name).display().to_string();
    let names_of_one = [at("a"), at("a/x.pcap"), at("a/./x.pcap"), at("a/../a/x.pcap"), at("link")];
    let sources = expand(&names_of_one).unwrap();
    assert_eq!(names(&sources, root.path()), ["a/x.pcap"]);
    assert!(sources[0].named, "met on a walk first, then named");
}

#[test]
fn standard_input_is_given_once() {
    assert_eq!(names(&expand(&["-"]).unwrap(), Path::new("")), ["-"]);
    let error = expand(&["-", "-"]).unwrap_err();
    assert_eq!(error.to_string(), "standard input (-) was given more than once");
}

#[test]
fn what_is_not_there_is_reported_when_it_is_opened() {
    for name in ["no/such.pcap", "no/such*.pcap"] {
        let sources = expand(&[name]).unwrap();
        let error = Capture::open(&sources[0]).err().unwrap();
        assert_eq!(error.to_string(), format!("{name}: no such file"));
        assert!(!error.is_junk());
    }
}

#[test]
fn junk_is_distinguished_from_failure() {
    let root = tempfile::tempdir().unwrap();
    touch(&root.path().join("notes.txt"));
    let sources = expand(&[root.path().to_str().unwrap()]).unwrap();
    let error = Capture::open(&sources[0]).err().unwrap();
    assert!(error.is_junk() && matches!(error, OpenError::NotCapture { .. }));
    let directory = Capture::open(&Source::file(root.path())).err().unwrap();
    assert!(directory.to_string().ends_with("it is a directory"), "{directory}");
}
