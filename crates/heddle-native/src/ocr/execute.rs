//! One task on one worker, from its start to all that follows from its end.

use super::actor::{Actor, Point, Source};
use super::arena::LIFE;
use super::block::{self, Held, How};
use super::edt::{Slot, SlotState};
use super::guid::{Guid, Object};
use super::schedule::{self, Job};
use super::world::{Finish, Owner, World, world};
use super::{Local, actor};
use crate::access;
use crate::runtime::Runtime;
use crate::thread::{self, Thread};
use heddle_core::{FinishKind, SiteId};
use heddle_rt::Cursor;
use std::arch::asm;

/// What a task is told of a dependence, as `ocr.h` declares it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Dependence {
    guid: Guid,
    address: usize,
    mode: u32,
}

type Body = unsafe extern "C-unwind" fn(u32, *mut u64, u32, *mut Dependence) -> Guid;

/// A task that executes.
struct Frame {
    body: usize,
    params: Vec<u64>,
    dependences: Vec<Dependence>,
    /// Where it is seen whether the blocks it acquires are destroyed.
    lives: Vec<usize>,
    end: End,
}

/// What its end needs.
struct End {
    edt: Guid,
    function: u32,
    /// The finish it belongs to.
    home: u32,
    /// Its own, if it is a finish EDT.
    finish: Option<u32>,
    is_foreign: bool,
    outer: Outer,
}

/// What the worker was at.
struct Outer {
    cursor: Cursor,
    local: Local,
}

/// Executes a task on the calling thread. False if it has to wait for a block that another has for itself.
pub(super) fn run(job: Job) -> bool {
    let base = stack_pointer();
    let frame = thread::enter(|runtime, thread| begin(runtime, thread, job, base));
    let Some(Some(mut frame)) = frame else {
        return false;
    };
    for life in &frame.lives {
        access::read(*life, LIFE, frame.body + 1);
    }
    // SAFETY: the program's own function, as its template says.
    let data = unsafe {
        let body = std::mem::transmute::<usize, Body>(frame.body);
        body(
            frame.params.len() as u32,
            frame.params.as_mut_ptr(),
            frame.dependences.len() as u32,
            frame.dependences.as_mut_ptr(),
        )
    };
    thread::enter(|runtime, thread| finish(runtime, thread, frame.end, data, base));
    true
}

fn begin(runtime: &'static Runtime, thread: &mut Thread, job: Job, base: usize) -> Option<Frame> {
    let mut world = world();
    let Job {
        edt: guid,
        mut started,
    } = job;
    let edt = world.objects.edt(guid)?;
    let (slots, site) = (std::mem::take(&mut edt.slots), edt.site);
    let (template, home, output) = (edt.template, edt.home, edt.output);
    let is_finish = edt.is_finish;
    let mut held = Vec::new();
    let dependences = dependences(&mut world, &slots, &mut held);
    block::hold(&mut held);
    if let Some(busy) = block::busy(&mut world, &held) {
        if let Some(edt) = world.objects.edt(guid) {
            edt.slots = slots;
        }
        if let Some(block) = world.objects.block(busy) {
            block.waiting.push(Job { edt: guid, started });
            schedule::set_aside();
        }
        return None;
    }
    let params = world
        .objects
        .edt(guid)
        .map(|edt| std::mem::take(&mut edt.params));
    let params = params.unwrap_or_default();
    forget(&params);
    forget(&dependences);
    let engine = &runtime.engine;
    // Not when it became runnable: by now more is known of tasks of its function.
    if !output.is_null() || world.is_expected_to_depart(template.function) {
        engine.expect_departures(&mut started.cursor);
    }
    engine.suspend(&mut thread.cursor);
    thread.stack_starts(base);
    let cursor = std::mem::replace(&mut thread.cursor, started.cursor);
    let local = std::mem::take(&mut thread.ocr);
    let mut point = Point::default();
    let mut actor = Actor {
        runtime,
        cursor: &mut thread.cursor,
        point: &mut point,
        home,
        site,
    };
    for dependence in &dependences {
        world.uses_block(&mut actor, dependence.guid, "acquired");
    }
    for held in &held {
        world.take_hold(held.guid);
    }
    block::lock_all(thread, &world, held.iter_mut());
    let finish = is_finish.then(|| {
        let finish = world.open(home);
        let scope = engine.finish_begin(&mut thread.cursor, FinishKind::Finish, site);
        world.finish(finish).scope = Some(scope);
        finish
    });
    let lives = held.iter().map(|held| held.start).collect();
    thread.ocr = Local {
        edt: guid,
        output,
        home: finish.unwrap_or(home),
        point: Point::default(),
        held,
        shuts_down: false,
        storage: Vec::new(),
    };
    Some(Frame {
        body: template.address,
        params,
        dependences,
        lives,
        end: End {
            edt: guid,
            function: template.function,
            home,
            finish,
            is_foreign: started.is_foreign,
            outer: Outer { cursor, local },
        },
    })
}

