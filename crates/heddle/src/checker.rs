//! Checked runs: how they are set up, carried out and judged.

use crate::context::{self, Newborn};
use crate::exec::{Core, with_stack};
use crate::explore::staged;
use crate::outcome;
use crate::recorder::Recorder;
use crate::report::Report;
use crate::session::{Execution, Session};
use crate::settings::{self, Analysis, Order, variable};
use heddle_core::atomicity::Scope;
use heddle_core::{Guarantee, OrderChoice, OrderError};
use heddle_report::{Problem, Settings, Strictness};
use heddle_rt::Engine;
use std::panic::{Location, resume_unwind};
use std::sync::Arc;
use std::time::Instant;

/// Stack of the threads of a checked parallel run; deeper recursion gets more, piece by piece.
const STACK: usize = 16 << 20;

/// Runs `body` and reports every race that any schedule of it can have on the same input, and every
/// atomicity violation of what is declared atomic.
///
/// The same as [`Checker::new().check(body)`](Checker::check).
///
/// ```
/// use heddle::{Shared, check, finish};
/// let report = check(|| {
///     let x = Shared::new(0);
///     finish(|s| {
///         s.spawn(|_| x.set(1));
///         s.spawn(|_| x.set(2));
///     });
/// });
/// assert_eq!(report.races().count(), 1);
/// ```
#[track_caller]
pub fn check<F: FnOnce() + Send>(body: F) -> Report {
    Checker::new().check(body)
}

/// How to check. Whatever is not set comes from the environment.
///
/// | variable | values | stands for |
/// |---|---|---|
/// | `HEDDLE_ORDER` | `auto`, `bags`, `tree`, `graph` | [`order`](Self::order) |
/// | `HEDDLE_PARALLEL` | number of threads, 0 for a serial run | [`parallel`](Self::parallel) |
/// | `HEDDLE_ANALYSES` | names with commas between them: `races`, `atomicity`; or `transactions` | [`analyses`](Self::analyses) |
/// | `HEDDLE_ATOMIC` | `all`, or `declared` for not | [`atomic_all`](Self::atomic_all) |
/// | `HEDDLE_MAX_FINDINGS` | number | [`max_findings`](Self::max_findings) |
/// | `HEDDLE_STRICT` | `1`, or `0` for not | [`strict`](Self::strict) |
///
/// An empty variable counts as not set. One with any other value makes [`new`](Self::new) panic and say
/// what would be right.
///
/// ```
/// let report = heddle::Checker::new().parallel(2).check(|| {
///     heddle::join(|| 1, || 2);
/// });
/// report.assert_clean();
/// ```
#[derive(Clone, Debug)]
#[must_use = "a checker does nothing until `check` is called"]
pub struct Checker {
    order: Order,
    threads: usize,
    analyses: Vec<Analysis>,
    scope: Scope,
    max_findings: Option<usize>,
    strictness: Strictness,
}

impl Checker {
    /// A checker with the environment's settings: by default a serial, depth-first run.
    ///
    /// # Panics
    /// If a variable has a value it cannot have.
    ///
    /// ```
    /// heddle::Checker::new().check(|| ()).assert_clean();
    /// ```
    #[track_caller]
    pub fn new() -> Self {
        let analyses = variable("HEDDLE_ANALYSES", settings::analyses);
        let strictness = variable("HEDDLE_STRICT", settings::strictness);
        Self {
            order: variable("HEDDLE_ORDER", str::parse).unwrap_or_default(),
            threads: variable("HEDDLE_PARALLEL", settings::number).unwrap_or(0),
            analyses: analyses.unwrap_or_else(|| vec![Analysis::Races, Analysis::Atomicity]),
            scope: variable("HEDDLE_ATOMIC", settings::scope).unwrap_or_default(),
            max_findings: variable("HEDDLE_MAX_FINDINGS", settings::number),
            strictness: strictness.unwrap_or(Strictness::CertainOnly),
        }
    }

