//! Events: what they wait for, and whom they tell.
//!
//! What an event's sinks come after is the union of what satisfied it: the satisfying task up to its call, what
//! the satisfaction itself came from, and for a latch all who counted.
//!
//! # Known limit
//! Where several tasks satisfy one idempotent event, or parallel ones a channel, another schedule may pair them
//! differently. The run's own pairing counts as order; the report says that the others were not covered.

use super::actor::{Actor, Delivery, Source};
use super::collective::Collective;
use super::guid::{Guid, Object, Sort};
use super::misuse::Rule;
use super::world::{Deferred, World};
use crate::api::turns;
use heddle_core::{SiteId, TaskKind};
use std::collections::VecDeque;

/// From so many sources on, those who come after an event come after one strand that stands for all.
const MANY: usize = 8;

/// How an event behaves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Once,
    Idempotent,
    Sticky,
    Latch,
    Counted,
    Channel,
    Collective,
    /// Made for a task that was asked for its output event.
    Output,
}

impl Kind {
    /// The kind of this number in `ocr.h`.
    pub(super) fn new(number: u32) -> Option<Self> {
        Some(match number {
            1 => Self::Once,
            2 => Self::Idempotent,
            3 => Self::Sticky,
            4 => Self::Latch,
            5 => Self::Counted,
            6 => Self::Channel,
            7 => Self::Collective,
            _ => return None,
        })
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Once => "once event",
            Self::Idempotent => "idempotent event",
            Self::Sticky => "sticky event",
            Self::Latch => "latch event",
            Self::Counted => "counted event",
            Self::Channel => "channel event",
            Self::Collective => "collective event",
            Self::Output => "output event",
        }
    }
}

/// Who is told when an event is satisfied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sink {
    /// The slot of the event it depends on; 0 but for collective ones.
    pub(super) from_slot: u32,
    pub(super) to: Guid,
    pub(super) slot: u32,
    /// None leaves the slot's as it is.
    pub(super) mode: Option<u32>,
    /// Where the dependence was added.
    pub(super) source: Source,
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) kind: Kind,
    /// Where it was created.
    pub(super) site: SiteId,
    sinks: Vec<Sink>,
    sources: Vec<Source>,
    /// What satisfied it and where, if it stays satisfied.
    satisfied: Option<(Guid, SiteId)>,
    /// Of a latch: how often it must still be counted down. Of a counted event: dependences to come.
    counter: i64,
    /// Of a channel: satisfactions without a dependence.
    waiting: VecDeque<(Guid, Vec<Source>)>,
    /// Of a collective event.
    pub(super) collective: Option<Box<Collective>>,
}

impl Event {
    pub(super) fn new(kind: Kind, site: SiteId, counter: i64) -> Self {
        Self {
            kind,
            site,
            sinks: Vec::new(),
            sources: Vec::new(),
            satisfied: None,
            counter,
            waiting: VecDeque::new(),
            collective: None,
        }
    }

    /// What satisfied it, and what came before that.
    pub(super) fn outcome(&self) -> Option<(Guid, &[Source])> {
        let (data, _) = self.satisfied?;
        Some((data, &self.sources))
    }

    /// Whether something is to be taken from it: as `outcome`, for a channel the oldest.
    pub(super) fn take(&mut self) -> Option<(Guid, Vec<Source>)> {
        match self.kind {
            Kind::Channel => self.waiting.pop_front(),
            _ => self
                .outcome()
                .map(|(data, sources)| (data, sources.to_vec())),
        }
    }

    pub(super) fn is_satisfied(&self) -> bool {
        self.satisfied.is_some() || !self.waiting.is_empty()
    }
}

impl World {
    /// The actor satisfies something with a data block, or with an event: then when that is satisfied, and with
    /// what it carries.
    pub(super) fn pass(
        &mut self,
        actor: &mut Actor,
        to: Guid,
        slot: u32,
        data: Guid,
        source: Source,
    ) {
        match self.objects.get(data).map(Object::sort) {
            Some(Sort::Event) => {
                let sink = Sink {
                    from_slot: 0,
                    to,
                    slot,
                    mode: None,
                    source,
                };
                self.attach(actor, data, sink);
            }
            _ => {
                let first = Delivery {
                    to,
                    slot,
                    data,
                    mode: None,
                    sources: vec![source],
                };
                self.deliver(actor, first);
            }
        }
    }

    /// A satisfaction arrives, and all that follows from it.
    pub(super) fn deliver(&mut self, actor: &mut Actor, first: Delivery) {
        let mut work = vec![first];
        while let Some(delivery) = work.pop() {
            let to = self.objects.resolve(delivery.to);
            let delivery = Delivery { to, ..delivery };
            match self.objects.get(to).map(Object::sort) {
                None if to.is_label() => {
                    let deferred = Deferred::Delivery(delivery);
                    self.deferred.entry(to).or_default().push(deferred);
                }
                Some(Sort::Event) => self.satisfy(actor, delivery, &mut work),
                Some(Sort::Edt) => self.fill(actor, delivery),
                _ => self.misused(actor, Rule::NoObject { what: "satisfied" }, None),
            }
        }
    }

