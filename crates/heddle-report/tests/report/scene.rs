//! Hand-built outcomes: the least code that gives a report something to say.

use heddle_core::{
    Access, AccessKind, Certainty, Counts, FileId, Finding, FinishId, FinishInfo, FinishKind,
    Guarantee, Legend, LockId, NameId, Outcome, Place, Site, SiteId, SourceFile, TaskId, TaskInfo,
    TaskKind, Why,
};
use heddle_report::{Report, Settings, Subject, Unchecked};

pub struct Scene {
    pub outcome: Outcome,
    pub legend: Legend,
    pub features: heddle_core::Features,
    pub unchecked: Unchecked,
}

impl Scene {
    pub fn new(source: &str) -> Self {
        Self::at_path("a.task", source)
    }

    pub fn at_path(path: &str, source: &str) -> Self {
        let file = SourceFile {
            path: path.into(),
            text: Some(source.into()),
        };
        Self {
            outcome: empty(),
            legend: Legend {
                files: vec![file],
                ..Legend::default()
            },
            features: Default::default(),
            unchecked: Unchecked::Nothing,
        }
    }

    /// The site of the first `length` characters of the first place where `pattern` stands.
    pub fn site(&mut self, pattern: &str, length: u32) -> SiteId {
        let text = self.legend.files[0].text.as_deref().unwrap();
        let before = &text[..text
            .find(pattern)
            .expect("the pattern stands in the source")];
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() as u32 + 1;
        self.raw_site(line, column, line, column + length)
    }

    pub fn raw_site(&mut self, line: u32, column: u32, end_line: u32, end_column: u32) -> SiteId {
        self.legend.sites.push(Site {
            file: FileId::new(0),
            line,
            column,
            end_line,
            end_column,
        });
        SiteId::new(self.legend.sites.len() as u32 - 1)
    }

    pub fn name(&mut self, name: &str) -> NameId {
        self.legend.names.push(name.into());
        NameId::new(self.legend.names.len() as u32 - 1)
    }

    pub fn task(
        &mut self,
        kind: TaskKind,
        name: Option<&str>,
        parent: TaskId,
        finish: FinishId,
        site: SiteId,
    ) -> TaskId {
        let name = name.map(|name| self.name(name));
        self.outcome.tasks.push(TaskInfo {
            parent,
            site,
            finish,
            kind,
            name,
        });
        TaskId::new(self.outcome.tasks.len() as u32)
    }

    pub fn finish(&mut self, kind: FinishKind, owner: TaskId, site: SiteId) -> FinishId {
        self.outcome.finishes.push(FinishInfo { owner, site, kind });
        FinishId::new(self.outcome.finishes.len() as u32)
    }

    pub fn lock(&mut self, name: &str) -> LockId {
        let name = self.name(name);
        self.outcome.locks.push(name);
        LockId::new(self.outcome.locks.len() as u32)
    }

    pub fn race(&mut self, place: Place, accesses: [Access; 2], why: Why) {
        self.outcome.findings.push(Finding::Race {
            certainty: Certainty::Certain,
            place,
            accesses,
            why,
            count: 1,
        });
    }

    pub fn report(&self) -> Report {
        self.report_with(Settings::default())
    }

    pub fn report_with(&self, settings: Settings) -> Report {
        let subject = Subject {
            program: &self.legend.files[0].path,
            outcome: &self.outcome,
            legend: &self.legend,
            features: self.features,
            unchecked: self.unchecked,
        };
        Report::new(subject, settings)
    }
}

pub fn access(kind: AccessKind, site: SiteId, task: TaskId, locks: &[LockId]) -> Access {
    Access {
        kind,
        site,
        task,
        locks: locks.to_vec(),
    }
}

pub fn scalar(name: NameId) -> Place {
    Place {
        name: Some(name),
        index: None,
        location: 0,
    }
}

pub fn element(name: NameId, index: u64) -> Place {
    Place {
        name: Some(name),
        index: Some(index),
        location: index,
    }
}

fn empty() -> Outcome {
    Outcome {
        findings: Vec::new(),
        guarantee: Guarantee::AllSchedules,
        fault: None,
        tasks: Vec::new(),
        finishes: Vec::new(),
        locks: Vec::new(),
        tokens: Vec::new(),
        counts: Counts::default(),
        orders: vec![heddle_core::OrderChoice::Bags],
        transactions: None,
    }
}
