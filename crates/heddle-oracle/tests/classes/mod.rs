//! One test for every class of random event streams and every way to run them.

/// The tests, each of which calls this function with its class and mode.
macro_rules! in_every_class {
    ($agree:ident) => {
        in_every_class! { $agree:
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
    };
    ($agree:ident: $($name:ident: $class:ident, $mode:ident;)*) => {
        $(
            #[test]
            fn $name() {
                $agree(Class::$class, Mode::$mode);
            }
        )*
    };
}
