//! Entry points of OpenMP's runtime that say what its callbacks leave out.
//!
//! The runtime reports the return address of its entry points as the place of a construct. So most are
//! taken over by a shim that saves the arguments, looks at them and jumps on: to the runtime it is as if
//! the program had called it.

use super::reduction::{self, Item};
use super::task::{self, Taskloop};
use super::{lock, sequence, work};
use crate::access::site;
use crate::shim::{Next, behind};
use crate::thread::{enter, enter_alone};
use std::ffi::{c_int, c_void};

/// The arguments of a call, as the shim saves them.
#[repr(C)]
#[derive(Debug)]
struct Arguments {
    alignment: usize,
    sixth: usize,
    fifth: usize,
    fourth: usize,
    third: usize,
    second: usize,
    first: usize,
    return_address: usize,
    /// Those that travel on the stack.
    further: [usize; 5],
}

/// Stands in for a function that is not there.
extern "C" fn nothing() -> usize {
    0
}

macro_rules! look_at {
    ($($symbol:literal => $look:path;)*) => {$(
        const _: () = {
            extern "C" fn look(arguments: &mut Arguments) -> usize {
                static NEXT: Next = Next::new(
                    match std::ffi::CStr::from_bytes_with_nul(concat!($symbol, "\0").as_bytes()) {
                        Ok(name) => name,
                        Err(_) => c"",
                    },
                    None,
                );
                $look(arguments);
                NEXT.address().unwrap_or(nothing as *const () as usize)
            }

            #[unsafe(naked)]
            #[unsafe(export_name = $symbol)]
            unsafe extern "C" fn shim() {
                std::arch::naked_asm!(
                    "push rdi",
                    "push rsi",
                    "push rdx",
                    "push rcx",
                    "push r8",
                    "push r9",
                    "sub rsp, 8",
                    "mov rdi, rsp",
                    "call {look}",
                    "add rsp, 8",
                    "pop r9",
                    "pop r8",
                    "pop rcx",
                    "pop rdx",
                    "pop rsi",
                    "pop rdi",
                    "jmp rax",
                    look = sym look,
                )
            }
        };
    )*};
}

look_at! {
    "__kmpc_omp_task_begin_if0" => undeferred;
    "__kmpc_taskloop" => taskloop;
    "__kmpc_taskloop_5" => taskloop;
    "__kmpc_for_static_init_4" => static_loop;
    "__kmpc_for_static_init_4u" => static_loop;
    "__kmpc_critical" => critical;
    "__kmpc_critical_with_hint" => critical;
    "GOMP_critical_name_start" => critical_by_name;
    "__kmpc_end_critical" => end_critical;
    "__kmpc_unset_lock" => unset_lock;
    "__kmpc_unset_nest_lock" => unset_lock;
    "__kmpc_end_ordered" => end_ordered;
    "omp_get_thread_num" => thread_number;
    "__kmpc_flush" => flush;
    "GOMP_task" => task_of_gcc;
    "GOMP_taskloop" => taskloop_of_gcc;
    "GOMP_taskloop_ull" => taskloop_of_gcc;
    "GOMP_parallel_sections" => sections_of_gcc;
    "GOMP_sections_start" => inner_sections_of_gcc;
    "GOMP_loop_dynamic_start" => loop_of_gcc;
    "GOMP_loop_guided_start" => loop_of_gcc;
    "GOMP_loop_runtime_start" => loop_of_gcc;
    "GOMP_loop_nonmonotonic_dynamic_start" => loop_of_gcc;
    "GOMP_loop_nonmonotonic_guided_start" => loop_of_gcc;
    "GOMP_loop_maybe_nonmonotonic_runtime_start" => loop_of_gcc;
    "GOMP_single_start" => single;
    "GOMP_single_copy_start" => single;
    "__kmpc_task_reduction_init" => reduction_of_group;
    "__kmpc_taskred_init" => reduction_of_group_with_originals;
    "__kmpc_task_reduction_modifier_init" => reduction_of_region;
    "__kmpc_taskred_modifier_init" => reduction_of_region_with_originals;
}

