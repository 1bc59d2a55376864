//! The program that listens on a port, where the system tells it.

use std::fs;

/// The state of a socket that listens, in the tables of Linux.
const LISTENING: &str = "0A";

/// Name and number of the process of this user that listens on a TCP port of this machine.
pub(crate) fn listener_of(port: u16) -> Option<String> {
    let inode = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .find_map(|table| socket_of(&fs::read_to_string(table).ok()?, port))?;
    let target = format!("socket:[{inode}]");
    for process in fs::read_dir("/proc").ok()?.flatten() {
        let Some(number) = process.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let handles = fs::read_dir(process.path().join("fd")).into_iter().flatten().flatten();
        let has_it = |handle: fs::DirEntry| {
            fs::read_link(handle.path()).is_ok_and(|at| at.as_os_str() == target.as_str())
        };
        if handles.into_iter().any(has_it) {
            let name = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            return Some(format!("`{}` (process {number})", name.trim()));
        }
    }
    None
}

/// The number of the socket that listens on a port, in a table of sockets.
fn socket_of(table: &str, port: u16) -> Option<u64> {
    let end = format!(":{port:04X}");
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let listens = fields.get(1)?.ends_with(&end) && fields.get(3) == Some(&LISTENING);
        if listens { fields.get(9)?.parse().ok() } else { None }
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_listener_of_this_process_is_found() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let found = listener_of(listener.local_addr().unwrap().port()).unwrap();
        assert!(found.ends_with(&format!("(process {})", std::process::id())), "{found}");
        let table = "  sl  local_address rem_address   st\n   0: 0100007F:7206 00000000:0000 0A 0:0 00:0 0 0 0 77 1\n";
        assert_eq!((socket_of(table, 0x7206), socket_of(table, 0x7207)), (Some(77), None));
    }
}