    /// Which order decides what is parallel. The verdict is the same by any order that can judge the
    /// program; see [`Order`].
    ///
    /// ```
    /// use heddle::{Checker, Order, join};
    /// let checker = Checker::new().order(Order::Bags);
    /// checker.check(|| { join(|| (), || ()); }).assert_clean();
    /// ```
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Runs the program on `threads` threads. With 0, serially: every task at once where it is
    /// spawned, on the calling thread. The findings are the same.
    ///
    /// ```
    /// heddle::Checker::new().parallel(4).check(|| ()).assert_clean();
    /// ```
    pub fn parallel(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// What to look for.
    ///
    /// ```
    /// use heddle::{Analysis, Checker};
    /// Checker::new().analyses([Analysis::Atomicity]).check(|| ()).assert_clean();
    /// ```
    pub fn analyses(mut self, analyses: impl IntoIterator<Item = Analysis>) -> Self {
        self.analyses = analyses.into_iter().collect();
        self
    }

    /// Checks all shared data for atomicity, whether it is declared atomic or not. Findings are ranked: updates
    /// under locks first, what is a race anyway last.
    ///
    /// ```
    /// use heddle::{Checker, Shared, isolated, join};
    ///
    /// let count = Shared::new(0);
    /// let report = Checker::new().atomic_all().check(|| {
    ///     let add = || {
    ///         let seen = isolated(|| count.get());
    ///         isolated(|| count.set(seen + 1));
    ///     };
    ///     join(add, add);
    /// });
    /// assert_eq!(report.torn().count(), 1);
    /// ```
    pub fn atomic_all(mut self) -> Self {
        self.scope = Scope::All;
        self
    }

    /// Reports at most so many findings, where races at one pair of source positions count once.
    ///
    /// ```
    /// heddle::Checker::new().max_findings(10).check(|| ()).assert_clean();
    /// ```
    pub fn max_findings(mut self, count: usize) -> Self {
        self.max_findings = Some(count);
        self
    }

    /// Lets possible races count as well: those that exist only if what one section of a lock handed
    /// over to another can be undone.
    ///
    /// ```
    /// heddle::Checker::new().strict().check(|| ()).assert_clean();
    /// ```
    pub fn strict(mut self) -> Self {
        self.strictness = Strictness::Strict;
        self
    }

    /// Runs `body` and reports. If a task panics, so does this, once all tasks have ended; what was found
    /// until then is printed to standard error.
    ///
    /// # Panics
    /// - inside of another check;
    /// - if the chosen order cannot judge the program;
    /// - if transactions are checked and a `heddle.toml` beside a source file is wrong;
    /// - if there is no address space left for the checker's tables.
    ///
    /// ```
    /// let mut ran = false;
    /// heddle::Checker::new().check(|| ran = true).assert_clean();
    /// assert!(ran);
    /// ```
    #[track_caller]
    pub fn check<F: FnOnce() + Send>(&self, body: F) -> Report {
        let caller = Location::caller();
        assert!(
            !context::is_checked(),
            "check at {caller} inside of a checked task: checks cannot be nested"
        );
        let session = self.session();
        let started = Instant::now();
        if let Some(asked) = staged::asked() {
            asked.play(body);
            return self.nothing(&session, caller, started);
        }
        let result = self.run(&session, body);
        session.threads.wait();
        context::leave(&session);
        if let Err(payload) = result {
            self.tell_of(&session, caller, started);
            resume_unwind(payload);
        }
        if let Some(complaint) = session.strays.complaint(&session) {
            panic!("{complaint}");
        }
        let judged = match self.is_cut() {
            true => outcome::transactions(&session),
            false => outcome::judge(&session, self.choice(), self.scope),
        };
        let judged = judged.unwrap_or_else(|error| {
            panic!("{} at {caller}", settings::explain(&error));
        });
        let settings = Settings {
            strictness: self.strictness,
            limit: self.max_findings,
            ..Settings::default()
        };
        let judged = judged.only(&self.analyses);
        Report::new(judged, settings, caller, started.elapsed())
    }

    /// The report of a run that showed an order instead of being checked.
    fn nothing(
        &self,
        session: &Session,
        caller: &'static Location<'static>,
        started: Instant,
    ) -> Report {
        let mut judged = outcome::judge(session, None, self.scope)
            .unwrap_or_else(|error| panic!("{} at {caller}", settings::explain(&error)));
        judged.outcome.guarantee = Guarantee::UpToHere;
        Report::new(judged, Settings::default(), caller, started.elapsed())
    }

    /// The run was left by a panic: what was found until then is printed, as nobody will get it.
    fn tell_of(&self, session: &Session, caller: &'static Location<'static>, started: Instant) {
        let Ok(mut judged) = outcome::judge(session, self.choice(), self.scope) else {
            return;
        };
        judged.outcome.guarantee = Guarantee::UpToHere;
        let judged = judged.only(&self.analyses);
        if judged.outcome.findings.is_empty() {
            return;
        }
        let settings = Settings {
            strictness: self.strictness,
            limit: self.max_findings,
            ..Settings::default()
        };
        let report = Report::new(judged, settings, caller, started.elapsed());
        eprint!("heddle: found before the panic:\n{report}");
    }

    fn session(&self) -> Arc<Session> {
        let serial = self.threads == 0;
        assert!(
            serial || self.order == Order::Auto,
            "Order::{:?} can judge serial runs only, and this is one on {} threads",
            self.order,
            self.threads
        );
        let execution = match serial {
            true => Execution::Inline,
            false => Execution::Pool,
        };
        assert!(
            serial || !self.is_cut(),
            "Analysis::Transactions can judge serial runs only, and this is one on {} threads",
            self.threads
        );
        let is_recorded = self.order != Order::Auto || self.is_cut();
        let recorder = is_recorded.then(Recorder::default);
        Session::start(self.engine(), execution, recorder)
    }

    /// Whether transactions are checked.
    fn is_cut(&self) -> bool {
        self.analyses.contains(&Analysis::Transactions)
    }

    fn engine(&self) -> Engine {
        let mut engine = Engine::new().expect("address space for the checker's tables");
        if !self.analyses.contains(&Analysis::Atomicity) {
            engine.analyse(heddle_rt::Analysis::Races);
        } else if self.scope == Scope::All {
            engine.watch_all();
        }
        engine
    }

    fn run(&self, session: &Arc<Session>, body: impl FnOnce() + Send) -> std::thread::Result<()> {
        let main = Newborn::main(Arc::clone(session));
        let main = move || main.run(|| with_core(body)).0;
        if self.threads == 0 {
            return with_stack(main);
        }
        session.activity.change(1);
        let pool = rayon_core::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .stack_size(STACK)
            .build()
            .expect("threads for a parallel run");
        pool.install(main)
    }

    fn choice(&self) -> Option<OrderChoice> {
        match self.order {
            Order::Auto => None,
            Order::Bags => Some(OrderChoice::Bags),
            Order::Tree => Some(OrderChoice::Tree),
            Order::Graph => Some(OrderChoice::Graph),
        }
    }
}

/// The main task's body, inside of its implicit finish.
fn with_core(body: impl FnOnce()) {
    let core = Core::main();
    let result = core.within(body);
    core.close(result);
}

impl Default for Checker {
    fn default() -> Self {
        Self::new()
    }
}

/// Why a run could not be judged.
#[derive(Debug)]
pub(crate) enum Unjudged {
    /// By this order.
    Order(OrderError),
    /// The run did something that only the default order knows.
    Unsupported(&'static str),
    /// A transaction would end in a critical section: by what, and where.
    Rejected(String),
    /// The file of the programmer's answers is wrong.
    Answers(Problem),
}
