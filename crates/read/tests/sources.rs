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
