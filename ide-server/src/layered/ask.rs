//! Asking providers within a bounded time.
//!
//! A question runs in a thread of its own, so that a provider that hangs costs its caller a wait and nothing else. A
//! provider that did not answer in time is in an outage: it is asked on, without a wait, until it answers again.

use std::collections::{BTreeMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ide_model::{Cx, Engine, FilePath, Language, Provider, QueryError, Snapshot, Standing, Stop, StopReason};

use super::changes::Changes;

/// How often a wait looks whether its call was stopped.
const LOOK: Duration = Duration::from_millis(20);

/// How many times as long as for a name a question about a whole file may take.
const WHOLE: u32 = 4;
/// Questions that a provider may leave unanswered at a time.
const MAX_OPEN: usize = 64;

/// Files outside of the project that are remembered as named by providers.
const MAX_SEEN: usize = 4096;

/// The providers of one project.
pub(crate) struct Providers {
    pub(super) list: Vec<Arc<dyn Provider>>,
    pub(super) root: PathBuf,
    patience: Duration,
    outages: Mutex<BTreeMap<(usize, Language), Outage>>,
    open: Vec<AtomicUsize>,
    changes: Changes,
    /// Files outside of the project that an answer of a provider named: they may be read.
    seen: Mutex<HashSet<FilePath>>,
}

/// A time in which a provider does not answer.
struct Outage {
    because: String,
    /// It said itself that it starts: it is not asked before it says that it is ready.
    is_start: bool,
    /// A question is with it whose answer would end the outage.
    is_probed: bool,
}

/// A question that was put.
pub(super) enum Inquiry<T> {
    /// There is nobody for the language.
    Nobody,
    /// Somebody is there and not asked now.
    Unwell(Silence),
    Open(Open<T>),
}

/// A question without an answer yet. Dropping it takes it back.
pub(super) struct Open<T> {
    providers: Arc<Providers>,
    number: usize,
    language: Language,
    news: Receiver<Result<T, QueryError>>,
    patience: Duration,
    until: Option<Instant>,
    stop: Stop,
    is_kept: bool,
}

/// Why somebody who should answer does not.
pub(super) struct Silence {
    pub(super) by: Arc<dyn Provider>,
    pub(super) because: String,
}

impl Silence {
    /// The remark of an answer for which the index is enough.
    pub(super) fn remark(&self) -> String {
        format!("the index alone answers, {} did not: {}", self.by.name(), self.because)
    }
}

/// An answer, or that there is none.
pub(super) enum Reply<T> {
    /// Nobody has one, which is not worth a remark.
    Nothing,
    Silent(Silence),
    Said {
        by: Arc<dyn Provider>,
        value: T,
    },
}

impl<T> Drop for Open<T> {
    fn drop(&mut self) {
        if !self.is_kept {
            self.stop.stop(StopReason::Cancelled);
        }
    }
}

impl Providers {
    pub(super) fn new(root: PathBuf, list: Vec<Arc<dyn Provider>>, patience: Duration) -> Self {
        let open = list.iter().map(|_| AtomicUsize::new(0)).collect();
        let (outages, changes, seen) = (Mutex::default(), Changes::default(), Mutex::default());
        Self { list, root, patience, outages, open, changes, seen }
    }

    fn outages(&self) -> MutexGuard<'_, BTreeMap<(usize, Language), Outage>> {
        self.outages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether anyone could ever be asked about a language.
    pub(super) fn knows(&self, language: Language) -> bool {
        self.list.iter().any(|provider| provider.standing(language, false) != Standing::Absent)
    }

    /// Remembers files that may be read because a provider named them.
    pub(super) fn saw(&self, file: &FilePath) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() < MAX_SEEN {
            seen.insert(file.clone());
        }
    }

    pub(super) fn has_seen(&self, file: &FilePath) -> bool {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).contains(file)
    }

    /// The first that is ready; else the first that starts; else why nobody is asked.
    fn choose(&self, language: Language) -> Result<(usize, bool), Option<Silence>> {
        let (mut starting, mut unwell) = (None, None);
        for (number, provider) in self.list.iter().enumerate() {
            match provider.standing(language, true) {
                Standing::Ready => return Ok((number, false)),
                Standing::Starting => starting = starting.or(Some(number)),
                Standing::Failed { because } => {
                    unwell.get_or_insert_with(|| self.silence(number, because));
                }
                Standing::Absent => {}
            }
        }
        starting.map(|number| (number, true)).ok_or(unwell)
    }

    fn silence(&self, number: usize, because: impl Into<String>) -> Silence {
        Silence { by: self.list[number].clone(), because: because.into() }
    }

    /// Puts a question about code of a language; the answer is waited for by [`Inquiry::heard`].
    pub(super) fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        snapshot: &Arc<dyn Snapshot>,
        language: Language,
        question: impl FnOnce(&dyn Provider, Cx<'_>, &dyn Snapshot) -> Result<T, QueryError> + Send + 'static,
    ) -> Inquiry<T> {
        match self.choose(language) {
            Ok((number, is_starting)) => {
                self.put((number, is_starting), snapshot, language, self.patience, question)
            }
            Err(None) => Inquiry::Nobody,
            Err(Some(silence)) => Inquiry::Unwell(silence),
        }
    }

    /// Puts a question to everybody who reads a language, about a whole file, for which there is more time.
    pub(super) fn ask_each<T: Send + 'static>(
        self: &Arc<Self>,
        snapshot: &Arc<dyn Snapshot>,
        language: Language,
        question: impl Fn(&dyn Provider, Cx<'_>, &dyn Snapshot) -> Result<T, QueryError> + Clone + Send + 'static,
    ) -> Vec<Inquiry<T>> {
        (0..self.list.len())
            .map(|number| self.ask_whole(number, snapshot, language, question.clone()))
            .collect()
    }

    /// Puts a question about a whole file to one of the list.
    pub(super) fn ask_whole<T: Send + 'static>(
        self: &Arc<Self>,
        number: usize,
        snapshot: &Arc<dyn Snapshot>,
        language: Language,
        question: impl FnOnce(&dyn Provider, Cx<'_>, &dyn Snapshot) -> Result<T, QueryError> + Send + 'static,
    ) -> Inquiry<T> {
        let is_starting = match self.list[number].standing(language, true) {
            Standing::Ready => false,
            Standing::Starting => true,
            Standing::Failed { because } => return Inquiry::Unwell(self.silence(number, because)),
            Standing::Absent => return Inquiry::Nobody,
        };
        self.put((number, is_starting), snapshot, language, self.patience * WHOLE, question)
    }

    fn put<T: Send + 'static>(
        self: &Arc<Self>,
        (number, is_starting): (usize, bool),
        snapshot: &Arc<dyn Snapshot>,
        language: Language,
        patience: Duration,
        question: impl FnOnce(&dyn Provider, Cx<'_>, &dyn Snapshot) -> Result<T, QueryError> + Send + 'static,
    ) -> Inquiry<T> {
        let provider = self.list[number].clone();
        let key = (number, language);
        let mut until = Some(Instant::now() + patience);
        {
            let mut outages = self.outages();
            if outages.get(&key).is_some_and(|outage| outage.is_start && !is_starting) {
                outages.remove(&key);
            }
            if let Some(outage) = outages.get_mut(&key) {
                if is_starting || outage.is_probed {
                    return Inquiry::Unwell(self.silence(number, &*outage.because));
                }
                outage.is_probed = true;
                until = None;
            }
        }
        if self.open[number].fetch_add(1, Ordering::Relaxed) >= MAX_OPEN {
            self.open[number].fetch_sub(1, Ordering::Relaxed);
            return Inquiry::Unwell(self.silence(number, "it has too many unanswered questions"));
        }
        let (sender, news) = channel();
        let stop = Stop::new();
        let run = {
            let (this, snapshot, stop) = (self.clone(), snapshot.clone(), stop.clone());
            move || {
                let asked = catch_unwind(AssertUnwindSafe(|| {
                    this.changes.tell(&this.root, &*snapshot, &this.list);
                    question(&*provider, Cx::new(&stop), &*snapshot)
                }));
                let answer =
                    asked.unwrap_or_else(|_| Err(QueryError::Failed { message: "it broke off".to_owned() }));
                let answers_again = !matches!(
                    answer,
                    Err(QueryError::NotReady { .. }
                        | QueryError::DeadlineExceeded
                        | QueryError::Cancelled
                        | QueryError::Failed { .. })
                );
                // The caller may have given up: nobody is told then.
                drop(sender.send(answer));
                this.open[number].fetch_sub(1, Ordering::Relaxed);
                let mut outages = this.outages();
                if answers_again {
                    outages.remove(&key);
                } else if let Some(outage) = outages.get_mut(&key) {
                    outage.is_probed = false;
                }
            }
        };
        if let Err(error) = std::thread::Builder::new().name("provider".to_owned()).spawn(run) {
            self.open[number].fetch_sub(1, Ordering::Relaxed);
            return Inquiry::Unwell(self.silence(number, format!("there is no thread for it: {error}")));
        }
        Inquiry::Open(Open {
            providers: self.clone(),
            number,
            language,
            news,
            patience,
            until,
            stop,
            is_kept: false,
        })
    }
}