/// What the task is told, and the blocks it gets.
fn dependences(world: &mut World, slots: &[Slot], held: &mut Vec<Held>) -> Vec<Dependence> {
    let mut told = Vec::with_capacity(slots.len());
    for slot in slots {
        let SlotState::Filled(data) = slot.state else {
            continue;
        };
        let guid = world.objects.resolve(data);
        let (start, size) = match (world.objects.get(guid), world.graves.get(&guid)) {
            (Some(Object::Block(block)), _) => (block.start, block.size),
            (_, Some(grave)) => (grave.start, grave.size),
            _ => (0, 0),
        };
        // A pure control dependence gives no access, and no block.
        if slot.mode == 0 {
            told.push(Dependence {
                guid: Guid::NULL,
                address: 0,
                mode: 0,
            });
            continue;
        }
        if start != 0 {
            held.push(Held::new(guid, start, size, How::new(slot.mode)));
        }
        told.push(Dependence {
            guid: data,
            address: start,
            mode: slot.mode,
        });
    }
    told
}

/// The runtime's memory is the program's now, and new to it.
fn forget<T>(memory: &[T]) {
    if !memory.is_empty() {
        access::forget(memory.as_ptr().addr(), size_of_val(memory));
    }
}

fn finish(runtime: &'static Runtime, thread: &mut Thread, end: End, data: Guid, base: usize) {
    let mut world = world();
    block::release_all(thread, &mut world);
    let local = std::mem::replace(&mut thread.ocr, end.outer.local);
    let cursor = std::mem::replace(&mut thread.cursor, end.outer.cursor);
    thread.stack_starts(base);
    world.objects.remove(end.edt);
    world.ended(end.function);
    let owner = Owner {
        cursor,
        output: local.output,
        data,
        is_foreign: end.is_foreign,
    };
    let mut leaving = end.home;
    match end.finish {
        Some(finish) => {
            if !local.shuts_down {
                world.counted.ends_in_finish();
            }
            world.finish(finish).owner = Some(Box::new(owner));
            leaving = finish;
        }
        None => conclude(&mut world, runtime, owner, local.point, end.home),
    }
    leave(&mut world, runtime, leaving);
}

/// A task of this finish is over; so may be the finish, and those around it.
fn leave(world: &mut World, runtime: &'static Runtime, mut finish: u32) {
    loop {
        let at = world.finish(finish);
        at.pending -= 1;
        if at.pending > 0 || finish == Finish::ROOT {
            return;
        }
        let outer = at.outer;
        let foreign = std::mem::take(&mut at.foreign);
        let (Some(mut owner), Some(scope)) = (at.owner.take(), at.scope) else {
            return;
        };
        runtime.engine.finish_end(&mut owner.cursor, scope);
        let strands = world.latest(foreign, |_| true);
        if !strands.is_empty() {
            runtime.engine.wait(&mut owner.cursor, &strands);
        }
        conclude(world, runtime, *owner, Point::default(), outer);
        finish = outer;
    }
}

/// The task is over: its output event is satisfied.
fn conclude(
    world: &mut World,
    runtime: &'static Runtime,
    owner: Owner,
    mut point: Point,
    home: u32,
) {
    let Owner {
        mut cursor,
        output,
        data,
        is_foreign,
        ..
    } = owner;
    let site = SiteId::new(u32::MAX);
    let mut actor = Actor {
        runtime,
        cursor: &mut cursor,
        point: &mut point,
        home,
        site,
    };
    if home != Finish::ROOT {
        world.counted.ends_in_finish();
    }
    let mut last: Option<Source> = None;
    if !output.is_null() {
        world.counted.satisfies();
        let here = actor.here();
        last = Some(here);
        world.pass(&mut actor, output, 0, data, here);
    }
    if is_foreign {
        let end = last.unwrap_or_else(|| actor.here());
        world.finish(home).foreign.push(end);
    }
    runtime.engine.end(cursor);
}

/// The calling thread's task, as one who acts.
pub(super) fn with_actor<R>(
    runtime: &'static Runtime,
    thread: &mut Thread,
    pc: usize,
    f: impl FnOnce(&mut World, &mut Actor) -> R,
) -> R {
    let Thread { cursor, ocr, .. } = thread;
    let mut actor = actor::Actor {
        runtime,
        cursor,
        point: &mut ocr.point,
        home: ocr.home,
        site: access::site(pc),
    };
    f(&mut world(), &mut actor)
}

/// Where the caller's callees begin.
#[inline(always)]
fn stack_pointer() -> usize {
    let pointer: usize;
    // SAFETY: reads a register.
    unsafe { asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}