/// Gcc leaves it to the runtime to allocate tasks, and copies captured variables by a function of its own, if at all.
///
/// Of a task that is created while its thread waits at the end of a region, the runtime tells the place of the region.
fn task_of_gcc(arguments: &mut Arguments) {
    super::memory::allocates_in_runtime();
    let pc = arguments.return_address;
    enter(|_, thread| thread.openmp.task_of_gcc = pc);
}

/// The runtime then calls the entry point that clang's code calls.
fn taskloop_of_gcc(arguments: &mut Arguments) {
    super::memory::allocates_in_runtime();
    let pc = arguments.return_address;
    enter(|_, thread| thread.openmp.taskloop_of_gcc = pc);
}

/// The runtime deals gcc's sections out as a loop over their numbers, and calls them that.
fn sections_of_gcc(arguments: &mut Arguments) {
    work::has_sections(arguments.return_address);
}

/// Of what is inside a parallel region, the runtime does not tell where in gcc's code it is, either.
fn inner_sections_of_gcc(arguments: &mut Arguments) {
    sections_of_gcc(arguments);
    loop_of_gcc(arguments);
}

fn loop_of_gcc(arguments: &mut Arguments) {
    let pc = arguments.return_address;
    enter(|_, thread| thread.openmp.loop_of_gcc = pc);
}

/// `if(0)`: the creator waits until the task is over.
///
/// Its body is called by the creator's own code, so the runtime's frame lies above the creator's.
fn undeferred(arguments: &mut Arguments) {
    let top = (&raw const arguments.further) as usize;
    enter_alone(|_, thread| thread.openmp.undeferred = top);
}

/// Tasks that a loop without `grainsize` or `num_tasks` is made into, whatever the number of threads.
const LOOP_TASKS: usize = 1 << 8;

fn taskloop(arguments: &mut Arguments) {
    let is_undeferred = arguments.fourth as c_int == 0;
    enter_alone(|runtime, thread| {
        let site = match std::mem::take(&mut thread.openmp.taskloop_of_gcc) {
            0 => site(arguments.return_address),
            pc => site(pc),
        };
        task::running(runtime, thread).taskloop = Some(Taskloop {
            is_undeferred,
            site,
        });
    });
    let [_, _, schedule, amount, _] = &mut arguments.further;
    if *schedule as c_int == 0 {
        const NUM_TASKS: usize = 2;
        (*schedule, *amount) = (NUM_TASKS, LOOP_TASKS);
    }
}

/// The part of a source position that says what it is the position of.
#[repr(C)]
struct Position {
    reserved: u32,
    flags: u32,
}

/// Sections come as a loop over their numbers.
fn static_loop(arguments: &mut Arguments) {
    const SECTIONS: u32 = 0x400;
    const GRANULE: usize = 8;
    // SAFETY: the first argument is null or a source position.
    let position = unsafe { (arguments.first as *const Position).as_ref() };
    if position.is_some_and(|position| position.flags & SECTIONS != 0) {
        let bound = arguments.sixth / GRANULE * GRANULE;
        enter_alone(|_, thread| thread.openmp.section_bound = bound);
    }
}

/// The compiler's variable for a critical section has its name.
fn critical(arguments: &mut Arguments) {
    let variable = arguments.third;
    enter(|_, thread| thread.openmp.critical = variable);
}

fn critical_by_name(arguments: &mut Arguments) {
    let variable = arguments.first;
    enter(|_, thread| thread.openmp.critical = variable);
}

fn end_critical(_: &mut Arguments) {
    enter(lock::leave_critical);
}

fn unset_lock(arguments: &mut Arguments) {
    let address = arguments.third;
    enter(|runtime, thread| lock::released(runtime, thread, address));
}

fn end_ordered(_: &mut Arguments) {
    enter(sequence::ordered_end);
}

fn thread_number(_: &mut Arguments) {
    enter_alone(lock::asks_for_its_thread);
}

