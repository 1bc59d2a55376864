//! The socket on which Codex looks for an editor. We bind it when it is free, else we join whoever has.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ide_companion::{Frames, Router, RouterReply, codex_answer, codex_introduction};
use serde_json::Value;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::app_state::AppState;

/// How long until we look again, when the socket was taken and whoever had it is gone.
const AGAIN: Duration = Duration::from_secs(5);
/// Most peers at once.
const MOST_PEERS: usize = 64;
/// Messages that may wait for a peer; one that does not read is let go.
const MOST_WAITING: usize = 64;
/// Bytes that are read at once.
const CHUNK: usize = 16 << 10;

/// Keeps the socket served, by us or by whoever has it, until it is dropped.
pub(super) async fn keep(app: Arc<AppState>, temporary: PathBuf) {
    loop {
        match open(&temporary).await {
            Ok(CodexSocket::Ours(listener, socket)) => {
                let _socket = socket;
                route(&app, listener).await;
            }
            Ok(CodexSocket::Theirs(stream)) => join(&app, stream).await,
            // a folder that others can write to, or a machine without such sockets: nothing to be had here
            Err(_) => {}
        }
        tokio::time::sleep(AGAIN).await;
    }
}

enum CodexSocket {
    Ours(UnixListener, OwnSocket),
    Theirs(UnixStream),
}

/// A socket that we bound; its file goes with it.
struct OwnSocket(PathBuf);

impl Drop for OwnSocket {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.0));
    }
}

/// The user id of this process.
fn own_uid() -> io::Result<u32> {
    let ours = tempfile::tempfile()?;
    Ok(ours.metadata()?.uid())
}

async fn open(temporary: &Path) -> io::Result<CodexSocket> {
    let uid = own_uid()?;
    let folder = temporary.join("codex-ipc");
    let made = std::fs::DirBuilder::new().mode(0o700).create(&folder);
    if made.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::AlreadyExists) {
        made?;
    }
    let about = std::fs::symlink_metadata(&folder)?;
    if !about.is_dir() || about.uid() != uid || about.mode() & 0o022 != 0 {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "others can write to the folder of the socket",
        ));
    }
    let path = folder.join(format!("ipc-{uid}.sock"));
    match std::fs::symlink_metadata(&path) {
        Err(_) => {}
        Ok(about) if !about.file_type().is_socket() || about.uid() != uid => {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the socket is not ours"));
        }
        Ok(_) => match UnixStream::connect(&path).await {
            Ok(stream) => {
                same_user(&stream, uid)?;
                return Ok(CodexSocket::Theirs(stream));
            }
            // nobody listens any more
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => std::fs::remove_file(&path)?,
            Err(error) => return Err(error),
        },
    }
    let listener = UnixListener::bind(&path)?;
    Ok(CodexSocket::Ours(listener, OwnSocket(path)))
}

fn same_user(stream: &UnixStream, uid: u32) -> io::Result<()> {
    if stream.peer_cred()?.uid() == uid { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}

/// The peers of a socket of ours.
struct SocketPeers {
    app: Arc<AppState>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    router: Router,
    last: u64,
    peers: BTreeMap<u64, Sender<Value>>,
}

impl SocketPeers {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(state: &mut State, replies: Vec<RouterReply>) {
        for RouterReply { peer, message } in replies {
            let is_slow = state.peers.get(&peer).is_some_and(|peer| peer.try_send(message).is_err());
            if is_slow {
                // without a sender its task ends
                state.peers.remove(&peer);
            }
        }
    }

    async fn serve(self: Arc<Self>, stream: UnixStream) {
        let (sender, receiver) = channel(MOST_WAITING);
        let peer = {
            let mut state = self.state();
            if state.peers.len() >= MOST_PEERS {
                return;
            }
            state.last += 1;
            let peer = state.last;
            state.peers.insert(peer, sender);
            state.router.connected(peer);
            peer
        };
        let hub = self.clone();
        talk(&stream, receiver, move |message| {
            let mut state = hub.state();
            let replies = state.router.receive(peer, &message, &*hub.app.surface());
            Self::send(&mut state, replies);
        })
        .await;
        let mut state = self.state();
        state.peers.remove(&peer);
        let replies = state.router.gone(peer);
        Self::send(&mut state, replies);
    }
}

async fn route(app: &Arc<AppState>, listener: UnixListener) {
    let Ok(uid) = own_uid() else { return };
    let hub = Arc::new(SocketPeers { app: app.clone(), state: Mutex::default() });
    let mut serving = tokio::task::JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = serving.join_next() => continue,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        if same_user(&stream, uid).is_ok() {
            serving.spawn(hub.clone().serve(stream));
        }
    }
}

/// Answers as a peer of whoever has the socket.
async fn join(app: &Arc<AppState>, stream: UnixStream) {
    let (sender, receiver) = channel(MOST_WAITING);
    if sender.try_send(codex_introduction()).is_err() {
        return;
    }
    let app = app.clone();
    talk(&stream, receiver, move |message| {
        if let Some(answer) = codex_answer(&message, &*app.surface()) {
            // a router that does not read is not worth waiting for
            drop(sender.try_send(answer));
        }
    })
    .await;
}

/// Reads messages and sends those that come, until either side ends or breaks the rules.
async fn talk(stream: &UnixStream, mut outgoing: Receiver<Value>, mut take: impl FnMut(Value)) {
    let mut frames = Frames::default();
    let mut chunk = vec![0; CHUNK];
    loop {
        tokio::select! {
            ready = stream.readable() => {
                if ready.is_err() {
                    return;
                }
                match stream.try_read(&mut chunk) {
                    Ok(0) => return,
                    Ok(n) => frames.push(&chunk[..n]),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                    Err(_) => return,
                }
                loop {
                    match frames.take() {
                        Ok(Some(message)) => take(message),
                        Ok(None) => break,
                        Err(_) => return,
                    }
                }
            }
            message = outgoing.recv() => {
                let Some(message) = message else { return };
                if write(stream, &Frames::of(&message)).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn write(stream: &UnixStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.writable().await?;
        match stream.try_write(bytes) {
            Ok(n) => bytes = &bytes[n..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