    fn satisfy(&mut self, actor: &mut Actor, delivery: Delivery, work: &mut Vec<Delivery>) {
        let Delivery {
            to,
            slot,
            data,
            mut sources,
            ..
        } = delivery;
        let Some(event) = self.objects.event(to) else {
            return self.misused(actor, Rule::EventGone { what: "satisfied" }, None);
        };
        match event.kind {
            Kind::Channel => return self.send(to, data, sources, work),
            Kind::Collective => return self.misused(actor, Rule::NoValues, None),
            Kind::Latch => {
                event.counter += if slot == 1 { 1 } else { -1 };
                event.sources.append(&mut sources);
                shrink(&mut event.sources);
                if event.counter != 0 {
                    return;
                }
            }
            kind => {
                if let Some((_, site)) = event.satisfied {
                    return self.satisfied_again(actor, kind, site);
                }
                event.sources = sources;
            }
        }
        let data = if event.kind == Kind::Latch {
            Guid::NULL
        } else {
            data
        };
        event.satisfied = Some((data, actor.site));
        self.trigger(actor, to, data, work);
    }

    fn satisfied_again(&mut self, actor: &Actor, kind: Kind, first: SiteId) {
        match kind {
            Kind::Idempotent => {
                turns::widen();
                self.book.several_satisfy();
            }
            _ => self.misused(
                actor,
                Rule::Again { kind },
                Some(("first satisfied here", first)),
            ),
        }
    }

    /// The event tells its sinks, and goes if it does not persist.
    fn trigger(&mut self, actor: &mut Actor, to: Guid, data: Guid, work: &mut Vec<Delivery>) {
        let Some(event) = self.objects.event(to) else {
            return;
        };
        let sinks = std::mem::take(&mut event.sinks);
        let mut goes = match event.kind {
            Kind::Once | Kind::Latch => true,
            Kind::Output => !sinks.is_empty(),
            _ => false,
        };
        if event.kind == Kind::Counted {
            event.counter -= sinks.len() as i64;
            goes = event.counter <= 0;
        }
        if event.sources.len() > MANY && (sinks.len() > 1 || !goes) {
            let all = std::mem::take(&mut event.sources);
            let one = self.gather(actor, all);
            if let Some(event) = self.objects.event(to) {
                event.sources.push(one);
            }
        }
        let sources = self.objects.event(to).map(|event| event.sources.clone());
        let sources = sources.unwrap_or_default();
        if goes {
            self.objects.remove(to);
        }
        self.counted.tells(sinks.len());
        // The last pushed is delivered first.
        for sink in sinks.into_iter().rev() {
            work.push(sink.delivery(data, sources.clone()));
        }
    }

    /// A strand that comes after all of these; the actor is one of them.
    pub(super) fn gather(&mut self, actor: &mut Actor, sources: Vec<Source>) -> Source {
        let engine = &actor.runtime.engine;
        actor.here();
        let mut node = engine.spawn(actor.cursor, None, TaskKind::EventDriven, actor.site, None);
        let strands = self.latest(sources, |_| true);
        engine.wait(&mut node, &strands);
        let source = Source {
            task: node.task(),
            strand: engine.signal(&mut node),
        };
        engine.end(node);
        source
    }

    /// A channel gets something; who waits longest has it.
    fn send(&mut self, to: Guid, data: Guid, sources: Vec<Source>, work: &mut Vec<Delivery>) {
        let Some(event) = self.objects.event(to) else {
            return;
        };
        turns::widen();
        if event.sinks.is_empty() {
            event.waiting.push_back((data, sources));
        } else {
            let sink = event.sinks.remove(0);
            work.push(sink.delivery(data, sources));
            self.counted.tells(1);
        }
    }

    /// The sink is to be told when the event is satisfied, or at once if it is.
    pub(super) fn attach(&mut self, actor: &mut Actor, from: Guid, sink: Sink) {
        let from = self.objects.resolve(from);
        let Some(event) = self.objects.event(from) else {
            return self.misused(
                actor,
                Rule::EventGone {
                    what: "depended on",
                },
                None,
            );
        };
        if event.kind == Kind::Collective {
            return self.attach_to_collective(actor, from, sink);
        }
        // An event that is not satisfied yet counts its sinks when it is.
        if event.kind == Kind::Counted && event.is_satisfied() {
            event.counter -= 1;
        }
        let goes = match event.kind {
            Kind::Counted => event.counter <= 0,
            Kind::Output => true,
            _ => false,
        };
        match event.take() {
            None => event.sinks.push(sink),
            Some((data, sources)) => {
                if goes {
                    self.objects.remove(from);
                }
                self.counted.tells(1);
                self.deliver(actor, sink.delivery(data, sources));
            }
        }
    }
}

impl Sink {
    pub(super) fn delivery(self, data: Guid, mut sources: Vec<Source>) -> Delivery {
        sources.push(self.source);
        Delivery {
            to: self.to,
            slot: self.slot,
            data,
            mode: self.mode,
            sources,
        }
    }
}

/// Keeps the last source of each task, now and then: many may count a latch up and down.
pub(super) fn shrink(sources: &mut Vec<Source>) {
    if sources.len() > 64 && sources.len().is_power_of_two() {
        sources.sort_unstable();
        sources.reverse();
        sources.dedup_by_key(|source| source.task);
    }
}
