//! What `ocr.h` declares for data blocks, events, tasks and the run itself: shims that convert and call.
//!
//! What a call reads and writes of the program's memory counts as the program's accesses.

use super::arena::LIFE;
use super::block::{self, Held, How, NOT_ACQUIRED};
use super::collective;
use super::edt::{Request, Template, count, miscount};
use super::event::{Event, Kind};
use super::execute::with_actor;
use super::guid::{Guid, Object};
use super::label;
use super::misuse::Rule;
use super::schedule;
use super::world::world;
use crate::shim::export;
use crate::{access, thread};
use heddle_core::SiteId;
use std::arch::naked_asm;
use std::ffi::{CStr, c_char, c_void};

/// Results, as `ocr.h` numbers them.
pub(super) mod result {
    pub(in crate::ocr) const DONE: u8 = 0;
    pub(in crate::ocr) const PERMISSION: u8 = 1;
    pub(in crate::ocr) const NO_MEMORY: u8 = 12;
    pub(in crate::ocr) const ACCESS: u8 = 13;
    pub(in crate::ocr) const INVALID: u8 = 22;
    pub(in crate::ocr) const UNSUPPORTED: u8 = 95;
    pub(in crate::ocr) const EXISTS: u8 = 100;
}

use result::{ACCESS, DONE, INVALID, NO_MEMORY};

/// Writes a result where the caller wants it, as the caller.
pub(super) fn put<T>(into: *mut T, value: T, pc: usize) {
    if !into.is_null() {
        access::write(into.addr(), size_of::<T>(), pc);
        // SAFETY: the caller passes a place for the result.
        unsafe { into.write(value) };
    }
}

/// Tells the caller the identifier of what was made; a label is there already.
fn name_made(into: *mut Guid, label: Option<Guid>, made: Guid, pc: usize) {
    if label.is_none() {
        put(into, made, pc);
    }
}

/// What the caller passes as an array, read as the caller. Programs pass structures that are packed, too.
///
/// # Safety
/// `from` is null or has so many elements.
pub(super) unsafe fn get<T: Copy>(from: *const T, len: u32, pc: usize) -> Vec<T> {
    if from.is_null() || len == 0 {
        return Vec::new();
    }
    access::read(from.addr(), len as usize * size_of::<T>(), pc);
    // SAFETY: as the caller promises.
    let element = |at| unsafe { from.add(at).read_unaligned() };
    (0..len as usize).map(element).collect()
}

/// The arguments of `ocrEdtCreate` that do not fit into registers come on the stack, as does the return address.
#[unsafe(naked)]
#[unsafe(export_name = "ocrEdtCreate")]
unsafe extern "C" fn edt_create_shim() {
    naked_asm!(
        "sub rsp, 8",
        "push qword ptr [rsp + 8]",
        "push qword ptr [rsp + 40]",
        "push qword ptr [rsp + 40]",
        "push qword ptr [rsp + 40]",
        "call {function}",
        "add rsp, 40",
        "ret",
        function = sym edt_create,
    )
}

/// Notes where a task is created with other numbers of parameters and dependences than its template says.
fn tell_miscounts(template: &Template, params: (u32, *const u64), depc: u32, pc: usize) {
    let (paramc, paramv) = params;
    let missing = match count(paramc, template.paramc) {
        Some(count) if count > 0 && paramv.is_null() => Some(Rule::NoParameters { count }),
        _ => None,
    };
    let rules = [
        miscount("parameters", paramc, template.paramc),
        miscount("dependences", depc, template.depc),
        missing,
    ];
    for rule in rules.into_iter().flatten() {
        thread::enter(|runtime, thread| {
            with_actor(runtime, thread, pc, |world, actor| {
                world.misused(actor, rule, None);
            })
        });
    }
}

