//! Ending a program with everything that it started.
//!
//! On Unix a program leads a process group of its own, which is killed as one. A child may leave the group (`setsid`), so
//! on Linux every program carries a mark in its environment, which its descendants inherit: processes with the mark are
//! killed too. Our own end cannot be hooked when it is a kill, so a shell waits for the end of a pipe that only we hold
//! open, and does the same then. On Windows `taskkill` ends the tree.

#[cfg(unix)]
pub(crate) use unix::Group;
#[cfg(windows)]
pub(crate) use windows::Group;

/// The environment variable that carries the mark.
pub(crate) const MARK: &str = "IDE_TOOLCHAIN_RUN";

/// A mark that no other run has.
pub(crate) fn new_mark() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::{SystemTime, UNIX_EPOCH};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    format!("{}-{now:x}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Bytes that a process and its descendants hold.
#[cfg(target_os = "linux")]
pub(crate) fn memory_below(root: u32) -> Option<u64> {
    // Of each process its number, its parent and its bytes.
    let mut processes: Vec<(u32, u32, u64)> = Vec::new();
    for process in std::fs::read_dir("/proc").ok()?.flatten() {
        let Some(pid) = process.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(status) = std::fs::read_to_string(process.path().join("status")) else { continue };
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        // A process that has ended and is not waited for has no memory.
        if let Some(parent) = number("PPid:").and_then(|parent| u32::try_from(parent).ok()) {
            processes.push((pid, parent, number("VmRSS:").unwrap_or(0) << 10));
        }
    }
    let mut open = vec![root];
    let mut total = None;
    while let Some(at) = open.pop() {
        for (pid, parent, bytes) in &processes {
            if *pid == at {
                *total.get_or_insert(0) += bytes;
            }
            if *parent == at {
                open.push(*pid);
            }
        }
    }
    total
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn memory_below(_root: u32) -> Option<u64> {
    None
}

#[cfg(unix)]
mod unix {
    use std::io::{self, Write as _};
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, ChildStdin, Command, Stdio};

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    use super::MARK;

    /// Reads the group, then waits for the end of its input. A line before that says that everything is over. One `grep` looks
    /// at all processes: one for each takes seconds on a busy machine.
    const WATCH: &str = r#"read -r group; read -r over && exit 0
[ -n "$group" ] && kill -s KILL -- "-$group" 2>/dev/null
for round in 1 2 3; do
    for env in $(grep -ls -e "$1" /proc/[0-9]*/environ); do
        pid=${env#/proc/}; kill -s KILL "${pid%/environ}" 2>/dev/null
    done
done"#;

    /// A program and its descendants.
    #[derive(Debug)]
    pub(crate) struct Group {
        mark: String,
        leader: Pid,
        watch: Watch,
    }

    /// The shell that outlives us.
    #[derive(Debug)]
    struct Watch {
        shell: Child,
        /// Closed by the system when we are killed.
        alive: ChildStdin,
    }

    impl Watch {
        fn start(mark: &str) -> io::Result<Self> {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", WATCH, "sh", &format!("{MARK}={mark}")]).process_group(0).current_dir("/");
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut shell = command.spawn()?;
            let alive = shell.stdin.take().expect("it was asked for");
            Ok(Self { shell, alive })
        }

        fn over(&mut self) {
            // A shell that somebody killed has nothing to be told.
            drop(self.alive.write_all(b"over\n"));
            drop(self.shell.wait());
        }
    }

    impl Group {
        /// Starts a program as the leader of a group.
        ///
        /// # Errors
        /// When it, or the shell that watches over it, cannot be started.
        pub(crate) fn start(command: &mut Command, mark: &str) -> io::Result<(Child, Self)> {
            let mut watch = Watch::start(mark)?;
            let child = match command.env(MARK, mark).process_group(0).spawn() {
                Ok(child) => child,
                Err(error) => {
                    drop(watch.alive.write_all(b"\n"));
                    watch.over();
                    return Err(error);
                }
            };
            let leader = Pid::from_child(&child);
            drop(writeln!(watch.alive, "{}", leader.as_raw_nonzero()));
            Ok((child, Self { mark: mark.to_owned(), leader, watch }))
        }

        /// Whether the program itself has ended. It stays in the process table, so that its number is given to no other.
        pub(crate) fn has_ended(&self, _child: &mut Child) -> io::Result<bool> {
            let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            Ok(waitid(WaitId::Pid(self.leader), look)?.is_some())
        }

        /// Kills what is left of it. The leader must not have been waited for.
        pub(crate) fn kill(&mut self, _child: &mut Child) {
            // A group without members is what is wanted.
            let _ = kill_process_group(self.leader, Signal::KILL);
            kill_marked(&self.mark);
            self.watch.over();
        }
    }

    /// Kills the processes that carry the mark and left the group. Each look may miss what was started during it.
    #[cfg(target_os = "linux")]
    fn kill_marked(mark: &str) {
        const LOOKS: usize = 8;
        for _ in 0..LOOKS {
            if !kill_marked_once(&format!("{MARK}={mark}")) {
                return;
            }
        }
    }

    #[cfg(target_os = "linux")]
    fn kill_marked_once(entry: &str) -> bool {
        use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
        let Ok(processes) = std::fs::read_dir("/proc") else { return false };
        let mut found = false;
        for process in processes.flatten() {
            let name = process.file_name();
            let Some(pid) = name.to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw) else {
                continue;
            };
            // The handle is taken before the look, so that the signal reaches the process that was looked at.
            let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { continue };
            let Ok(environment) = std::fs::read(process.path().join("environ")) else { continue };
            if environment.split(|byte| *byte == 0).any(|one| one == entry.as_bytes()) {
                found |= pidfd_send_signal(&handle, Signal::KILL).is_ok();
            }
        }
        found
    }

    #[cfg(not(target_os = "linux"))]
    fn kill_marked(_mark: &str) {}
}

#[cfg(windows)]
mod windows {
    use std::io;
    use std::process::{Child, Command, Stdio};

    use super::MARK;

    /// A program and its descendants.
    #[derive(Debug)]
    pub(crate) struct Group;

    impl Group {
        pub(crate) fn start(command: &mut Command, mark: &str) -> io::Result<(Child, Self)> {
            Ok((command.env(MARK, mark).spawn()?, Self))
        }

        pub(crate) fn has_ended(&self, child: &mut Child) -> io::Result<bool> {
            Ok(child.try_wait()?.is_some())
        }

        pub(crate) fn kill(&mut self, child: &mut Child) {
            let id = child.id().to_string();
            let mut command = Command::new("taskkill");
            command.args(["/F", "/T", "/PID", &id]).stdin(Stdio::null()).stdout(Stdio::null());
            drop(command.stderr(Stdio::null()).status());
            drop(child.kill());
        }
    }
}
