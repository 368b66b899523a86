//! From code addresses to functions and source positions.

use crate::report::callers::{self, Callers, Start};
use crate::report::functions::{self, LAMBDA, Named};
use crate::report::image::Image;
use crate::report::inventory::Inventory;
use crate::report::modules::{Module, Modules};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A place in the program's source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Spot {
    /// The function, demangled; of a construct's body, the function around it.
    pub function: String,
    /// Where in the source, if it is known.
    pub at: Option<At>,
    /// Whether it is in the body of a construct that the compiler made a function of its own.
    pub is_outlined: bool,
}

/// A source position.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct At {
    /// The file's path, as the compiler knew it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

impl Spot {
    /// Whether the body of a construct is called from its wrapper: that is one place, the inner one.
    pub fn wraps(&self, inner: &Self) -> bool {
        self.is_outlined && inner.is_outlined && inner.function == self.function
    }

    /// Whether it lies in the headers of the compiler or the system.
    pub fn is_of_system(&self) -> bool {
        self.at.as_ref().is_some_and(|at| is_of_system(&at.file))
    }
}

/// What the compiler kept of the source position of some code. Optimisation drops the position of what it moves out of
/// a loop, and the column of what stands for several places of one line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// All of it, or there never was one.
    All,
    /// The line.
    Line,
    /// Nothing.
    Nothing,
}

/// Whether a file is a header of the compiler or the system.
pub fn is_of_system(file: &str) -> bool {
    file.starts_with("/usr/include/")
        || file.starts_with("/usr/lib/")
        || file.contains("/include/c++/")
}

/// A module's image and what was found in it.
pub struct Known {
    /// The file.
    pub image: Image,
    /// Functions and variables by name.
    pub inventory: Inventory,
    callers: OnceCell<Callers>,
}

/// Bytes of code that count as near.
const NEAR: u64 = 256;

/// Looks up addresses; modules are read when they are first asked for.
pub struct Symbols<'a> {
    modules: &'a Modules,
    known: HashMap<usize, Option<Rc<Known>>>,
}

impl<'a> Symbols<'a> {
    /// For addresses in these modules.
    pub fn new(modules: &'a Modules) -> Self {
        Self {
            modules,
            known: HashMap::new(),
        }
    }

    /// The module of an address, with what is known of it.
    pub fn module(&mut self, address: usize) -> Option<(&'a Module, Option<Rc<Known>>)> {
        let module = self.modules.find(address)?;
        let known = self
            .known
            .entry(std::ptr::from_ref(module).addr())
            .or_insert_with(|| {
                let image = Image::open(&module.path)?;
                let inventory = Inventory::new(&image);
                let callers = OnceCell::new();
                Some(Rc::new(Known {
                    image,
                    inventory,
                    callers,
                }))
            });
        Some((module, known.clone()))
    }

    /// The modules with code of the program.
    pub fn program(&mut self) -> Vec<Rc<Known>> {
        let starts: Vec<usize> = self.modules.programs().collect();
        let known = starts.into_iter().filter_map(|start| self.module(start)?.1);
        known.collect()
    }

    /// The places that a call returning to `pc` was made from, innermost first: several where functions
    /// were inlined. Empty if no module has that address.
    pub fn call(&mut self, pc: usize) -> Vec<Spot> {
        // The call is before the address it returns to.
        let pc = pc.saturating_sub(1);
        let Some((module, known)) = self.module(pc) else {
            return Vec::new();
        };
        let address = module.in_file(pc);
        let found = known.as_deref().map(|known| spots(known, address));
        let found = found.unwrap_or_default();
        match found.is_empty() || found.iter().all(|spot| spot.at.is_none()) {
            true => vec![bare(module, known.as_deref(), address)],
            false => found,
        }
    }

    /// What was kept of the position of the call that returns to `pc`.
    pub fn kept(&mut self, pc: usize) -> Kept {
        let pc = pc.saturating_sub(1);
        let Some((module, Some(known))) = self.module(pc) else {
            return Kept::All;
        };
        let frames = known.image.context.find_frames(module.in_file(pc));
        let Ok(Ok(Some(frame))) = frames.skip_all_loads().map(|mut frames| frames.next()) else {
            return Kept::All;
        };
        let location = frame.location.map(|at| (at.line, at.column));
        match location {
            None | Some((None | Some(0), _)) => Kept::Nothing,
            Some((_, None | Some(0))) => Kept::Line,
            Some(_) => Kept::All,
        }
    }

