//! The peers that are told when a list or a resource changes: peers with a handshake, and subscriptions of
//! 2026-07-28.

use std::sync::{Arc, MutexGuard, PoisonError, Weak};

use super::{
    Server,
    exchange::Exchange,
    peer::{Peer, WeakPeer},
    request::{Outgoing, Running},
    respond::{self, Caching},
};
use crate::{
    envelope::Params,
    error::RpcError,
    json::{Json, Object, write_str},
};

#[derive(Default)]
pub(super) struct Audience {
    peers: Vec<WeakPeer>,
    /// With that many peers those that are gone are taken out: twice as many as were left the last time.
    sweep_at: usize,
    listeners: Vec<(Weak<Running>, Filter)>,
}

/// The notifications that a subscription was granted.
#[derive(Clone, Default)]
struct Filter {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: Vec<String>,
    tasks: Vec<String>,
}

#[derive(Clone, Copy)]
enum Changed<'a> {
    Tools,
    Prompts,
    Resources,
    Resource(&'a str),
}

impl Changed<'_> {
    fn method(self) -> &'static str {
        match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
            Self::Resources => "notifications/resources/list_changed",
            Self::Resource(_) => "notifications/resources/updated",
        }
    }

    fn is_granted(self, filter: &Filter) -> bool {
        match self {
            Self::Tools => filter.tools,
            Self::Prompts => filter.prompts,
            Self::Resources => filter.resources,
            Self::Resource(uri) => filter.uris.iter().any(|u| u == uri),
        }
    }
}

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

fn tag(o: &mut Object<'_>, running: &Running) {
    o.object("_meta", |o| o.json(SUBSCRIPTION, &running.id));
}

impl Audience {
    pub(super) fn join(&mut self, peer: &Peer) {
        if self.peers.len() >= self.sweep_at {
            self.peers.retain(|p| p.upgrade().is_some());
            self.sweep_at = (2 * self.peers.len()).max(64);
        }
        self.peers.push(peer.weak());
    }

    fn listeners(&mut self) -> Vec<(Arc<Running>, Filter)> {
        self.listeners.retain(|(r, _)| r.upgrade().is_some_and(|r| !r.is_cancelled()));
        self.listeners.iter().filter_map(|(r, filter)| Some((r.upgrade()?, filter.clone()))).collect()
    }
}

impl Server {
    pub(super) fn audience(&self) -> MutexGuard<'_, Audience> {
        self.0.audience.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells clients that the set of tools changed.
    pub fn tools_changed(&self) {
        self.announce(Changed::Tools);
    }

    /// Tells clients that the set of prompts changed.
    pub fn prompts_changed(&self) {
        self.announce(Changed::Prompts);
    }

    /// Tells clients that the set of resources changed.
    pub fn resources_changed(&self) {
        self.announce(Changed::Resources);
    }

    /// Tells the clients that subscribed to it that a resource changed.
    pub fn resource_updated(&self, uri: &str) {
        self.announce(Changed::Resource(uri));
    }

    fn announce(&self, changed: Changed<'_>) {
        let (peers, listeners) = {
            let mut audience = self.audience();
            let peers: Vec<Peer> = audience.peers.iter().filter_map(WeakPeer::upgrade).collect();
            (peers, audience.listeners())
        };
        for peer in peers {
            match changed {
                Changed::Resource(uri) => peer.resource_updated(uri),
                list => peer.list_changed(list.method()),
            }
        }
        for (running, _) in listeners.iter().filter(|(_, filter)| changed.is_granted(filter)) {
            running.notify(changed.method(), |o| {
                if let Changed::Resource(uri) = changed {
                    o.str("uri", uri);
                }
                tag(o, running);
            });
        }
    }

    /// Tells the subscriptions to a task of the extension how it stands.
    pub(super) fn task_changed(&self, id: &str, write: impl Fn(&mut Object<'_>)) {
        let listeners = self.audience().listeners();
        for (running, _) in listeners.iter().filter(|(_, f)| f.tasks.iter().any(|t| t == id)) {
            running.notify("notifications/tasks", |o| {
                write(o);
                tag(o, running);
            });
        }
    }

    /// Ends every subscription: each gets its cancellation, then its result.
    pub fn end_subscriptions(&self) {
        let listeners = self.audience().listeners();
        for (running, _) in listeners {
            running.notify("notifications/cancelled", |o| {
                o.json("requestId", &running.id);
                tag(o, &running);
            });
            let meta = Json::object(|o| o.json(SUBSCRIPTION, &running.id));
            running.push(respond::result(&running, Caching::No, Some(&meta), |_| {}));
            running.close();
        }
    }

    pub(super) fn listen(&self, running: &Arc<Running>, p: &Params<'_>) -> Result<Exchange, RpcError> {
        #[derive(serde::Deserialize, Default)]
        #[serde(rename_all = "camelCase", default)]
        struct Wanted {
            tools_list_changed: bool,
            prompts_list_changed: bool,
            resources_list_changed: bool,
            resource_subscriptions: Vec<String>,
            task_ids: Vec<String>,
        }
        let raw =
            p.notifications.ok_or_else(|| RpcError::invalid_params("\"notifications\" must be an object"))?;
        let wanted: Wanted = serde_json::from_str(raw.get())
            .map_err(|_| RpcError::invalid_params("\"notifications\" must be an object of known kinds"))?;
        let parts = self.parts();
        let granted = Filter {
            tools: wanted.tools_list_changed && parts.has_tools,
            prompts: wanted.prompts_list_changed && !parts.prompts.is_empty(),
            resources: wanted.resources_list_changed && parts.has_resources,
            uris: if parts.has_resources { wanted.resource_subscriptions } else { Vec::new() },
            tasks: self.known_tasks(running, wanted.task_ids)?,
        };
        running.push(Outgoing::Notification(acknowledgement(running, &granted)));
        self.audience().listeners.push((Arc::downgrade(running), granted));
        Ok(Exchange::listening(Arc::clone(running)))
    }
}

fn acknowledgement(running: &Running, granted: &Filter) -> Vec<u8> {
    super::request::notification("notifications/subscriptions/acknowledged", |o| {
        o.object("notifications", |o| {
            for (key, yes) in [
                ("toolsListChanged", granted.tools),
                ("promptsListChanged", granted.prompts),
                ("resourcesListChanged", granted.resources),
            ] {
                if yes {
                    o.bool(key, true);
                }
            }
            if !granted.uris.is_empty() {
                o.array("resourceSubscriptions", &granted.uris, |uri, out| write_str(out, uri));
            }
            if !granted.tasks.is_empty() {
                o.array("taskIds", &granted.tasks, |id, out| write_str(out, id));
            }
        });
        tag(o, running);
    })
}
