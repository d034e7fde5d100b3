//! Whether a free lock proves that nobody uses a file.

use std::path::Path;

/// The file systems of Linux that one kernel has for itself, by their magic numbers (statfs(2),
/// `linux/magic.h`): ext2 to ext4, XFS, Btrfs, F2FS, ZFS, `bcachefs`, `tmpfs`, `ramfs`, `overlayfs`,
/// `vfat` and `exfat`.
#[cfg(target_os = "linux")]
const OWN: [u64; 11] = [
    0xEF53,
    0x5846_5342,
    0x9123_683E,
    0xF2F5_2010,
    0x2FC1_2FC1,
    0xCA45_1A4E,
    0x0102_1994,
    0x8584_58F6,
    0x794C_7630,
    0x4D44,
    0x2011_BAB0,
];

/// Whether a free lock means that its owner has ended, because everybody who can open a file here
/// takes locks from this kernel. On a file system that other machines may share, such as NFS, SMB,
/// 9p or one of FUSE, they may hold locks that this kernel does not see. A file system that this
/// list does not have counts as shared.
///
/// This kernel cannot tell whether it also offers a local folder to other machines, by NFS, SMB or
/// to a virtual machine. It need not see the locks of these, so they must not write into one folder
/// with this machine.
#[cfg(target_os = "linux")]
#[must_use]
pub fn free_locks_prove(path: &Path) -> bool {
    let found = nix::sys::statfs::statfs(crate::write::folders::named(path));
    let magic = found.map(|found| found.filesystem_type().0);
    magic.is_ok_and(|magic| u64::try_from(magic).is_ok_and(|magic| OWN.contains(&magic)))
}

/// Other systems do not say which of their file systems are shared, so nothing is proven.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn free_locks_prove(_: &Path) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_that_is_not_known_to_be_of_this_machine_alone_proves_nothing() {
        assert!(free_locks_prove(tempfile::tempdir().unwrap().path()));
        assert!(free_locks_prove(Path::new("")));
        assert!(!free_locks_prove(Path::new("/proc")));
        assert!(!free_locks_prove(Path::new("/no/such/folder")));
    }
}
