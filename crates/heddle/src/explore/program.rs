//! Rust code as something that can be explored: see [`heddle_explore::Program`].

use super::numbers::Panic;
use super::world::{self, Common, Standing};
use crate::exec::{Core, Job};
use heddle_core::Listener;
use heddle_explore::{Choice, Names, Program, Run, State};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

/// A closure that is run once for each schedule.
pub(super) struct RustProgram<F> {
    body: F,
    pub(super) common: Common,
}

impl<F: Fn() + Sync> RustProgram<F> {
    /// `forgets`: see [`Explorer::assume_no_hidden_state`](super::Explorer::assume_no_hidden_state). `tries`: whether tasks try locks.
    pub(super) fn new(body: F, forgets: bool, tries: bool) -> Self {
        hear_panics();
        Self {
            body,
            common: Common {
                forgets,
                tries,
                ..Common::default()
            },
        }
    }
}

/// One run of it.
pub(super) struct RustRun<'p> {
    standing: Standing,
    program: PhantomData<&'p ()>,
}

impl RustRun<'_> {
    fn deliver(&mut self, listener: &mut impl Listener) {
        for event in self.standing.take_events() {
            listener.on(event);
        }
    }
}

impl<F: Fn() + Sync> Program for RustProgram<F> {
    type Run<'p>
        = RustRun<'p>
    where
        Self: 'p;

    fn start<L: Listener>(&self, listener: &mut L) -> RustRun<'_> {
        let main = || {
            let run = || {
                let core = Core::main();
                let result = core.within(&self.body);
                core.close(result);
            };
            // The panic was told when it began.
            let _ = catch_unwind(AssertUnwindSafe(run));
            world::end();
        };
        let main: Box<dyn FnOnce() + '_> = Box::new(main);
        // SAFETY: the run is dropped before the program is, which it was borrowed from, and on this
        // thread: worlds cannot be sent.
        let main: Job = unsafe { std::mem::transmute::<Box<dyn FnOnce() + '_>, Job>(main) };
        let mut run = RustRun {
            standing: Standing::start(&self.common, main),
            program: PhantomData,
        };
        run.deliver(listener);
        run
    }
}

impl Run for RustRun<'_> {
    fn choices(&self, into: &mut Vec<Choice>) {
        self.standing.world().choices(into);
    }

    fn take<L: Listener>(&mut self, choice: Choice, listener: &mut L) {
        self.standing.take(choice);
        self.deliver(listener);
    }

    fn blocked(&self, into: &mut Vec<Choice>) {
        self.standing.world().blocked(into);
    }

    fn fingerprint(&self, _: &Names, into: &mut State) -> bool {
        self.standing.world().fingerprint(into);
        true
    }
}

/// From now on a panic of an explored task is an event, and prints nothing.
pub(super) fn hear_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !world::is_explored() || !world::panics(panic_of(info)) {
                before(info);
            }
        }));
    });
}

fn panic_of(info: &PanicHookInfo<'_>) -> Panic {
    let at = info.location();
    Panic {
        file: at.map_or(String::new(), |at| at.file().to_owned()),
        line: at.map_or(0, |at| at.line()),
        column: at.map_or(0, |at| at.column()),
        message: info.payload_as_str().unwrap_or("a panic").to_owned(),
    }
}
