//! Event-driven tasks and their templates, from creation until they can run.

use super::actor::{Actor, Delivery, Newborn, Source};
use super::block::{How, READ_WRITE};
use super::event::{Event, Kind, Sink, shrink};
use super::guid::{Guid, Object, Sort};
use super::misuse::Rule;
use super::schedule::{self, Job};
use super::world::{Deferred, World};
use heddle_core::SiteId;

/// As many as the template says.
const DEFAULT: u32 = -2i32 as u32;
/// Not known when the template is made.
const UNKNOWN: u32 = -1i32 as u32;
/// A finish EDT.
const FINISH: u16 = 1;
/// The output event is the caller's own.
const OUTPUT_IS_GIVEN: u16 = 8;

/// What tasks are made from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Template {
    /// The program's function.
    pub(super) address: usize,
    /// Its number.
    pub(super) function: u32,
    pub(super) paramc: u32,
    pub(super) depc: u32,
}

/// A dependence of a task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) state: SlotState,
    pub(super) mode: u32,
}

/// How far a dependence is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SlotState {
    /// Nobody has added it.
    Open,
    /// It waits for this event.
    Waits(Guid),
    /// It is there, with this data block or none.
    Filled(Guid),
}

/// A task that has not run.
#[derive(Debug)]
pub(super) struct Edt {
    pub(super) template: Template,
    pub(super) params: Vec<u64>,
    pub(super) slots: Vec<Slot>,
    /// Slots that are not filled.
    pending: usize,
    /// Where it was created.
    pub(super) site: SiteId,
    pub(super) is_finish: bool,
    pub(super) output: Guid,
    /// The finish it was created in.
    pub(super) home: u32,
    sources: Vec<Source>,
}

impl Edt {
    /// Whether it can run, or does.
    pub(super) fn is_runnable(&self) -> bool {
        self.pending == 0
    }
}

/// What `ocrEdtCreate` is asked for.
pub(super) struct Request<'a> {
    pub(super) template: Guid,
    pub(super) params: &'a [u64],
    pub(super) depc: u32,
    pub(super) dependences: &'a [Guid],
    pub(super) properties: u16,
    /// The output event asked for, and what the caller passed there.
    pub(super) output: Option<Guid>,
    /// The label it is created under.
    pub(super) label: Option<Guid>,
}

/// How many there are, if one of the two says so.
pub(super) fn count(asked: u32, template: u32) -> Option<u32> {
    let said = if asked == DEFAULT { template } else { asked };
    (said != UNKNOWN && said != DEFAULT).then_some(said)
}

/// What is wrong about how many there are.
pub(super) fn miscount(what: &'static str, asked: u32, template: u32) -> Option<Rule> {
    match count(asked, template) {
        None => Some(Rule::NoCount { what }),
        Some(said) if template != UNKNOWN && said != template => Some(Rule::Count {
            what,
            asked,
            template,
        }),
        Some(_) => None,
    }
}

impl World {
    /// A task is created; also its output event.
    pub(super) fn create(&mut self, actor: &mut Actor, asked: Request) -> Option<(Guid, Guid)> {
        let Some(template) = self.objects.template(asked.template) else {
            self.misused(actor, Rule::NoTemplate, None);
            return None;
        };
        let depc = count(asked.depc, template.depc)? as usize;
        let output = match asked.output {
            None => Guid::NULL,
            Some(given) if asked.properties & OUTPUT_IS_GIVEN != 0 => given,
            Some(_) => self.output_event(actor.site),
        };
        let open = Slot {
            state: SlotState::Open,
            mode: READ_WRITE,
        };
        let edt = Edt {
            template,
            params: asked.params.to_vec(),
            slots: vec![open; depc],
            pending: depc,
            site: actor.site,
            is_finish: asked.properties & FINISH != 0,
            output,
            home: actor.home,
            sources: Vec::new(),
        };
        self.counted.creates_edt(edt.is_finish);
        self.finish(actor.home).pending += 1;
        let guid = self.objects.add(Object::Edt(Box::new(edt)));
        if let Some(label) = asked.label {
            self.objects.name(label, guid);
        }
        match depc {
            0 => self.enable(actor, guid),
            _ => self.depend(actor, guid, asked.dependences),
        }
        if let Some(label) = asked.label {
            self.catch_up(actor, label);
        }
        Some((guid, output))
    }

    fn output_event(&mut self, site: SiteId) -> Guid {
        self.counted.creates_event();
        let event = Event::new(Kind::Output, site, 0);
        self.objects.add(Object::Event(Box::new(event)))
    }

    /// The dependences given at the creation; uninitialised ones come later.
    fn depend(&mut self, actor: &mut Actor, guid: Guid, dependences: &[Guid]) {
        let here = actor.here();
        if let Some(edt) = self.objects.edt(guid) {
            edt.sources.push(here);
        }
        for (slot, &from) in (0..).zip(dependences) {
            if from != Guid::UNINITIALIZED {
                self.add_dependence(actor, from, 0, guid, slot, READ_WRITE);
            }
        }
    }