/// A flush is a fence: atomic accesses on both sides of it synchronise.
fn flush(_: &mut Arguments) {
    const SEQUENTIALLY_CONSISTENT: c_int = 5;
    unsafe extern "C" {
        fn __tsan_atomic_thread_fence(order: c_int);
    }
    // SAFETY: our own function; it needs nothing.
    unsafe { __tsan_atomic_thread_fence(SEQUENTIALLY_CONSISTENT) };
}

/// GCC's `single`: there is no call at its end.
fn single(_: &mut Arguments) {
    enter(|_, thread| thread.openmp.endless_single = true);
}

/// One variable of a reduction, as compilers describe it.
#[repr(C)]
struct Described {
    shared: usize,
    size: usize,
    functions: [usize; 3],
    flags: u64,
}

/// The same in the newer form.
#[repr(C)]
struct DescribedWithOriginal {
    shared: usize,
    original: usize,
    size: usize,
    functions: [usize; 3],
    flags: u64,
}

fn reduction_of_group(arguments: &mut Arguments) {
    // SAFETY: the caller passes that many descriptions.
    let items = unsafe { described(arguments.second, arguments.third) };
    begin_group(items);
}

fn reduction_of_group_with_originals(arguments: &mut Arguments) {
    // SAFETY: the caller passes that many descriptions.
    let items = unsafe { described_with_originals(arguments.second, arguments.third) };
    begin_group(items);
}

fn reduction_of_region(arguments: &mut Arguments) {
    // SAFETY: the caller passes that many descriptions.
    let items = unsafe { described(arguments.fourth, arguments.fifth) };
    begin_region(items);
}

fn reduction_of_region_with_originals(arguments: &mut Arguments) {
    // SAFETY: the caller passes that many descriptions.
    let items = unsafe { described_with_originals(arguments.fourth, arguments.fifth) };
    begin_region(items);
}

/// # Safety
/// There are `count` descriptions at `start`.
unsafe fn described(count: usize, start: usize) -> Vec<Item> {
    // SAFETY: as promised.
    let all = unsafe { std::slice::from_raw_parts(start as *const Described, count) };
    let item = |one: &Described| Item {
        address: one.shared,
        len: one.size,
    };
    all.iter().map(item).collect()
}

/// # Safety
/// There are `count` descriptions at `start`.
unsafe fn described_with_originals(count: usize, start: usize) -> Vec<Item> {
    // SAFETY: as promised.
    let all = unsafe { std::slice::from_raw_parts(start as *const DescribedWithOriginal, count) };
    let item = |one: &DescribedWithOriginal| Item {
        address: one.shared,
        len: one.size,
    };
    all.iter().map(item).collect()
}

/// The innermost group of the running task reduces these.
fn begin_group(items: Vec<Item>) {
    items.iter().copied().for_each(reduction::register);
    enter(|runtime, thread| task::group_reduces(runtime, thread, items));
}

/// The group that the runtime opens next is no group of the program.
fn begin_region(items: Vec<Item>) {
    items.iter().copied().for_each(reduction::register);
    enter(|_, thread| thread.openmp.hidden_group = Some(items));
}

mod real {
    use super::{behind, c_int, c_void};
    use std::ptr::null_mut;

    behind! {
        fn __kmpc_task_reduction_get_th_data(thread: c_int, group: *mut c_void, variable: *mut c_void) -> *mut c_void, or null_mut();
    }
}

/// A task's copy of a variable that its group reduces.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn __kmpc_task_reduction_get_th_data(
    number: c_int,
    group: *mut c_void,
    variable: *mut c_void,
) -> *mut c_void {
    // SAFETY: as the caller's call. The runtime may call compiled code to set the copy up.
    let copy = reduction::unchecked(|| unsafe {
        real::__kmpc_task_reduction_get_th_data(number, group, variable)
    });
    enter(|_, thread| reduction::copy(thread, variable as usize, copy as usize));
    copy
}
