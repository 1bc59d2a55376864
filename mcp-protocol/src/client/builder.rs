//! How a client is put together and connected, the same way over every transport.

use std::{future::Future, sync::Arc};

use super::{Client, ClientError, ClientHandler, Handlers, Session};
use crate::{
    model::{ClientCapabilities, Implementation},
    version::Version,
};

/// The way to a server: an address and what sends requests to it, or a connected stream.
///
/// Spec: 2026-07-28 basic/transports.
pub trait Transport: Send + Sized {
    /// The client that speaks over this transport.
    type Client: Client;

    /// Connects and agrees on a revision.
    ///
    /// # Errors
    /// When the server cannot be reached, or nothing can be agreed on.
    fn connect(
        self,
        options: ClientOptions,
    ) -> impl Future<Output = Result<Self::Client, ClientError>> + Send;

    /// This transport, or `older` where the server refuses this one with the status 400, 404 or 405, as servers do that
    /// know only the older one ("Backwards Compatibility" of the transports). When both refuse, the error is that of
    /// this transport.
    ///
    /// Spec: 2025-11-25 basic/transports.
    fn or<T: Transport>(self, older: T) -> Or<Self, T> {
        Or { newer: self, older }
    }
}

/// Two ways to one server, see [`Transport::or`].
///
/// Spec: 2025-11-25 basic/transports.
#[derive(Clone, Debug)]
pub struct Or<N, O> {
    newer: N,
    older: O,
}

impl<N: Transport, O: Transport> Transport for Or<N, O> {
    type Client = Arc<dyn Client>;

    async fn connect(self, options: ClientOptions) -> Result<Self::Client, ClientError> {
        match self.newer.connect(options.clone()).await {
            Ok(client) => Ok(Arc::new(client)),
            Err(refused @ ClientError::Status { status: 400 | 404 | 405, .. }) => {
                match self.older.connect(options).await {
                    Ok(client) => Ok(Arc::new(client)),
                    Err(_) => Err(refused),
                }
            }
            Err(e) => Err(e),
        }
    }
}

/// The options of a [`ClientBuilder`], as a [`Transport`] gets them.
///
/// Spec: none.
#[derive(Clone)]
#[non_exhaustive]
pub struct ClientOptions {
    /// A session in which nothing has been said.
    pub session: Session,
    /// The client's side of what the server asks and reports.
    pub handler: Arc<dyn ClientHandler>,
    /// The revision to offer in a handshake, without a probe for 2026-07-28.
    pub handshake: Option<Version>,
    /// The size of the longest message that is read, in bytes.
    pub max_message_size: usize,
}

/// Puts a client together and connects it.
///
/// ```
/// use mcp_protocol::{
///     client::{ClientBuilder, ClientError, ClientExt as _, Handlers, Transport},
///     model::{Implementation, Tool},
/// };
///
/// async fn tools(transport: impl Transport) -> Result<Vec<Tool>, ClientError> {
///     let client = ClientBuilder::new(Implementation::new("agent", "1.0"))
///         .handlers(Handlers::new().on_progress(|progress| drop(progress.message)))
///         .connect(transport)
///         .await?;
///     client.list_tools().await
/// }
/// ```
///
/// Spec: 2026-07-28 basic/versioning; 2025-11-25 basic/lifecycle.
#[must_use]
pub struct ClientBuilder {
    info: Implementation,
    capabilities: ClientCapabilities,
    handler: Arc<dyn ClientHandler>,
    handshake: Option<Version>,
    max_message_size: usize,
}

impl ClientBuilder {
    /// The size of the longest message that a client reads unless [`ClientBuilder::max_message_size`] sets another:
    /// 64 MiB.
    pub const MAX_MESSAGE_SIZE: usize = 64 << 20;

    /// A client of that name and version which refuses everything that its server asks.
    pub fn new(info: Implementation) -> Self {
        Self {
            info,
            capabilities: ClientCapabilities::default(),
            handler: Arc::new(()),
            handshake: None,
            max_message_size: Self::MAX_MESSAGE_SIZE,
        }
    }

    /// Sets what the client does for its server; its capabilities follow from it.
    pub fn handlers(self, handlers: Handlers) -> Self {
        let capabilities = handlers.capabilities();
        self.handler(capabilities, handlers)
    }

    /// Sets a handler of one's own, and the capabilities that it has.
    pub fn handler(mut self, capabilities: ClientCapabilities, handler: impl ClientHandler) -> Self {
        self.capabilities = capabilities;
        self.handler = Arc::new(handler);
        self
    }

    /// Skips the version probe and offers that revision in a handshake. `None` probes, as by default.
    pub fn handshake(mut self, version: impl Into<Option<Version>>) -> Self {
        self.handshake = version.into();
        self
    }

    /// Sets the size of the longest message that is read, in bytes. A call whose answer is longer fails with
    /// [`ClientError::TooLong`]. Default: [`ClientBuilder::MAX_MESSAGE_SIZE`].
    pub fn max_message_size(mut self, bytes: usize) -> Self {
        self.max_message_size = bytes;
        self
    }

    /// The options, for transports that are driven by hand.
    #[must_use]
    pub fn options(self) -> ClientOptions {
        ClientOptions {
            session: Session::new(self.info, self.capabilities),
            handler: self.handler,
            handshake: self.handshake,
            max_message_size: self.max_message_size,
        }
    }

    /// Connects over `transport` and agrees on a revision with the server.
    ///
    /// # Errors
    /// When the server cannot be reached, or nothing can be agreed on.
    pub async fn connect<T: Transport>(self, transport: T) -> Result<T::Client, ClientError> {
        transport.connect(self.options()).await
    }
}
