//! How a program starts: with a first task, or with a `main` of its own that waits for tasks.

use super::abi::result::{DONE, INVALID, PERMISSION};
use super::abi::{get, put};
use super::block::{Held, How};
use super::edt::{Request, Template};
use super::event::{Event, Kind};
use super::execute::with_actor;
use super::guid::{Guid, Object};
use super::schedule::{self, Stop};
use super::world::world;
use crate::shim::export;
use crate::thread;
use std::arch::naked_asm;
use std::ffi::{CStr, c_char, c_int};

/// The settings of a program with a `main` of its own, as `ocr.h` declares them.
#[repr(C)]
struct Config {
    argc: c_int,
    argv: *mut *mut c_char,
    settings: *const c_char,
}

/// What the first task is told: the number of arguments, where each begins, and the arguments.
fn packed(arguments: &[&CStr]) -> Vec<u8> {
    let mut offset = 8 * (arguments.len() + 1);
    let mut packed = (arguments.len() as u64).to_ne_bytes().to_vec();
    for argument in arguments {
        packed.extend((offset as u64).to_ne_bytes());
        offset += argument.to_bytes_with_nul().len();
    }
    for argument in arguments {
        packed.extend(argument.to_bytes_with_nul());
    }
    packed
}

/// The program's arguments.
///
/// # Safety
/// As `main` gets them.
unsafe fn arguments<'a>(argc: c_int, argv: *const *const c_char) -> Vec<&'a CStr> {
    let count = if argv.is_null() {
        0
    } else {
        argc.max(0) as usize
    };
    // SAFETY: as the caller promises.
    (0..count)
        .map(|at| unsafe { CStr::from_ptr(*argv.add(at)) })
        .collect()
}

/// Executes a program from its first task on; its exit status. `main` of programs without one calls this.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn heddle_ocr_main(
    argc: c_int,
    argv: *const *const c_char,
    first: usize,
) -> c_int {
    if first == 0 {
        crate::say::say!("heddle: the program has neither mainEdt nor main");
        return 2;
    }
    // SAFETY: what `main` got.
    let packed = packed(&unsafe { arguments(argc, argv) });
    let started = thread::enter(|runtime, thread| {
        let number = thread.number;
        // As a call from within the first task's function, which is where it is said to be created.
        with_actor(runtime, thread, first + 1, |world, actor| {
            let (block, start, _) = world.create_block(number, actor, packed.len(), 0)?;
            // SAFETY: a block of that size, which nobody else knows.
            unsafe {
                std::ptr::copy_nonoverlapping(packed.as_ptr(), start as *mut u8, packed.len())
            };
            let template = Template {
                address: first,
                function: world.function(first),
                paramc: 0,
                depc: 1,
            };
            let template = world.objects.add(Object::Template(Box::new(template)));
            let asked = Request {
                template,
                params: &[],
                depc: 1,
                dependences: &[block],
                properties: 0,
                output: None,
                label: None,
            };
            world.create(actor, asked)
        })
    });
    if started.flatten().is_none() {
        crate::say::say!("heddle: the program cannot be started");
        return 2;
    }
    schedule::run();
    0
}

/// A wait is also for the creation of the event under its label.
const FOR_CREATION: u16 = 1;

/// Waits until the event is satisfied, executing tasks meanwhile. Its data block, if it ever was.
fn wait(event: Guid, properties: u16, pc: usize) -> Option<Guid> {
    let may_come = event.is_label() && properties & FOR_CREATION != 0;
    let is_satisfied = || {
        let found = thread::enter(|_, _| {
            let mut world = world();
            match world.objects.event(event) {
                Some(event) => event.is_satisfied(),
                None => !may_come,
            }
        });
        found.unwrap_or(true)
    };
    schedule::start_workers();
    let inside = thread::enter(|_, thread| !thread.ocr.edt.is_null()) == Some(true);
    let stop = match inside {
        true => schedule::work_inside(is_satisfied),
        false => schedule::work_until(is_satisfied),
    };
    if stop == Stop::Stuck {
        thread::enter(|runtime, thread| {
            with_actor(runtime, thread, pc, |world, actor| {
                world.note_stuck();
                world.waits_for_ever(actor, event);
            })
        });
        crate::say::say!("heddle: no task can run, and an event is waited for");
    }
    thread::enter(|runtime, thread| {
        let mut world = world();
        let (data, sources) = world.objects.event(event)?.take()?;
        let strands = world.latest(sources, |_| true);
        runtime.engine.wait(&mut thread.cursor, &strands);
        thread.ocr.point = super::Point::default();
        Some(data)
    })
    .flatten()
}

