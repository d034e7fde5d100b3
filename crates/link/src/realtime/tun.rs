//! Makes a TUN device in a network namespace, and reads and writes its packets.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::{Path, PathBuf};

use nix::sched::{CloneFlags, setns};

use super::error::Error;

/// A device to be made.
#[derive(Clone, Debug)]
pub struct Device {
    /// The file of its network namespace, such as `/run/netns/NAME`.
    pub namespace: PathBuf,
    /// The name of the device in the namespace: at most 15 characters.
    pub name: String,
}

/// A device that was made; it is removed when this value is dropped.
#[derive(Debug)]
pub(super) struct Tun(File);

/// The request of TUNSETIFF (linux/if.h, struct ifreq).
#[repr(C)]
struct Request {
    name: [u8; 16],
    flags: i16,
    rest: [u8; 22],
}

/// Layer 3, and no header of the device's own (linux/if_tun.h).
const IFF_TUN: i16 = 0x0001;
const IFF_NO_PI: i16 = 0x1000;

nix::ioctl_readwrite_bad!(
    /// Binds a new handle to its device.
    tun_set_iff,
    nix::request_code_write!(b'T', 202, size_of::<i32>()),
    Request
);

impl Tun {
    pub(super) fn open(device: &Device) -> Result<Self, Error> {
        in_namespace(&device.namespace, || attach(&device.name)).map(Self).map_err(|cause| {
            Error::Device { name: device.name.clone(), namespace: device.namespace.clone(), cause }
        })
    }

    /// The next waiting packet, if there is one.
    pub(super) fn read<'a>(&mut self, buffer: &'a mut [u8]) -> io::Result<Option<&'a [u8]>> {
        match self.0.read(buffer) {
            Ok(length) => Ok(Some(&buffer[..length])),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn write(&mut self, packet: &[u8]) -> io::Result<()> {
        self.0.write_all(packet)
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Calls `make` in a network namespace. A device belongs to the namespace of the thread that makes
/// it, wherever the device is used afterwards.
#[expect(clippy::disallowed_methods, reason = "namespaces are files; there is no other input")]
fn in_namespace<T>(namespace: &Path, make: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let home = File::open("/proc/thread-self/ns/net")?;
    setns(File::open(namespace)?, CloneFlags::CLONE_NEWNET)?;
    let made = make();
    setns(home, CloneFlags::CLONE_NEWNET)?;
    made
}

fn attach(name: &str) -> io::Result<File> {
    if name.is_empty() || name.len() > 15 {
        return Err(io::Error::other("the name of a device has 1 to 15 characters"));
    }
    let device = File::options().read(true).write(true).open("/dev/net/tun")?;
    let mut request = Request { name: [0; 16], flags: IFF_TUN | IFF_NO_PI, rest: [0; 22] };
    request.name[..name.len()].copy_from_slice(name.as_bytes());
    // SAFETY: the kernel reads the request, which has the size and shape of its struct ifreq and
    // lives through the call, and writes the device's name back into it.
    #[expect(unsafe_code, reason = "no library offers this ioctl without its own netlink stack")]
    unsafe { tun_set_iff(device.as_raw_fd(), &raw mut request) }?;
    nix::fcntl::fcntl(&device, nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::O_NONBLOCK))?;
    Ok(device)
}