    /// The positions of the other code in the function around `pc`, with an address in it; the nearest first.
    pub fn around(&mut self, pc: usize) -> Vec<(usize, At)> {
        let Some((module, Some(known))) = self.module(pc) else {
            return Vec::new();
        };
        let address = module.in_file(pc);
        let Some(function) = known.image.function(address) else {
            return Vec::new();
        };
        let end = function.start + function.size;
        let rows = known.image.context.find_location_range(function.start, end);
        let rows = rows.into_iter().flatten();
        let mut rows: Vec<(u64, At)> = rows
            .filter_map(|(start, _, location)| Some((start, at(location)?)))
            .collect();
        rows.sort_by_key(|(start, _)| start.abs_diff(address));
        let in_memory = |(start, at)| (module.in_memory(start), at);
        rows.into_iter().map(in_memory).collect()
    }

    /// The ways to an access at `pc` with the calls that were `seen`, if all are known. Each has its calls, innermost
    /// first.
    pub fn ways(&mut self, pc: usize, start: Start, seen: &[usize]) -> Vec<Vec<usize>> {
        let Some((module, Some(known))) = self.module(pc) else {
            return Vec::new();
        };
        let construct = match start {
            Start::Task(site) => site.and_then(|site| self.modules.pc(site)),
            Start::Main => None,
        };
        let construct = construct.and_then(|pc| self.construct(pc));
        let is_body = |function| {
            let body = spots(&known, function).pop().and_then(|spot| spot.at);
            let line = |at: At| (at.file, at.line);
            body.is_some() && body.map(line) == construct.clone().map(line)
        };
        let callers = known.callers.get_or_init(|| Callers::new(&known.image));
        let address = module.in_file(pc.saturating_sub(1));
        let seen: Vec<u64> = seen.iter().map(|&call| module.in_file(call)).collect();
        let ways = callers.ways(&known.image, (address, &seen), start, is_body);
        let in_memory =
            |way: Vec<u64>| way.into_iter().map(|call| module.in_memory(call)).collect();
        ways.into_iter().map(in_memory).collect()
    }

    /// Where the construct stands whose code calls the runtime and returns to `pc`.
    pub fn construct(&mut self, pc: usize) -> Option<At> {
        self.outlined(pc)
            .or_else(|| self.call(pc).into_iter().next()?.at)
    }

    /// Where a construct stands whose code returns from the runtime to `pc`, if gcc compiled it.
    ///
    /// Gcc gives the call the line of whatever came before it. The function that it makes of the construct's body has
    /// the line of the construct, and the call passes that function's address.
    pub fn outlined(&mut self, pc: usize) -> Option<At> {
        let (module, known) = self.module(pc)?;
        let known = known?;
        let body = callers::passed(&known.image, module.in_file(pc), NEAR)?;
        let is_body = known.image.function(body)?.name.contains("._omp_fn.");
        is_body.then(|| spots(&known, body).pop()?.at)?
    }

    /// Whether the module with this code has debug information at all.
    pub fn has_debug_information(&mut self, pc: usize) -> bool {
        let known = self.module(pc).and_then(|(_, known)| known);
        known.is_some_and(|known| known.image.has_debug_information())
    }
}

