//! What must hold of a random event stream.

use heddle_core::{Event, FileId, Legend, Run, Site, SourceFile};
use heddle_trace::{Trace, Writer};

use super::{Holds, caught, orders_agree_with_the_oracle};
use crate::stream::{Class, Recorded, Script, simulate};

/// The orders agree with the oracle, and a trace gives back what was written.
pub fn holds_of_script(class: Class, script: &Script) -> Holds {
    let mut run = Recorded {
        events: simulate(script),
        features: class.features(),
    };
    let holds = caught(|| {
        orders_agree_with_the_oracle(&mut run)?;
        survives_a_trace(&run)
    });
    holds.map_err(|wrong| format!("{wrong}\n\n{script}\n{run}"))
}

pub(super) fn survives_a_trace(run: &Recorded) -> Holds {
    let mut writer = Writer::new(Vec::new(), &run.features, None);
    run.clone().run(&mut writer);
    let bytes = writer
        .finish(Some(&legend(run.events.len())))
        .map_err(|error| error.to_string())?;
    let mut trace = Trace::read(bytes).map_err(|damaged| format!("unreadable: {damaged:?}"))?;
    let mut events: Vec<Event> = Vec::new();
    trace.run(&mut events);
    if trace.features() != run.features || events != run.events {
        return Err("the trace differs from what was written".into());
    }
    Ok(())
}

/// Enough sites and names for that many events of a script.
fn legend(events: usize) -> Legend {
    let file = FileId::new(0);
    let site = Site {
        file,
        line: 1,
        column: 1,
        end_line: 1,
        end_column: 2,
    };
    let source = SourceFile {
        path: "script".into(),
        text: None,
    };
    Legend {
        files: vec![source],
        sites: vec![site; 2 * events + 2],
        names: vec!["name".into()],
    }
}
