//! Jobs: long operations with an id, which outlive the call that began them.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ide_model::{
    BuildReport, Cx, JobKind, JobOrder, JobOutcome, JobState, QueryError, Stop, StopReason, TestReport,
};

/// Most jobs of one project that run or wait for their turn.
const MAX_RUNNING: usize = 4;
/// Most jobs that ended and can still be asked for, and for how long.
const MAX_ENDED: usize = 32;
const KEPT: Duration = Duration::from_mins(30);
/// How often a wait looks whether its call was taken back.
const LOOK: Duration = Duration::from_millis(50);
/// How often is told what a job does when that does not change.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Why a job cannot be begun or asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobError {
    /// So many run already.
    Busy(usize),
    /// No job of this kind has the id, or it ended too long ago.
    NotFound,
    Stopped(QueryError),
    /// The system has no thread for it.
    NoThread(String),
}

/// The jobs of one project. Dropping it ends all of them.
#[derive(Default)]
pub struct JobBoard {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    table: Mutex<Table>,
    changed: Condvar,
}

#[derive(Default)]
struct Table {
    jobs: Vec<Job>,
    begun: u64,
    last_build: Option<Arc<BuildReport>>,
    last_tests: Option<Arc<TestReport>>,
}

struct Job {
    id: String,
    order: JobOrder,
    begun: Instant,
    timeout_seconds: Option<u64>,
    doing: String,
    stop: Arc<Stop>,
    /// The outcome and when it was there.
    ended: Option<(Instant, JobOutcome)>,
}

/// The job as its own work sees it.
pub struct Work {
    shared: Arc<Shared>,
    id: String,
    stop: Arc<Stop>,
    deadline: Option<Instant>,
}

impl Work {
    /// Is flipped when the job is taken back.
    pub fn cx(&self) -> Cx<'_> {
        Cx::new(&self.stop)
    }

    /// Says what the job does.
    pub fn say(&self, doing: &str) {
        say(&self.shared, &self.id, doing);
    }

    /// Says what the job does, from any thread and for as long as it likes.
    pub fn speaker(&self) -> impl Fn(&str) + Send + Sync + 'static {
        let (shared, id) = (self.shared.clone(), self.id.clone());
        move |doing| say(&shared, &id, doing)
    }

    /// The time that is left of its limit, at most `most`.
    pub fn time_left(&self, most: Duration) -> Duration {
        self.deadline.map_or(most, |deadline| deadline.saturating_duration_since(Instant::now()).min(most))
    }
}