    /// `to` depends on `from`, or one of its slots, from now on.
    pub(super) fn add_dependence(
        &mut self,
        actor: &mut Actor,
        from: Guid,
        from_slot: u32,
        to: Guid,
        slot: u32,
        mode: u32,
    ) {
        let to = self.objects.resolve(to);
        let sort = match from.is_nothing() {
            true => None,
            false => self.objects.get(from).map(Object::sort),
        };
        let source = actor.here();
        let sink = Sink {
            from_slot,
            to,
            slot,
            mode: Some(mode),
            source,
        };
        match sort {
            Some(Sort::Event) => {
                self.note_wait(to, slot, from, mode);
                self.attach(actor, from, sink);
            }
            None if from.is_label() => {
                self.note_wait(to, slot, from, mode);
                let deferred = Deferred::Sink(sink);
                self.deferred.entry(from).or_default().push(deferred);
            }
            Some(Sort::Block) | None => {
                let data = if sort.is_some() { from } else { Guid::NULL };
                self.deliver(
                    actor,
                    Delivery {
                        to,
                        slot,
                        data,
                        mode: Some(mode),
                        sources: vec![source],
                    },
                );
            }
            Some(_) => self.misused(actor, Rule::NoSource, None),
        }
    }

    fn note_wait(&mut self, to: Guid, slot: u32, from: Guid, mode: u32) {
        if let Some(edt) = self.objects.edt(to)
            && let Some(slot) = edt.slots.get_mut(slot as usize)
            && slot.state == SlotState::Open
        {
            *slot = Slot {
                state: SlotState::Waits(from),
                mode,
            };
        }
    }

    /// A slot of a task is filled.
    pub(super) fn fill(&mut self, actor: &mut Actor, delivery: Delivery) {
        let Delivery {
            to,
            slot,
            data,
            mode,
            mut sources,
        } = delivery;
        let Some(edt) = self.objects.edt(to) else {
            return self.misused(actor, Rule::EdtGone { slot }, None);
        };
        let created = edt.site;
        let Some(at) = edt.slots.get_mut(slot as usize) else {
            let slots = edt.slots.len();
            let rule = Rule::NoSlot { slot, slots };
            return self.misused(actor, rule, Some(("the task is created here", created)));
        };
        if let SlotState::Filled(_) = at.state {
            let note = Some(("the task is created here", created));
            return self.misused(actor, Rule::SlotAgain { slot }, note);
        }
        at.state = SlotState::Filled(data);
        at.mode = mode.unwrap_or(at.mode);
        edt.sources.append(&mut sources);
        shrink(&mut edt.sources);
        edt.pending -= 1;
        if edt.pending == 0 {
            self.enable(actor, to);
        }
    }

    /// All slots of the task are filled: it can run.
    fn enable(&mut self, actor: &mut Actor, guid: Guid) {
        let Some(edt) = self.objects.edt(guid) else {
            return;
        };
        let newborn = Newborn {
            home: edt.home,
            site: edt.site,
            function: edt.template.function,
            sources: std::mem::take(&mut edt.sources),
        };
        let started = actor.start(self, newborn);
        schedule::push(Job { edt: guid, started });
    }

    /// Whether a task that can run will have a data block's lock.
    pub(super) fn excludes(&self, guid: Guid) -> bool {
        let locks = |slot: &Slot| How::new(slot.mode) != How::Read;
        self.has_exclusion()
            && matches!(self.objects.get(guid), Some(Object::Edt(edt)) if edt.slots.iter().any(locks))
    }

    /// Where the code of a task begins, as a place that is called.
    pub(super) fn begins(&self, guid: Guid) -> usize {
        match self.objects.get(guid) {
            Some(Object::Edt(edt)) => edt.template.address + 1,
            _ => 0,
        }
    }

    /// What the sink depends on was created under a label: an event, or a data block, which is there at once.
    fn supply(&mut self, actor: &mut Actor, label: Guid, sink: Sink) {
        match self.objects.get(label).map(Object::sort) {
            Some(Sort::Block) => {
                let here = actor.here();
                self.deliver(actor, sink.delivery(label, vec![here]));
            }
            _ => self.attach(actor, label, sink),
        }
    }

    /// An object with this label was created: what was asked of it meanwhile is done.
    pub(super) fn catch_up(&mut self, actor: &mut Actor, label: Guid) {
        for deferred in self.deferred.remove(&label).unwrap_or_default() {
            match deferred {
                Deferred::Delivery(mut delivery) => {
                    delivery.sources.push(actor.here());
                    delivery.to = label;
                    self.deliver(actor, delivery);
                }
                Deferred::Sink(sink) => self.supply(actor, label, sink),
            }
        }
    }
}