/// What debug information says of an address.
fn spots(known: &Known, address: u64) -> Vec<Spot> {
    let frames = known.image.context.find_frames(address).skip_all_loads();
    let Ok(mut frames) = frames else {
        return Vec::new();
    };
    let mut spots: Vec<Spot> = Vec::new();
    while let Ok(Some(frame)) = frames.next() {
        let at = frame.location.and_then(at);
        // Code that stands for several places has none; the place before it is near.
        let at = at.or_else(|| spots.is_empty().then(|| before(known, address))?);
        let raw = frame
            .function
            .as_ref()
            .and_then(|name| name.raw_name().ok());
        // Gcc tells no more of a lambda; its symbol says in which function it is, unless it was inlined elsewhere.
        let is_lambda = raw.as_deref() == Some("operator()");
        let raw = raw.filter(|_| !is_lambda);
        let symbol = raw.or_else(|| Some(known.image.symbol(address)?.name.into()));
        let (mut function, is_outlined) = name(known, &symbol.unwrap_or_default(), at.as_ref());
        if is_lambda && !function.contains("operator()") && !function.starts_with(LAMBDA) {
            let around = at
                .as_ref()
                .and_then(|at| known.inventory.function_at(&at.file, at.line));
            function = around.map_or(function, |around| format!("{LAMBDA}{around}"));
        }
        let spot = Spot {
            function,
            at,
            is_outlined,
        };
        if !spots.last().is_some_and(|inner| spot.wraps(inner)) {
            spots.push(spot);
        }
    }
    spots
}

fn at(location: addr2line::Location<'_>) -> Option<At> {
    Some(At {
        file: location.file?.to_owned(),
        line: location.line.filter(|&line| line > 0)?,
        column: location.column.unwrap_or(1).max(1),
    })
}

/// The last place known before this address, if one is near.
fn before(known: &Known, address: u64) -> Option<At> {
    let range = known
        .image
        .context
        .find_location_range(address.saturating_sub(NEAR), address);
    range
        .ok()?
        .filter_map(|(_, _, location)| at(location))
        .last()
}

fn name(known: &Known, symbol: &str, at: Option<&At>) -> (String, bool) {
    match functions::read(symbol) {
        Named::Plain(name) => (name, false),
        Named::Outlined(name) => (name, true),
        Named::Nameless => {
            let around = at.and_then(|at| known.inventory.function_at(&at.file, at.line));
            (around.unwrap_or("?").to_owned(), true)
        }
    }
}

/// Without debug information: the symbol, or the place in the module.
fn bare(module: &Module, known: Option<&Known>, address: u64) -> Spot {
    let symbol = known.and_then(|known| known.image.symbol(address));
    let named = symbol.map(|symbol| functions::read(symbol.name));
    let function = match named {
        Some(Named::Plain(name) | Named::Outlined(name)) => name,
        _ => "?".into(),
    };
    let path = match module.path == "/proc/self/exe" {
        true => executable(),
        false => module.path.clone(),
    };
    let at = At {
        file: format!("{path}+{address:#x}"),
        line: 1,
        column: 1,
    };
    Spot {
        function,
        at: Some(at),
        is_outlined: false,
    }
}

fn executable() -> String {
    let link = std::fs::read_link("/proc/self/exe");
    link.map_or_else(|_| "?".into(), |path| path.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn landmark() -> u32 {
        std::hint::black_box(line!())
    }

    #[test]
    fn an_address_leads_to_its_function_and_line() {
        let modules = Modules::load();
        let mut symbols = Symbols::new(&modules);
        let spots = symbols.call(landmark as fn() -> u32 as usize + 1);
        let spot = spots.last().expect("tests have debug information");
        assert!(spot.function.contains("landmark"), "{spot:?}");
        let at = spot.at.as_ref().expect("a position");
        assert!(at.file.ends_with("symbols.rs"), "{at:?}");
        assert!(at.line.abs_diff(landmark()) <= 2, "{at:?}");
        assert!(symbols.has_debug_information(landmark as fn() -> u32 as usize));
    }

    #[test]
    fn code_without_debug_information_is_named_by_its_symbol() {
        let modules = Modules::load();
        let mut symbols = Symbols::new(&modules);
        let spots = symbols.call(::libc::getpid as *const () as usize + 1);
        let [spot] = &*spots else {
            panic!("one place: {spots:?}");
        };
        assert!(spot.function.contains("getpid"), "{spot:?}");
        let at = spot.at.as_ref().expect("the place in the module");
        assert!(at.file.contains("libc.so.6+0x"), "{at:?}");
        assert!(!symbols.has_debug_information(::libc::getpid as *const () as usize));
    }

    #[test]
    fn an_address_outside_all_modules_has_no_place() {
        let modules = Modules::load();
        assert_eq!(Symbols::new(&modules).call(0), []);
        assert_eq!(Symbols::new(&modules).call(1), []);
    }
}
