//! Every engine gives the oracle's verdicts on random event streams.

use heddle_oracle::stream::{Class, Mode};
use heddle_oracle::{cases, try_streams};

fn engines_agree(class: Class, mode: Mode) {
    if let Err(wrong) = try_streams(class, mode, cases(400), 1) {
        panic!("{wrong}");
    }
}

macro_rules! engines_agree {
    ($($name:ident: $class:ident, $mode:ident;)*) => {
        $(
            #[test]
            fn $name() {
                engines_agree(Class::$class, Mode::$mode);
            }
        )*
    };
}

engines_agree! {
    serial_runs_of_structured_programs: Structured, Serial;
    interleaved_runs_of_structured_programs: Structured, Interleaved;
    serial_runs_with_isolated: Isolated, Serial;
    interleaved_runs_with_isolated: Isolated, Interleaved;
    serial_runs_with_locks: Locks, Serial;
    interleaved_runs_with_locks: Locks, Interleaved;
    serial_runs_with_extra_edges: Edges, Serial;
    interleaved_runs_with_extra_edges: Edges, Interleaved;
    serial_runs_with_scope_handles: ScopeHandles, Serial;
    interleaved_runs_with_scope_handles: ScopeHandles, Interleaved;
    serial_runs_with_everything: Everything, Serial;
    interleaved_runs_with_everything: Everything, Interleaved;
}
