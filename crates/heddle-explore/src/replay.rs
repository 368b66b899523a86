//! Running one schedule again: to show it step by step, and to have it judged by `heddle-core`.

use std::collections::VecDeque;
use std::fmt;

use heddle_core::{Event, Features, Listener, Location, NameId, TaskId, TokenId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cursor::Cursor;
use crate::fingerprint::{Fingerprint, Names, State};
use crate::program::{Choice, Program, Run};
use crate::schedule::Schedule;
use crate::search::Settings;
use crate::verdict::Verdict;
use crate::watch::{Sections, Watch};

/// A schedule that the program cannot follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Diverged {
    /// At which choice point.
    pub point: usize,
    /// The number the schedule takes there.
    pub number: u32,
    /// How many choices there are.
    pub choices: usize,
}

impl fmt::Display for Diverged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            point,
            number,
            choices,
        } = self;
        write!(
            f,
            "the schedule takes choice {number} at choice point {point}, "
        )?;
        match choices {
            0 => f.write_str("which the run does not reach"),
            1 => f.write_str("where there is only choice 0"),
            _ => write!(f, "where there are only {choices}"),
        }
    }
}

impl std::error::Error for Diverged {}

/// One transition of a replayed run.
#[derive(Debug)]
pub struct Played<'a, R> {
    /// What was chosen; nothing for what comes before the first choice point.
    pub choice: Option<Choice>,
    /// How many choices there were.
    pub choices: usize,
    /// Whether it switched away from a task that could go on.
    pub is_preemption: bool,
    /// What happened.
    pub events: &'a [Event],
    /// The run after it.
    pub run: &'a R,
}

/// A run with one schedule.
#[derive(Clone, Debug)]
pub struct Replay {
    events: Vec<Event>,
    features: Features,
    names: Names,
    is_over: bool,
    /// Switches away from tasks that could go on.
    pub preemptions: usize,
    /// The schedule up to its end.
    pub schedule: Schedule,
}

/// Events and the order at the same time.
struct Recorder {
    events: Vec<Event>,
    watch: Watch,
}

impl Listener for Recorder {
    fn on(&mut self, event: Event) {
        self.events.push(event);
        self.watch.on(event);
    }
}

/// Choices that a run may take after its schedule and what it is to show; a task that waits for another in
/// a loop would go on for ever.
const AFTERWARDS: usize = 1000;

/// How far a schedule is run.
#[derive(Clone, Copy, Debug)]
pub struct Until<'a> {
    /// For at most so many choices.
    pub most: usize,
    /// Until it has shown this, and not much further.
    pub shown: Option<&'a Verdict>,
}

impl Until<'static> {
    /// To the end of the run, or for as many choices as a search allows.
    pub fn end() -> Self {
        Self {
            most: Settings::default().max_choices,
            shown: None,
        }
    }
}

impl<'a> Until<'a> {
    /// A little further than where it shows this.
    pub fn shows(verdict: &'a Verdict) -> Self {
        Self {
            shown: Some(verdict),
            ..Until::end()
        }
    }
}

/// Notices when a run that always takes the first choice comes to a state again.
#[derive(Default)]
struct Cycle(FxHashSet<Fingerprint>);

impl Cycle {
    fn closes<R: Run>(&mut self, run: &R, names: &Names) -> bool {
        let mut state = State::new();
        let is_known = run.fingerprint(names, &mut state);
        is_known && !self.0.insert(state.parts().0)
    }
}

/// Runs the schedule to the end of the run, or as far as `until` says, or until it goes round in circles. `each` is shown
/// the transitions.
pub fn replay<'p, P: Program>(
    program: &'p P,
    schedule: &Schedule,
    features: Features,
    until: Until<'_>,
    mut each: impl FnMut(Played<'_, P::Run<'p>>),
) -> Result<Replay, Diverged> {
    let mut left = until.most;
    let mut cycle = Cycle::default();
    let mut recorder = Recorder {
        events: Vec::new(),
        watch: Watch::new(),
    };
    let mut run = program.start(&mut recorder);
    let mut current = None;
    let mut preemptions = 0;
    let mut point = 0;
    let mut is_over;
    each(Played {
        choice: None,
        choices: 0,
        is_preemption: false,
        events: &recorder.events,
        run: &run,
    });
    loop {
        recorder.watch.pause();
        let choices = ordered(&run, recorder.watch.names(), current);
        let number = schedule.at(point);
        let over = choices.is_empty() && point >= schedule.len();
        is_over = over;
        let is_behind = point > schedule.len() + AFTERWARDS;
        if over || left == 0 || is_behind && cycle.closes(&run, recorder.watch.names()) {
            break;
        }
        if let Some(verdict) = until.shown
            && recorder.watch.take_verdicts().contains(verdict)
        {
            left = left.min(schedule.len().saturating_sub(point) + AFTERWARDS);
        }
        left -= 1;
        let Some(&choice) = choices.get(number as usize) else {
            let choices = choices.len();
            return Err(Diverged {
                point,
                number,
                choices,
            });
        };
        let goes_on = |choice: &Choice| Some(choice.task) == current;
        let is_preemption = !goes_on(&choice) && choices.first().is_some_and(goes_on);
        preemptions += usize::from(is_preemption);
        let before = recorder.events.len();
        recorder.watch.choose(choice.task);
        run.take(choice, &mut recorder);
        current = Some(choice.task);
        point += 1;
        each(Played {
            choice: Some(choice),
            choices: choices.len(),
            is_preemption,
            events: &recorder.events[before..],
            run: &run,
        });
    }
    Ok(Replay {
        names: recorder.watch.names().clone(),
        events: recorder.events,
        features,
        is_over,
        preemptions,
        schedule: schedule.clone(),
    })
}

