//! A place in the tree of schedules: a run at a choice point, and what is known of it.

use std::rc::Rc;

use heddle_core::{Event, Listener, TaskId};

use crate::program::{Choice, Program, Run};
use crate::replay::ordered;
use crate::watch::Watch;

/// Hears nothing: for the part of a run that is only repeated.
struct Deaf;

impl Listener for Deaf {
    fn on(&mut self, _: Event) {}
}

/// One choice of a way that copies share.
struct Link {
    choice: Choice,
    before: Option<Rc<Link>>,
}

impl Drop for Link {
    /// One after the other: a way can be longer than the stack is deep.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut link) = next.and_then(Rc::into_inner) {
            next = link.before.take();
        }
    }
}

/// See the module's documentation.
pub(crate) struct Cursor<'p, P: Program + 'p> {
    program: &'p P,
    /// Absent where the run could not be copied.
    run: Option<P::Run<'p>>,
    pub watch: Watch,
    /// The choices that lead here, the latest first.
    path: Option<Rc<Link>>,
    /// Who ran last.
    pub current: Option<TaskId>,
}

impl<'p, P: Program> Cursor<'p, P> {
    /// At the first choice point.
    pub fn start(program: &'p P, mut watch: Watch) -> Self {
        let run = program.start(&mut watch);
        watch.pause();
        Self {
            program,
            run: Some(run),
            watch,
            path: None,
            current: None,
        }
    }

    /// The run itself, made again if it could not be copied.
    pub fn run(&mut self) -> &mut P::Run<'p> {
        let (program, path) = (self.program, &self.path);
        self.run.get_or_insert_with(|| {
            let links = std::iter::successors(path.as_ref(), |link| link.before.as_ref());
            let choices: Vec<Choice> = links.map(|link| link.choice).collect();
            let mut run = program.start(&mut Deaf);
            for &choice in choices.iter().rev() {
                run.take(choice, &mut Deaf);
            }
            run
        })
    }

    /// What can be chosen: first what the task that ran last does next, then as in a serial
    /// depth-first run.
    pub fn choices(&mut self) -> Vec<Choice> {
        self.run();
        match &self.run {
            Some(run) => ordered(run, self.watch.names(), self.current),
            None => Vec::new(),
        }
    }

    /// Executes a choice.
    pub fn take(&mut self, choice: Choice) {
        self.run();
        self.watch.choose(choice.task);
        if let Some(run) = &mut self.run {
            run.take(choice, &mut self.watch);
        }
        self.watch.pause();
        let before = self.path.take();
        self.path = Some(Rc::new(Link { choice, before }));
        self.current = Some(choice.task);
    }

    /// A copy that goes its own way. The run is copied if it can be, else made again when needed.
    pub fn fork(&self) -> Self {
        Self {
            program: self.program,
            run: self.run.as_ref().and_then(Run::fork),
            watch: self.watch.clone(),
            path: self.path.clone(),
            current: self.current,
        }
    }
}