#[allow(clippy::too_many_arguments, reason = "that many are declared")]
unsafe extern "C-unwind" fn edt_create(
    guid: *mut Guid,
    template: Guid,
    paramc: u32,
    paramv: *const u64,
    depc: u32,
    depv: *const Guid,
    properties: u16,
    _hint: *const c_void,
    output: *mut Guid,
    pc: usize,
) -> u8 {
    // SAFETY: the caller passes null or one identifier.
    let given = unsafe { output.as_ref() }.copied();
    let label = match label::asked(guid, properties) {
        Ok(label) => label,
        Err(result) => return result,
    };
    let known = thread::enter(|_, _| world().objects.template(template)).flatten();
    if let Some(template) = &known {
        tell_miscounts(template, (paramc, paramv), depc, pc);
    }
    let of_template = |field: fn(&Template) -> u32| known.as_ref().map_or(0, field);
    let paramc = count(paramc, of_template(|template| template.paramc)).unwrap_or(0);
    let depc = count(depc, of_template(|template| template.depc));
    // SAFETY: the caller's arrays.
    let (params, dependences) =
        unsafe { (get(paramv, paramc, pc), get(depv, depc.unwrap_or(0), pc)) };
    let (Some(depc), false) = (depc, paramv.is_null() && paramc > 0) else {
        return INVALID;
    };
    let created = thread::enter(|runtime, thread| {
        with_actor(runtime, thread, pc, |world, actor| {
            let asked = Request {
                template,
                params: &params,
                depc,
                dependences: &dependences,
                properties,
                output: given,
                label,
            };
            world.create(actor, asked)
        })
    });
    let Some(Some((made, event))) = created else {
        return INVALID;
    };
    name_made(guid, label, made, pc);
    put(output, event, pc);
    DONE
}

/// One argument more than there are registers: the return address.
#[unsafe(naked)]
#[unsafe(export_name = "ocrDbCreate")]
unsafe extern "C" fn db_create_shim() {
    naked_asm!(
        "push qword ptr [rsp]",
        "call {function}",
        "add rsp, 8",
        "ret",
        function = sym db_create,
    )
}

unsafe extern "C-unwind" fn db_create(
    guid: *mut Guid,
    address: *mut usize,
    size: u64,
    flags: u16,
    _hint: *const c_void,
    _allocator: u32,
    pc: usize,
) -> u8 {
    let label = match label::asked(guid, flags) {
        Ok(label) => label,
        Err(result) => return result,
    };
    let Some((made, start)) = block_for_caller(size, flags, label, pc) else {
        return NO_MEMORY;
    };
    name_made(guid, label, made, pc);
    let is_acquired = flags & NOT_ACQUIRED == 0;
    put(address, if is_acquired { start } else { 0 }, pc);
    DONE
}

/// A new block, which the caller has acquired unless the flags say otherwise, and where it is.
pub(super) fn block_for_caller(
    size: u64,
    flags: u16,
    label: Option<Guid>,
    pc: usize,
) -> Option<(Guid, usize)> {
    let made = thread::enter(|runtime, thread| {
        let number = thread.number;
        let made = with_actor(runtime, thread, pc, |world, actor| {
            let made = world.create_block(number, actor, size as usize, flags)?;
            if let Some(label) = label {
                world.objects.name(label, made.0);
                world.catch_up(actor, label);
            }
            Some(made)
        });
        let (guid, start, held) = made?;
        if let Some(held) = held {
            block::created(thread, &mut world(), held);
        }
        Some((guid, start))
    });
    made.flatten()
}

/// Creates an event; `counter` is what a latch or a counted event starts with.
fn create_event(guid: *mut Guid, kind: u32, properties: u16, counter: i64, pc: usize) -> u8 {
    match Kind::new(kind) {
        // It cannot be without parameters.
        None | Some(Kind::Collective) => INVALID,
        Some(kind) => put_event(guid, properties, pc, |site| Event::new(kind, site, counter)),
    }
}

/// Creates an event and says which.
pub(super) fn put_event(
    guid: *mut Guid,
    properties: u16,
    pc: usize,
    make: impl FnOnce(SiteId) -> Event,
) -> u8 {
    let label = match label::asked(guid, properties) {
        Ok(label) => label,
        Err(result) => return result,
    };
    let made = thread::enter(|runtime, thread| {
        with_actor(runtime, thread, pc, |world, actor| {
            world.counted.creates_event();
            let made = world.objects.add(Object::Event(Box::new(make(actor.site))));
            if let Some(label) = label {
                world.objects.name(label, made);
                world.catch_up(actor, label);
            }
            made
        })
    });
    name_made(guid, label, made.unwrap_or(Guid::NULL), pc);
    if made.is_some() { DONE } else { INVALID }
}