/// The block is the waiting task's to access from now on: where it is, and its size.
fn acquire(data: Guid) -> (usize, u64) {
    let found = thread::enter(|_, thread| {
        let mut world = world();
        let guid = world.objects.resolve(data);
        let block = world.objects.block(guid)?;
        let (start, size) = (block.start, block.size);
        if !thread.ocr.holds(guid) {
            thread.ocr.add_held(Held::new(guid, start, size, How::Read));
            world.take_hold(guid);
        }
        Some((start, size as u64))
    });
    found.flatten().unwrap_or((0, 0))
}

export! {
    ["ocrWait"] fn wait_for(event: Guid) at pc -> Guid {
        wait(event, 0, pc).unwrap_or(Guid::ERROR)
    }

    ["ocrParseArgs"] fn parse_arguments(argc: c_int, argv: *mut *mut c_char, config: *mut Config) at pc {
        put(config, Config { argc, argv, settings: std::ptr::null() }, pc);
    }

    ["ocrLegacyInit"] fn legacy_init(context: *mut Guid, _config: *const Config) at pc {
        schedule::start_workers();
        put(context, Guid(24), pc);
    }

    ["ocrLegacyFinalize"] fn legacy_finalize(_context: Guid, until_shutdown: bool) at _pc -> u8 {
        if !until_shutdown {
            schedule::shut_down();
        }
        schedule::run();
        DONE
    }

    ["ocrLegacyBlockProgress"] fn block_progress(event: Guid, guid: *mut Guid, address: *mut usize, size: *mut u64, properties: u16) at pc -> u8 {
        let Some(data) = wait(event, properties, pc) else { return INVALID };
        put(guid, data, pc);
        let (start, len) = acquire(data);
        put(address, start, pc);
        put(size, len, pc);
        DONE
    }

    ["ocrLegacyIsChannelReady"] fn is_channel_ready(channel: Guid) at _pc -> bool {
        let found = thread::enter(|_, _| world().objects.event(channel).map(|event| event.is_satisfied()));
        found.flatten().unwrap_or(false)
    }
}

/// Two arguments more than there are registers: the context and the return address.
#[unsafe(naked)]
#[unsafe(export_name = "ocrLegacySpawnOCR")]
unsafe extern "C" fn spawn_shim() {
    naked_asm!(
        "sub rsp, 8",
        "push qword ptr [rsp + 8]",
        "push qword ptr [rsp + 24]",
        "call {function}",
        "add rsp, 24",
        "ret",
        function = sym spawn,
    )
}

/// Starts a task from outside; the handle is an event that is satisfied when it is over.
#[allow(clippy::too_many_arguments, reason = "that many are declared")]
unsafe extern "C-unwind" fn spawn(
    handle: *mut Guid,
    template: Guid,
    paramc: u64,
    params: *const u64,
    depc: u64,
    dependences: *const Guid,
    _context: Guid,
    pc: usize,
) -> u8 {
    // SAFETY: the caller's arrays.
    let (params, dependences) = unsafe {
        (
            get(params, paramc as u32, pc),
            get(dependences, depc as u32, pc),
        )
    };
    let made = thread::enter(|runtime, thread| {
        with_actor(runtime, thread, pc, |world, actor| {
            let event = Event::new(Kind::Sticky, actor.site, 0);
            world.counted.creates_event();
            let event = world.objects.add(Object::Event(Box::new(event)));
            let asked = Request {
                template,
                params: &params,
                depc: depc as u32,
                dependences: &dependences,
                // A finish EDT whose output event is the handle.
                properties: 1 | 8,
                output: Some(event),
                label: None,
            };
            world.create(actor, asked).map(|_| event)
        })
    });
    match made.flatten() {
        Some(event) => {
            put(handle, event, pc);
            DONE
        }
        None => PERMISSION,
    }
}