/// What can be chosen: first what the task that ran last does next, then as in a serial
/// depth-first run.
pub(crate) fn ordered<R: Run>(run: &R, names: &Names, current: Option<TaskId>) -> Vec<Choice> {
    let mut choices = Vec::new();
    run.choices(&mut choices);
    choices.sort_by(|a, b| {
        let is_other = |choice: &Choice| Some(choice.task) != current;
        let before = |a: &Choice, b: &Choice| names.is_before(a.task, b.task);
        is_other(a)
            .cmp(&is_other(b))
            .then_with(|| before(b, a).cmp(&before(a, b)))
            .then_with(|| a.cmp(b))
    });
    choices
}

/// What the schedule shows, from its start to the end of the run.
pub fn verdicts<P: Program>(program: &P, schedule: &Schedule) -> Result<Vec<Verdict>, Diverged> {
    let mut cursor = Cursor::start(program, Watch::new());
    let mut point = 0;
    loop {
        let choices = cursor.choices();
        let number = schedule.at(point);
        let is_over = choices.is_empty() || point == Settings::default().max_choices;
        if is_over && point >= schedule.len() {
            return Ok(cursor.watch.take_verdicts());
        }
        let Some(&choice) = choices.get(number as usize) else {
            let choices = choices.len();
            return Err(Diverged {
                point,
                number,
                choices,
            });
        };
        cursor.take(choice);
        point += 1;
    }
}

impl Replay {
    /// The name of a location of this run, the same in every schedule.
    pub fn location(&self, location: Location) -> u64 {
        self.names.location(location)
    }

    /// The run as it came, without edges from section to section.
    pub fn plain(&self) -> Plain<'_> {
        Plain(self)
    }

    /// Whether the run came to its end.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The events as they came.
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}

/// See [`Replay::plain`].
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a>(&'a Replay);

impl heddle_core::Run for Plain<'_> {
    fn features(&self) -> Features {
        self.0.features
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        let is_fault = |event: &&Event| matches!(event, Event::Fault { .. });
        let events = self.0.events.iter();
        for &event in events.clone().filter(|event| !is_fault(event)) {
            listener.on(event);
        }
        if let Some(&fault) = events.clone().find(is_fault) {
            listener.on(fault);
        }
    }
}

/// Delivers the run with an edge from section to section where `Watch` has one, so that a
/// detector that knows nothing of schedules finds the races of this one. What a task did that is
/// undefined comes last.
impl heddle_core::Run for Replay {
    fn features(&self) -> Features {
        Features {
            extra_edges: true,
            ..self.features
        }
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        let edges = Edges::of(&self.events);
        let mut fault = None;
        let mut declared = false;
        let mut acquired = 0;
        let mut released = 0;
        for &event in &self.events {
            let declares = matches!(
                event,
                Event::Declare { .. }
                    | Event::DeclareLock { .. }
                    | Event::DeclareToken { .. }
                    | Event::Atomic { .. }
            );
            if !declares && !declared {
                edges.declare(listener);
                declared = true;
            }
            match event {
                Event::Fault { .. } => {
                    fault = fault.or(Some(event));
                    continue;
                }
                _ => listener.on(event),
            }
            match event {
                Event::Acquire { site, .. } => {
                    for &section in &edges.sections.before[acquired] {
                        let token = edges.token(section);
                        listener.on(Event::Wait { token, site });
                    }
                    acquired += 1;
                }
                Event::Release { site, .. } => {
                    let section = edges.sections.released[released];
                    released += 1;
                    if edges.is_source(section) {
                        let token = edges.token(section);
                        listener.on(Event::Signal { token, site });
                    }
                }
                _ => {}
            }
        }
        if let Some(fault) = fault {
            listener.on(fault);
        }
    }
}

/// The edges between the sections of a run, as signals of tokens.
struct Edges {
    sections: Sections,
    /// Tokens that the program has itself.
    own: u32,
    /// By section that has edges: which token.
    tokens: FxHashMap<usize, u32>,
}

impl Edges {
    fn of(events: &[Event]) -> Self {
        let own = events
            .iter()
            .filter(|event| matches!(event, Event::DeclareToken { .. }))
            .count() as u32;
        let sections = Sections::of(events);
        let mut tokens = FxHashMap::default();
        let mut sources: VecDeque<usize> = sections.before.iter().flatten().copied().collect();
        sources.make_contiguous().sort_unstable();
        for section in sources {
            let next = own + tokens.len() as u32;
            tokens.entry(section).or_insert(next);
        }
        Self {
            sections,
            own,
            tokens,
        }
    }

    fn declare<L: Listener>(&self, listener: &mut L) {
        for number in 0..self.tokens.len() as u32 {
            let token = TokenId::new(self.own + number);
            let name = NameId::new(0);
            listener.on(Event::DeclareToken { token, name });
        }
    }

    fn is_source(&self, section: usize) -> bool {
        self.tokens.contains_key(&section)
    }

    fn token(&self, section: usize) -> TokenId {
        TokenId::new(self.tokens[&section])
    }
}
