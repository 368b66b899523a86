//! Random `.task` programs: every engine gives the oracle's verdicts, recorded runs equal live
//! ones, eliminations change nothing.

use heddle_oracle::stream::Class;
use heddle_oracle::{cases, try_programs};

fn properties_hold(class: Class) {
    if let Err(wrong) = try_programs(class, cases(300), 1) {
        panic!("{wrong}");
    }
}

macro_rules! properties_hold {
    ($($name:ident: $class:ident;)*) => {
        $(
            #[test]
            fn $name() {
                properties_hold(Class::$class);
            }
        )*
    };
}

properties_hold! {
    structured_programs: Structured;
    programs_with_isolated: Isolated;
    programs_with_locks: Locks;
    programs_with_futures_events_and_regions: Edges;
    programs_that_mix_async_and_spawn: ScopeHandles;
    programs_with_everything: Everything;
}