impl<T> Inquiry<T> {
    /// Waits for the answer, at most as long as it may take.
    ///
    /// # Errors
    /// When the call itself is stopped.
    pub(super) fn heard(self, cx: Cx<'_>) -> Result<Reply<T>, QueryError> {
        match self {
            Self::Nobody => Ok(Reply::Nothing),
            Self::Unwell(silence) => Ok(Reply::Silent(silence)),
            Self::Open(open) => open.heard(cx),
        }
    }
}

impl<T> Open<T> {
    fn heard(mut self, cx: Cx<'_>) -> Result<Reply<T>, QueryError> {
        let provider = self.providers.list[self.number].clone();
        loop {
            let left =
                self.until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()));
            match self.news.recv_timeout(left.min(LOOK)) {
                Ok(answer) => return Ok(self.told(&provider, answer)),
                Err(RecvTimeoutError::Disconnected) => {
                    return Ok(Reply::Silent(self.providers.silence(self.number, "it broke off")));
                }
                Err(RecvTimeoutError::Timeout) => cx.check()?,
            }
            if left <= LOOK {
                break;
            }
        }
        let providers = self.providers.clone();
        let mut outages = providers.outages();
        if let Ok(answer) = self.news.try_recv() {
            drop(outages);
            return Ok(self.told(&provider, answer));
        }
        let because = format!("no answer within {} s", self.patience.as_secs_f32());
        let outage = outages.entry((self.number, self.language)).or_insert_with(|| Outage {
            because,
            is_start: false,
            is_probed: true,
        });
        outage.is_probed = true;
        // It goes on: its answer ends the outage.
        self.is_kept = true;
        Ok(Reply::Silent(providers.silence(self.number, &*outage.because)))
    }

    fn told(&self, provider: &Arc<dyn Provider>, answer: Result<T, QueryError>) -> Reply<T> {
        let because = match answer {
            Ok(value) => return Reply::Said { by: provider.clone(), value },
            Err(QueryError::Failed { message }) => message,
            Err(QueryError::NotReady { .. }) => {
                let because = match provider.engine() {
                    Engine::Ide => "it builds its index".to_owned(),
                    _ => "it is starting".to_owned(),
                };
                let outage = Outage { because: because.clone(), is_start: true, is_probed: false };
                self.providers.outages().insert((self.number, self.language), outage);
                because
            }
            Err(QueryError::DeadlineExceeded | QueryError::Cancelled) => "it gave up".to_owned(),
            // It has nothing to say to this.
            Err(_) => return Reply::Nothing,
        };
        Reply::Silent(Silence { by: provider.clone(), because })
    }
}

/// The words for those who answered.
pub(super) fn together(by: &dyn Provider, with_index: bool) -> String {
    let also = if with_index { " and the index" } else { " alone" };
    format!("by {}{also}", by.name())
}
