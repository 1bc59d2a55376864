//! Why a call has no result.

use std::fmt;

use crate::error::RpcError;

/// An error of the layers below.
///
/// Spec: none.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a call has no result.
///
/// Spec: JSON-RPC 2.0 section 5.1.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// The request could not be sent, or the response not be read.
    Transport(BoxError),
    /// The server answered with an error.
    Rpc(RpcError),
    /// The server refused with an HTTP status; the error in the body, if there was one.
    Status {
        /// The status.
        status: u16,
        /// The JSON-RPC error of the body.
        error: Option<RpcError>,
    },
    /// A message of the server is longer than the client reads, see
    /// [`ClientBuilder::max_message_size`](super::ClientBuilder::max_message_size).
    TooLong {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The server broke the protocol, or the connection broke for good.
    Protocol(String),
}

impl ClientError {
    /// The server's JSON-RPC error, if that is what it is.
    #[must_use]
    pub fn rpc(&self) -> Option<&RpcError> {
        match self {
            Self::Rpc(e) | Self::Status { error: Some(e), .. } => Some(e),
            _ => None,
        }
    }

    pub(crate) fn malformed(what: &str, e: &serde_json::Error) -> Self {
        Self::Protocol(format!("The server's {what} is malformed: {e}"))
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transport(e) => write!(f, "The server cannot be reached: {e}"),
            Self::Rpc(e) => write!(f, "The server answered: {e}"),
            Self::Status { status, error: Some(e) } => {
                write!(f, "The server refused with status {status}: {e}")
            }
            Self::Status { status, error: None } => write!(f, "The server refused with status {status}"),
            Self::TooLong { limit } => write!(f, "The server's answer is longer than {limit} bytes"),
            Self::Protocol(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for ClientError {}

impl From<RpcError> for ClientError {
    fn from(e: RpcError) -> Self {
        Self::Rpc(e)
    }
}