fn satisfy(event: Guid, data: Guid, slot: u32, pc: usize) -> u8 {
    thread::enter(|runtime, thread| {
        with_actor(runtime, thread, pc, |world, actor| {
            world.counted.satisfies();
            let here = actor.here();
            let data = if data.is_nothing() { Guid::NULL } else { data };
            world.pass(actor, event, slot, data, here);
        });
    });
    DONE
}

fn depend(from: Guid, from_slot: u32, to: Guid, slot: u32, mode: u32, pc: usize) -> u8 {
    let done = thread::enter(|runtime, thread| {
        block::asked(thread, mode);
        with_actor(runtime, thread, pc, |world, actor| {
            if from_slot != 0 && !world.has_slots(from) {
                return INVALID;
            }
            world.uses_block(actor, from, "depended on");
            world.add_dependence(actor, from, from_slot, to, slot, mode);
            DONE
        })
    });
    done.unwrap_or(INVALID)
}

fn destroy_block(guid: Guid, pc: usize) -> u8 {
    let life = thread::enter(|_, thread| {
        let mut world = world();
        let block = world.objects.block(guid)?;
        let (start, size) = (block.start, block.size);
        let guid = world.objects.resolve(guid);
        // Whoever destroys a block need not have acquired it.
        if !thread.ocr.holds(guid) {
            thread.ocr.add_held(Held::new(guid, start, size, How::Read));
            world.take_hold(guid);
        }
        Some(start - LIFE)
    });
    let Some(Some(life)) = life else {
        thread::enter(|runtime, thread| {
            with_actor(runtime, thread, pc, |world, actor| {
                world.misused(actor, Rule::BlockGone { what: "destroyed" }, None);
            });
        });
        return INVALID;
    };
    // Outside, as the program's own access.
    access::write(life, LIFE, pc);
    thread::enter(|runtime, thread| {
        let here = with_actor(runtime, thread, pc, |_, actor| actor.here());
        let mut world = world();
        block::release(thread, &mut world, guid, access::site(pc));
        block::destroy(&mut world, guid, here);
    });
    DONE
}

