//! Labelled identifiers: ranges, and creating an object under a label.

use super::abi::result::{DONE, EXISTS, INVALID};
use super::abi::{get, put};
use super::event::Kind;
use super::guid::{Guid, Object, Sort};
use super::world::world;
use crate::shim::export;
use crate::thread;

/// The identifier passed in is a label.
const LABELLED: u16 = 0x100;
/// It is an error if it was created before.
const CHECK: u16 = 0x200;

/// The label that something is to be created under, if the properties ask for it; a result if nothing is to be
/// created.
pub(super) fn asked(guid: *const Guid, properties: u16) -> Result<Option<Guid>, u8> {
    if properties & LABELLED == 0 {
        return Ok(None);
    }
    // SAFETY: the caller passes a labelled identifier.
    let Some(&label) = (unsafe { guid.as_ref() }) else {
        return Err(INVALID);
    };
    let is_free = thread::enter(|_, _| world().objects.is_free(label));
    match (is_free, label.is_label()) {
        (Some(true), true) => Ok(Some(label)),
        (_, false) => Err(INVALID),
        _ if properties & CHECK != 0 => {
            // Who creates it first is told so.
            crate::api::turns::widen();
            Err(EXISTS)
        }
        // Whoever comes later has the object that is there.
        _ => Err(DONE),
    }
}

/// The program's function that finds an identifier: from the first of the range, the distance between two, what it was
/// created with, and a tuple.
type Find = unsafe extern "C-unwind" fn(Guid, u64, *mut i64, *mut i64) -> Guid;

/// A range whose identifiers a function of the program's finds.
#[derive(Clone, Debug)]
pub(super) struct Map {
    range: u32,
    function: usize,
    params: Vec<i64>,
}

fn kind(object: &Object) -> u32 {
    match object {
        Object::Event(event) => match event.kind {
            Kind::Once | Kind::Output => 17,
            Kind::Counted => 18,
            Kind::Idempotent => 19,
            Kind::Sticky => 21,
            Kind::Latch => 22,
            Kind::Channel => 23,
            Kind::Collective => 24,
        },
        Object::Gone(_) => 0,
        object => match object.sort() {
            Sort::Block => 2,
            Sort::Edt => 3,
            Sort::Template => 4,
            _ => 0,
        },
    }
}

export! {
    ["ocrGuidRangeCreate"] fn range_create(range: *mut Guid, _count: u64, _kind: u32) at pc -> u8 {
        let made = thread::enter(|_, _| {
            let mut world = world();
            world.objects.ranges += 1;
            let number = world.objects.ranges;
            world.objects.add(Object::Range(number))
        });
        put(range, made.unwrap_or(Guid::NULL), pc);
        if made.is_some() { DONE } else { INVALID }
    }

    ["heddleOcrMapCreate"] fn map_create(map: *mut Guid, function: usize, count: u32, params: *const i64) at pc -> u8 {
        if function == 0 {
            return INVALID;
        }
        // SAFETY: the caller's array.
        let params = unsafe { get(params, count, pc) };
        let made = thread::enter(|_, _| {
            let mut world = world();
            world.objects.ranges += 1;
            let range = world.objects.ranges;
            world.objects.add(Object::Map(Box::new(Map { range, function, params })))
        });
        put(map, made.unwrap_or(Guid::NULL), pc);
        if made.is_some() { DONE } else { INVALID }
    }

    ["ocrGuidFromLabel"] fn from_label(guid: *mut Guid, map: Guid, tuple: *mut i64) at pc -> u8 {
        let found = thread::enter(|_, _| match world().objects.get(map) {
            Some(Object::Map(map)) => Some((**map).clone()),
            _ => None,
        });
        let Some(mut map) = found.flatten() else { return INVALID };
        let Some(first) = Guid::label(map.range, 0) else { return INVALID };
        // SAFETY: the program's own function, as it said; identifiers of a range are one apart.
        let label = unsafe {
            let find = std::mem::transmute::<usize, Find>(map.function);
            find(first, 1, map.params.as_mut_ptr(), tuple)
        };
        put(guid, label, pc);
        if label.is_label() { DONE } else { INVALID }
    }

    ["ocrGuidRangeDestroy", "ocrGuidMapDestroy"] fn range_destroy(range: Guid) at _pc -> u8 {
        let removed = thread::enter(|_, _| world().objects.remove(range).is_some());
        if removed == Some(true) { DONE } else { INVALID }
    }

    ["ocrGuidFromIndex"] fn from_index(guid: *mut Guid, range: Guid, index: u64) at pc -> u8 {
        let label = thread::enter(|_, _| match world().objects.get(range) {
            Some(Object::Range(number)) => Guid::label(*number, index),
            _ => None,
        });
        match label.flatten() {
            Some(label) => {
                put(guid, label, pc);
                DONE
            }
            None => INVALID,
        }
    }

    ["ocrGetGuidKind"] fn guid_kind(into: *mut u32, guid: Guid) at pc -> u8 {
        let found = thread::enter(|_, _| world().objects.get(guid).map_or(0, kind));
        put(into, found.unwrap_or(0), pc);
        DONE
    }
}
