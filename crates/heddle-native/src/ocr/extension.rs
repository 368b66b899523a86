//! What a task can ask of itself and of the machine: affinities (there is one place), storage of its own, workers.

use super::abi::put;
use super::abi::result::{DONE, INVALID};
use super::guid::Guid;
use super::schedule;
use crate::shim::export;
use crate::thread;

/// The one place that there is.
const HERE: Guid = Guid(8);

export! {
    ["ocrAffinityCount"] fn affinity_count(_kind: u32, count: *mut u64) at pc -> u8 {
        put(count, 1, pc);
        DONE
    }

    ["ocrAffinityGet"] fn affinity_get(_kind: u32, count: *mut u64, into: *mut Guid) at pc -> u8 {
        put(into, HERE, pc);
        put(count, 1, pc);
        DONE
    }

    ["ocrAffinityGetAt"] fn affinity_get_at(_kind: u32, index: u64, into: *mut Guid) at pc -> u8 {
        put(into, HERE, pc);
        if index == 0 { DONE } else { INVALID }
    }

    ["ocrAffinityGetCurrent"] fn affinity_current(into: *mut Guid) at pc -> u8 {
        put(into, HERE, pc);
        DONE
    }

    ["ocrAffinityQuery"] fn affinity_query(_guid: Guid, count: *mut u64, into: *mut Guid) at pc -> u8 {
        put(into, HERE, pc);
        put(count, 1, pc);
        DONE
    }

    ["ocrAffinityToHintValue"] fn affinity_hint(affinity: Guid) at _pc -> u64 {
        affinity.0 as u64
    }

    ["ocrElsUserGet"] fn storage_get(offset: u8) at _pc -> Guid {
        let found = thread::enter(|_, thread| thread.ocr.storage.get(offset as usize).copied());
        found.flatten().unwrap_or(Guid::NULL)
    }

    ["ocrElsUserSet"] fn storage_set(offset: u8, data: Guid) at _pc {
        thread::enter(|_, thread| {
            let storage = &mut thread.ocr.storage;
            if storage.len() <= offset as usize {
                storage.resize(offset as usize + 1, Guid::NULL);
            }
            storage[offset as usize] = data;
        });
    }

    ["ocrCurrentEdtGet"] fn current_edt(into: *mut Guid) at pc -> u8 {
        let edt = thread::enter(|_, thread| thread.ocr.edt).unwrap_or(Guid::NULL);
        put(into, edt, pc);
        if edt.is_null() { INVALID } else { DONE }
    }

    ["ocrCurrentEdtOutputGet"] fn current_output(into: *mut Guid) at pc -> u8 {
        let output = thread::enter(|_, thread| thread.ocr.output).unwrap_or(Guid::NULL);
        put(into, output, pc);
        DONE
    }

    ["ocrNbWorkers"] fn worker_count() at _pc -> u64 {
        schedule::workers() as u64
    }

    ["ocrCurrentWorkerGuid"] fn current_worker(into: *mut Guid) at pc {
        put(into, Guid(schedule::worker() as i64 + 9), pc);
    }

    ["ocrInformLegacyCodeBlocking"] fn inform_of_blocking() at _pc -> u8 {
        DONE
    }
}
