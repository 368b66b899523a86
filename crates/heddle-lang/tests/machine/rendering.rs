//! Events as short text: `T` is a task, `F` a finish, places stand as in the source.
//!
//! Positions are left out except where a run stops early; there they are `@line:column`.

use heddle_core::{Awaited, Event, FinishKind, Legend, Location, LockId, NameId, Shape, SiteId};
use heddle_lang::Program;

/// Everything but the declarations.
pub fn render(program: &Program, events: &[Event]) -> Vec<String> {
    let mut renderer = Renderer {
        legend: &program.legend,
        program,
        objects: Vec::new(),
    };
    let rendered = events.iter().map(|event| renderer.event(event));
    rendered.filter(|text| !text.is_empty()).collect()
}

struct Object {
    start: u64,
    len: u64,
    name: String,
    shape: Shape,
}

struct Renderer<'p> {
    legend: &'p Legend,
    program: &'p Program,
    objects: Vec<Object>,
}

impl Renderer<'_> {
    fn event(&mut self, event: &Event) -> String {
        match *event {
            Event::Declare {
                extent,
                name,
                shape,
            } => {
                let name = self.name(name);
                self.object(extent.start, extent.len, name, shape);
                String::new()
            }
            Event::DeclareLock { .. } | Event::DeclareToken { .. } | Event::Atomic { .. } => {
                String::new()
            }
            Event::AtomicBegin { .. } => "atomic".to_owned(),
            Event::AtomicEnd { .. } => "atomic end".to_owned(),
            Event::Spawn {
                task,
                finish,
                kind,
                name,
                ..
            } => {
                let name = name.map_or(String::new(), |name| format!(" {}", self.name(name)));
                let kind = format!("{kind:?}").to_lowercase();
                format!("{kind} T{}{name} in F{}", task.raw(), finish.raw())
            }
            Event::Begin { task } => format!("begin T{}", task.raw()),
            Event::End { task } => format!("end T{}", task.raw()),
            Event::Resume { task } => format!("resume T{}", task.raw()),
            Event::FinishBegin {
                finish,
                kind: FinishKind::Finish,
                ..
            } => {
                format!("finish F{}", finish.raw())
            }
            Event::FinishBegin { finish, .. } => format!("block F{}", finish.raw()),
            Event::FinishEnd { finish } => format!("close F{}", finish.raw()),
            Event::Join { task, .. } => format!("join T{}", task.raw()),
            Event::Signal { token, .. } => format!("signal {}", self.token(token.index())),
            Event::Wait { token, .. } => format!("wait {}", self.token(token.index())),
            Event::Acquire { lock, .. } => format!("acquire {}", self.lock(lock)),
            Event::Release { lock, .. } => format!("release {}", self.lock(lock)),
            Event::Cut { .. } => "cut".to_owned(),
            Event::Read { extent, .. } => format!("read {}", self.place(extent.start)),
            Event::Write { extent, .. } => format!("write {}", self.place(extent.start)),
            Event::Alloc { extent, .. } => {
                self.object(extent.start, extent.len, "?".to_owned(), Shape::Array);
                format!("alloc {}+{}", extent.start.0, extent.len)
            }
            Event::Bind { start, name } => self.bind(start, name),
            Event::Free { extent, .. } => format!("free {}", self.place(extent.start)),
            Event::AssertionFailed { site } => format!("failed {}", self.site(site)),
            Event::Stuck {
                task,
                awaited,
                site,
            } => {
                let awaited = self.awaited(awaited);
                format!("T{} stuck for {awaited} {}", task.raw(), self.site(site))
            }
            Event::Fault { site, message } => {
                // A comma separates events.
                let message = format!("{message:?}").replace(',', ";");
                format!("{message} {}", self.site(site))
            }
        }
    }

    fn object(&mut self, start: Location, len: u64, name: String, shape: Shape) {
        let start = start.0;
        self.objects.push(Object {
            start,
            len,
            name,
            shape,
        });
    }

    fn bind(&mut self, start: Location, name: NameId) -> String {
        let name = self.name(name);
        let mut objects = self.objects.iter_mut();
        let object = objects.find(|object| object.start == start.0);
        object.expect("an object is bound after its birth").name = name.clone();
        format!("bind {} {name}", start.0)
    }

    fn place(&self, location: Location) -> String {
        let holds =
            |object: &&Object| object.start <= location.0 && location.0 - object.start < object.len;
        let object = self.objects.iter().find(holds).expect("an object");
        match object.shape {
            Shape::Scalar => object.name.clone(),
            Shape::Array => format!("{}[{}]", object.name, location.0 - object.start),
        }
    }

    fn awaited(&self, awaited: Awaited) -> String {
        match awaited {
            Awaited::Finish(finish) => format!("F{}", finish.raw()),
            Awaited::Task(task) => format!("T{}", task.raw()),
            Awaited::Token(token) => self.token(token.index()),
            Awaited::Lock(lock) => self.lock(lock),
            Awaited::Region(name) => self.name(name),
        }
    }

    fn lock(&self, lock: LockId) -> String {
        match lock.index() {
            0 => "isolated".to_owned(),
            row => self.name(self.program.locks[row - 1]),
        }
    }

    fn token(&self, row: usize) -> String {
        self.name(self.program.events[row])
    }

    fn name(&self, name: NameId) -> String {
        self.legend.name(name).expect("a name").to_owned()
    }

    fn site(&self, site: SiteId) -> String {
        let site = self.legend.site(site).expect("a position");
        format!("@{}:{}", site.line, site.column)
    }
}