fn say(shared: &Shared, id: &str, doing: &str) {
    if let Some(job) = shared.lock().jobs.iter_mut().find(|job| job.id == id) {
        doing.clone_into(&mut job.doing);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Builds and test runs write to the same folders: one after the other.
    fn await_turn(&self, id: &str) {
        let mut table = self.lock();
        loop {
            let Some(place) = table.jobs.iter().position(|job| job.id == id) else { return };
            let is_check = table.jobs[place].order.kind() == JobKind::Check;
            let before = &table.jobs[..place];
            let other = before.iter().find(|job| job.ended.is_none() && job.order.kind() != JobKind::Check);
            let Some(other) = other.filter(|_| !is_check) else { return };
            let doing = format!("waits for {}", other.id);
            if table.jobs[place].stop.reason().is_some() {
                return;
            }
            table.jobs[place].doing = doing;
            table = self.changed.wait_timeout(table, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn end(&self, id: &str, outcome: JobOutcome) {
        let mut table = self.lock();
        match &outcome {
            JobOutcome::Build(report) => table.last_build = Some(report.clone()),
            JobOutcome::Tests(report) => table.last_tests = Some(report.clone()),
            JobOutcome::Check(_) | JobOutcome::Failed { .. } => {}
        }
        if let Some(job) = table.jobs.iter_mut().find(|job| job.id == id) {
            job.ended = Some((Instant::now(), outcome));
        }
        table.forget();
        drop(table);
        self.changed.notify_all();
    }
}

impl Table {
    /// Lets jobs go that ended long ago, or before many others.
    fn forget(&mut self) {
        self.jobs.retain(|job| job.ended.as_ref().is_none_or(|(at, _)| at.elapsed() < KEPT));
        while self.jobs.iter().filter(|job| job.ended.is_some()).count() > MAX_ENDED {
            let oldest =
                self.jobs.iter().enumerate().filter_map(|(at, job)| Some((job.ended.as_ref()?.0, at)));
            let Some((_, oldest)) = oldest.min() else { return };
            self.jobs.remove(oldest);
        }
    }

    fn find(&self, kind: JobKind, id: &str) -> Result<&Job, JobError> {
        let found = self.jobs.iter().find(|job| job.id == id && job.order.kind() == kind);
        found.ok_or(JobError::NotFound)
    }
}

impl Job {
    fn state(&self) -> JobState {
        let end = self.ended.as_ref().map_or_else(Instant::now, |(at, _)| *at);
        JobState {
            id: self.id.clone(),
            kind: self.order.kind(),
            elapsed_ms: millis(end.duration_since(self.begun)),
            timeout_seconds: self.timeout_seconds,
            doing: self.doing.clone(),
            outcome: self.ended.as_ref().map(|(_, outcome)| outcome.clone()),
        }
    }
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Whether two orders ask for the same work; how long it may take is no part of it.
fn same(a: &JobOrder, b: &JobOrder) -> bool {
    match (a, b) {
        (JobOrder::Build(a), JobOrder::Build(b)) => {
            (&a.module, a.rebuild, &a.system) == (&b.module, b.rebuild, &b.system)
        }
        (JobOrder::Tests(a), JobOrder::Tests(b)) => a.picked == b.picked,
        (JobOrder::Check(a), JobOrder::Check(b)) => a == b,
        _ => false,
    }
}

impl JobBoard {
    /// Begins a job in a thread of its own, or gives the state of the running one that does the same. `work` runs when it is the
    /// job's turn.
    ///
    /// # Errors
    /// [`JobError::Busy`], [`JobError::NoThread`].
    pub fn start(
        &self,
        order: JobOrder,
        timeout: Option<Duration>,
        work: impl FnOnce(&Work) -> JobOutcome + Send + 'static,
    ) -> Result<JobState, JobError> {
        let mut table = self.shared.lock();
        let running = |job: &&Job| job.ended.is_none();
        if let Some(known) = table.jobs.iter().filter(running).find(|job| same(&job.order, &order)) {
            return Ok(known.state());
        }
        let count = table.jobs.iter().filter(running).count();
        if count >= MAX_RUNNING {
            return Err(JobError::Busy(count));
        }
        table.begun += 1;
        let word = match order.kind() {
            JobKind::Build => "build",
            JobKind::Tests => "tests",
            JobKind::Check => "check",
        };
        let job = Job {
            id: format!("{word}-{}", table.begun),
            order,
            begun: Instant::now(),
            timeout_seconds: timeout.map(|timeout| timeout.as_secs()),
            doing: "starts".to_owned(),
            stop: Arc::default(),
            ended: None,
        };
        let given = Work {
            shared: self.shared.clone(),
            id: job.id.clone(),
            stop: job.stop.clone(),
            deadline: timeout.map(|timeout| job.begun + timeout),
        };
        std::thread::Builder::new()
            .name(job.id.clone())
            .spawn(move || {
                given.shared.await_turn(&given.id);
                let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&given)));
                let outcome = done.unwrap_or_else(|_| JobOutcome::Failed {
                    error: "internal",
                    message: "the job failed; the server's log says more".to_owned(),
                    hint: None,
                });
                given.shared.end(&given.id, outcome);
            })
            .map_err(|error| JobError::NoThread(error.to_string()))?;
        let state = job.state();
        table.jobs.push(job);
        Ok(state)
    }

    /// The job when it has ended, else after `wait`, or when the call is late.
    ///
    /// # Errors
    /// [`JobError::NotFound`]; [`JobError::Stopped`] when the call was taken back.
    pub fn wait(
        &self,
        cx: Cx<'_>,
        kind: JobKind,
        id: &str,
        wait: Duration,
        progress: &dyn Fn(&str),
    ) -> Result<JobState, JobError> {
        let begun = Instant::now();
        let mut told: Option<(Instant, String)> = None;
        let mut table = self.shared.lock();
        loop {
            let job = table.find(kind, id)?;
            let is_late = match cx.check() {
                Err(QueryError::DeadlineExceeded) => true,
                Err(error) => return Err(JobError::Stopped(error)),
                Ok(()) => begun.elapsed() >= wait,
            };
            if job.ended.is_some() || is_late {
                return Ok(job.state());
            }
            let is_news = |(at, doing): &(Instant, String)| at.elapsed() >= HEARTBEAT || *doing != job.doing;
            if told.as_ref().is_none_or(is_news) {
                let doing = job.doing.clone();
                let seconds = job.begun.elapsed().as_secs();
                drop(table);
                progress(&format!("{seconds} s: {doing}"));
                told = Some((Instant::now(), doing));
                table = self.shared.lock();
                continue;
            }
            let left = wait.saturating_sub(begun.elapsed()).min(LOOK);
            table = self.shared.changed.wait_timeout(table, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends a job and the programs that it started. One that has ended stays as it is.
    ///
    /// # Errors
    /// [`JobError::NotFound`].
    pub fn cancel(&self, kind: JobKind, id: &str) -> Result<(), JobError> {
        let table = self.shared.lock();
        table.find(kind, id)?.stop.stop(StopReason::Cancelled);
        drop(table);
        self.shared.changed.notify_all();
        Ok(())
    }

    /// The last build that ended.
    pub fn last_build(&self) -> Option<Arc<BuildReport>> {
        self.shared.lock().last_build.clone()
    }

    /// The last run of tests that ended.
    pub fn last_tests(&self) -> Option<Arc<TestReport>> {
        self.shared.lock().last_tests.clone()
    }
}

impl Drop for JobBoard {
    fn drop(&mut self) {
        let table = self.shared.lock();
        table.jobs.iter().for_each(|job| job.stop.stop(StopReason::Cancelled));
        drop(table);
        self.shared.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use ide_model::{BuildOrder, CheckOrder};

    use super::*;

    fn order(system: &str) -> JobOrder {
        JobOrder::Build(BuildOrder { system: Some(system.to_owned()), ..BuildOrder::default() })
    }

    fn built() -> JobOutcome {
        JobOutcome::Build(Arc::new(BuildReport { success: true, ..BuildReport::default() }))
    }

    /// A job that runs until the sender is dropped.
    fn begin(board: &JobBoard, order: JobOrder) -> (JobState, Sender<()>) {
        let (sender, gate): (_, Receiver<()>) = channel();
        let state = board.start(order, None, move |work| {
            work.say("compiles");
            assert!(gate.recv().is_err());
            built()
        });
        (state.unwrap(), sender)
    }

    const LONG: Duration = Duration::from_secs(60);

    fn wait(board: &JobBoard, id: &str, wait: Duration) -> Result<JobState, JobError> {
        board.wait(Cx::new(&Stop::new()), JobKind::Build, id, wait, &|_| {})
    }

    #[test]
    fn the_same_order_finds_the_running_job_and_an_end_stays_to_be_asked_for() {
        let board = JobBoard::default();
        let (first, gate) = begin(&board, order("make"));
        let again = board.start(order("make"), Some(LONG), |_| panic!("it runs already")).unwrap();
        assert_eq!((&*again.id, again.outcome), (&*first.id, None));
        assert_eq!(wait(&board, &first.id, Duration::ZERO).unwrap().outcome, None);
        drop(gate);
        assert_eq!(wait(&board, &first.id, LONG).unwrap().outcome, Some(built()));
        assert_eq!(wait(&board, &first.id, LONG).unwrap().outcome, Some(built()), "also a second time");
        assert!(board.last_build().unwrap().success && board.last_tests().is_none());
        let (next, _) = begin(&board, order("make"));
        assert_ne!(next.id, first.id, "what has ended is begun anew");
        assert_eq!(wait(&board, "build-99", LONG).unwrap_err(), JobError::NotFound);
    }

    #[test]
    fn a_call_that_is_late_or_taken_back_leaves_the_job_alone() {
        let board = JobBoard::default();
        let (job, gate) = begin(&board, order("make"));
        for (reason, is_error) in [(StopReason::Late, false), (StopReason::Cancelled, true)] {
            let stop = Stop::new();
            stop.stop(reason);
            let state = board.wait(Cx::new(&stop), JobKind::Build, &job.id, LONG, &|_| {});
            assert_eq!(state.is_err(), is_error);
        }
        drop(gate);
        assert!(wait(&board, &job.id, LONG).unwrap().outcome.is_some());
    }

    #[test]
    fn builds_take_turns_and_are_not_many() {
        let board = JobBoard::default();
        let (first, gate) = begin(&board, order("a"));
        let gates: Vec<_> = ["b", "c"].iter().map(|name| begin(&board, order(name))).collect();
        let check = JobOrder::Check(CheckOrder::default());
        let state = board.start(check, None, |_| JobOutcome::Check(Arc::default())).unwrap();
        let stop = Stop::new();
        let ended = board.wait(Cx::new(&stop), JobKind::Check, &state.id, LONG, &|_| {}).unwrap();
        assert!(ended.outcome.is_some(), "a check does not wait for builds");
        let (_, _gate) = begin(&board, order("d"));
        assert_eq!(board.start(order("e"), None, |_| built()).unwrap_err(), JobError::Busy(MAX_RUNNING));
        assert_eq!(wait(&board, &gates[0].0.id, Duration::ZERO).unwrap().outcome, None);
        drop(gate);
        assert!(wait(&board, &first.id, LONG).unwrap().outcome.is_some());
        for (job, gate) in gates {
            drop(gate);
            assert!(wait(&board, &job.id, LONG).unwrap().outcome.is_some());
        }
    }

    #[test]
    fn a_job_ends_when_it_is_taken_back_and_with_its_board() {
        let until_stopped = |sender: Sender<()>| {
            move |work: &Work| {
                while work.cx().check().is_ok() {
                    std::thread::yield_now();
                }
                drop(sender);
                built()
            }
        };
        let board = JobBoard::default();
        let (sender, over) = channel();
        let job = board.start(order("a"), None, until_stopped(sender)).unwrap();
        board.cancel(JobKind::Build, &job.id).unwrap();
        assert!(wait(&board, &job.id, LONG).unwrap().outcome.is_some());
        assert!(over.recv().is_err());
        let (sender, over) = channel();
        board.start(order("b"), None, until_stopped(sender)).unwrap();
        drop(board);
        assert!(over.recv().is_err(), "it ended");
    }

    #[test]
    fn a_job_that_panics_has_failed() {
        let board = JobBoard::default();
        let job = board.start(order("a"), None, |_| panic!("a mistake")).unwrap();
        let outcome = wait(&board, &job.id, LONG).unwrap().outcome;
        assert!(matches!(outcome, Some(JobOutcome::Failed { error: "internal", .. })), "{outcome:?}");
    }
}