export! {
    ["ocrEventCreate"] fn event_create(guid: *mut Guid, kind: u32, properties: u16) at pc -> u8 {
        create_event(guid, kind, properties, 0, pc)
    }

    ["ocrEventCreateParams"] fn event_create_params(guid: *mut Guid, kind: u32, properties: u16, params: *const u64) at pc -> u8 {
        if Kind::new(kind) == Some(Kind::Collective) {
            return collective::create(guid, properties, params, pc);
        }
        // SAFETY: the caller passes null or parameters, whose first word is the counter of a latch or the number
        // of dependences of a counted event.
        let first = unsafe { get(params, 1, pc) }.first().copied();
        let counter = first.filter(|_| matches!(Kind::new(kind), Some(Kind::Latch | Kind::Counted)));
        create_event(guid, kind, properties, counter.unwrap_or(0) as i64, pc)
    }

    ["ocrEventDestroy"] fn event_destroy(guid: Guid) at pc -> u8 {
        thread::enter(|runtime, thread| {
            with_actor(runtime, thread, pc, |world, actor| match world.objects.event(guid) {
                Some(_) => {
                    world.objects.remove(guid);
                    DONE
                }
                None => {
                    world.misused(actor, Rule::EventGone { what: "destroyed" }, None);
                    INVALID
                }
            })
        }).unwrap_or(INVALID)
    }

    ["ocrEventSatisfy"] fn event_satisfy(event: Guid, data: Guid) at pc -> u8 {
        satisfy(event, data, 0, pc)
    }

    ["ocrEventSatisfySlot"] fn event_satisfy_slot(event: Guid, data: Guid, slot: u32) at pc -> u8 {
        satisfy(event, data, slot, pc)
    }

    ["ocrDbDestroy"] fn db_destroy(guid: Guid) at pc -> u8 {
        destroy_block(guid, pc)
    }

    ["ocrDbRelease"] fn db_release(guid: Guid) at pc -> u8 {
        thread::enter(|runtime, thread| {
            let site = access::site(pc);
            if block::release(thread, &mut world(), guid, site) {
                return DONE;
            }
            with_actor(runtime, thread, pc, |world, actor| world.misused(actor, Rule::NotHeld, None));
            ACCESS
        }).unwrap_or(INVALID)
    }

    ["ocrDbGetSize"] fn db_get_size(guid: Guid, size: *mut u64) at pc -> u8 {
        let found = thread::enter(|_, _| world().objects.block(guid).map(|block| block.size as u64));
        match found.flatten() {
            Some(found) => {
                put(size, found, pc);
                DONE
            }
            None => INVALID,
        }
    }

    ["ocrEdtTemplateCreate_internal"] fn template_create(guid: *mut Guid, function: usize, paramc: u32, depc: u32, _name: *const c_char) at pc -> u8 {
        let made = thread::enter(|runtime, thread| {
            with_actor(runtime, thread, pc, |world, actor| {
                if function == 0 {
                    world.misused(actor, Rule::NoFunction, None);
                    return None;
                }
                let template = Template { address: function, function: world.function(function), paramc, depc };
                Some(world.objects.add(Object::Template(Box::new(template))))
            })
        }).flatten();
        put(guid, made.unwrap_or(Guid::NULL), pc);
        if made.is_some() { DONE } else { INVALID }
    }

    ["ocrEdtTemplateDestroy"] fn template_destroy(guid: Guid) at pc -> u8 {
        thread::enter(|runtime, thread| {
            with_actor(runtime, thread, pc, |world, actor| {
                if world.objects.template(guid).is_none() {
                    world.misused(actor, Rule::NoTemplate, None);
                    return INVALID;
                }
                world.objects.remove(guid);
                DONE
            })
        }).unwrap_or(INVALID)
    }

    ["ocrEdtDestroy"] fn edt_destroy(guid: Guid) at pc -> u8 {
        thread::enter(|runtime, thread| {
            with_actor(runtime, thread, pc, |world, _| match world.objects.edt(guid) {
                Some(edt) if !edt.is_runnable() => {
                    let home = edt.home;
                    world.objects.remove(guid);
                    world.finish(home).pending -= 1;
                    DONE
                }
                _ => INVALID,
            })
        }).unwrap_or(INVALID)
    }

    ["ocrAddDependence"] fn add_dependence(from: Guid, to: Guid, slot: u32, mode: u32) at pc -> u8 {
        depend(from, 0, to, slot, mode, pc)
    }

    ["ocrAddDependenceSlot"] fn add_dependence_slot(from: Guid, from_slot: u32, to: Guid, slot: u32, mode: u32) at pc -> u8 {
        depend(from, from_slot, to, slot, mode, pc)
    }

    ["ocrShutdown"] fn shutdown() at _pc {
        thread::enter(|_, thread| thread.ocr.shuts_down = true);
        schedule::shut_down();
    }

    ["ocrAbort"] fn abort(code: u8) at _pc {
        // SAFETY: ends the process as the program asks.
        unsafe { ::libc::exit(i32::from(code)) };
    }

    ["ocrGetArgc"] fn argc(block: *const u64) at pc -> u64 {
        // SAFETY: the block that the first task gets, by the caller's contract.
        unsafe { get(block, 1, pc) }.first().copied().unwrap_or(0)
    }

    ["ocrGetArgv"] fn argv(block: *const u64, index: u64) at pc -> *const c_char {
        // SAFETY: as above; behind the number come as many offsets.
        unsafe {
            let words = get(block, index as u32 + 2, pc);
            block.cast::<c_char>().add(words.last().copied().unwrap_or(0) as usize)
        }
    }

    ["_ocrAssert"] fn assert(holds: bool, text: *const c_char, file: *const c_char, line: u32) at _pc {
        if !holds {
            // SAFETY: string literals of the program's.
            let (text, file) = unsafe { (CStr::from_ptr(text), CStr::from_ptr(file)) };
            crate::say::say!("{}:{line}: assertion `{}' failed", file.to_string_lossy(), text.to_string_lossy());
            // SAFETY: ends the process.
            unsafe { ::libc::abort() };
        }
    }
}
