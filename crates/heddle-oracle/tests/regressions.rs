//! Programs that once broke a property, as small as they were shrunk.

use heddle_oracle::program::Subset;
use heddle_oracle::property::holds_of_source;

#[track_caller]
fn holds(source: &str) {
    if let Err(wrong) = holds_of_source(source, Subset::Every) {
        panic!("{wrong}");
    }
}

#[test]
fn a_task_spawned_outwards_twice_is_parallel_with_the_first_sync_block() {
    holds(
        "shared x;
         spawn { x = 1; }
         async { spawn { } async { x = 2; } }",
    );
}

#[test]
fn a_task_that_leaves_two_sync_blocks_is_parallel_with_both() {
    holds(
        "shared A[2];
         region r;
         proc f(n) {
           spawn { read A[n]; }
           post r { if (n > 0) { f(n - 1); } write A[n]; }
           ewait r;
         }
         f(1);",
    );
}

#[test]
fn what_the_main_task_writes_under_a_lock_is_handed_over() {
    holds(
        "shared x, y;
         lock L;
         with L {
           write x;
           async { with L { read x; } read y; }
           write y;
         }",
    );
}
