//! Accesses to shared and heap memory: the value, the count, and the event if one is due.

use heddle_core::{Event, Extent, FaultKind, Listener, Location, ValueProblem};

use super::code::{Delivery, Pc, Reg};
use super::memory::ArrayId;
use super::problem::{Blame, Fallible, fault, out_of_range};
use super::state::Machine;
use super::value::Value;

impl<L: Listener> Machine<'_, L> {
    #[inline(always)]
    pub fn load_scalar(&mut self, pc: Pc, to: Reg, delivery: Delivery, location: u64) {
        let location = Location(location);
        self.note_read(pc, delivery, location);
        let value = *self.memory.declared(location);
        self.tell(value);
        self.running.set(to, Value::Int(value));
    }

    #[inline(always)]
    pub fn load_element(
        &mut self,
        pc: Pc,
        to: Reg,
        delivery: Delivery,
        array: u32,
        index: Reg,
    ) -> Fallible<()> {
        let location = self.element(array, index)?;
        self.load_scalar(pc, to, delivery, location.0);
        Ok(())
    }

    #[inline(always)]
    pub fn load_heap(
        &mut self,
        pc: Pc,
        to: Reg,
        delivery: Delivery,
        handle: Reg,
        index: Reg,
    ) -> Fallible<()> {
        let (array, index) = self.heap_place(handle, index)?;
        let (location, cell) = self.memory.element(array, index)?;
        let value = *cell;
        self.note_read(pc, delivery, location);
        self.tell(value);
        self.running.set(to, Value::Int(value));
        Ok(())
    }

    #[inline(always)]
    pub fn store_scalar(
        &mut self,
        pc: Pc,
        from: Reg,
        delivery: Delivery,
        location: u64,
    ) -> Fallible<()> {
        let location = Location(location);
        let value = self.integer(from, Blame::Second)?;
        self.note_write(pc, delivery, location);
        self.tell(value);
        *self.memory.declared(location) = value;
        Ok(())
    }

    #[inline(always)]
    pub fn store_element(
        &mut self,
        pc: Pc,
        from: Reg,
        delivery: Delivery,
        array: u32,
        index: Reg,
    ) -> Fallible<()> {
        let location = self.element(array, index)?;
        self.store_scalar(pc, from, delivery, location.0)
    }

    #[inline(always)]
    pub fn store_heap(
        &mut self,
        pc: Pc,
        from: Reg,
        delivery: Delivery,
        handle: Reg,
        index: Reg,
    ) -> Fallible<()> {
        let (array, index) = self.heap_place(handle, index)?;
        let value = self.integer(from, Blame::Second)?;
        let (location, cell) = self.memory.element(array, index)?;
        *cell = value;
        self.note_write(pc, delivery, location);
        self.tell(value);
        Ok(())
    }

    #[inline(always)]
    pub fn read_scalar(&mut self, pc: Pc, delivery: Delivery, location: u64) {
        self.note_read(pc, delivery, Location(location));
    }

    #[inline(always)]
    pub fn write_scalar(&mut self, pc: Pc, delivery: Delivery, location: u64) {
        self.note_write(pc, delivery, Location(location));
    }

    pub fn read_element(
        &mut self,
        pc: Pc,
        delivery: Delivery,
        array: u32,
        index: Reg,
    ) -> Fallible<()> {
        if let Some(location) = self.checked(delivery, |machine| machine.element(array, index))? {
            self.note_read(pc, delivery, location);
        }
        Ok(())
    }

    pub fn write_element(
        &mut self,
        pc: Pc,
        delivery: Delivery,
        array: u32,
        index: Reg,
    ) -> Fallible<()> {
        if let Some(location) = self.checked(delivery, |machine| machine.element(array, index))? {
            self.note_write(pc, delivery, location);
        }
        Ok(())
    }

    pub fn read_heap(
        &mut self,
        pc: Pc,
        delivery: Delivery,
        handle: Reg,
        index: Reg,
    ) -> Fallible<()> {
        let place = |machine: &mut Self| machine.heap_location(handle, index);
        if let Some(location) = self.checked(delivery, place)? {
            self.note_read(pc, delivery, location);
        }
        Ok(())
    }

    pub fn write_heap(
        &mut self,
        pc: Pc,
        delivery: Delivery,
        handle: Reg,
        index: Reg,
    ) -> Fallible<()> {
        let place = |machine: &mut Self| machine.heap_location(handle, index);
        if let Some(location) = self.checked(delivery, place)? {
            self.note_write(pc, delivery, location);
        }
        Ok(())
    }

    /// The location, if there is one. That there is none is the program's fault, unless this is
    /// a moved check: then the access itself, if it is ever reached, will be at fault.
    fn checked(
        &mut self,
        delivery: Delivery,
        place: impl FnOnce(&mut Self) -> Fallible<Location>,
    ) -> Fallible<Option<Location>> {
        match (place(self), delivery) {
            (Ok(location), _) => Ok(Some(location)),
            (Err(_), Delivery::Moved) => Ok(None),
            (Err(problem), _) => Err(problem),
        }
    }

    /// The location of a declared array's element.
    #[inline(always)]
    fn element(&self, array: u32, index: Reg) -> Fallible<Location> {
        let shared = &self.code.shared[array as usize];
        let index = self.integer(index, Blame::First)?;
        // A negative index is huge as an unsigned number.
        if index as u64 >= shared.len {
            return Err(out_of_range(index, shared.len));
        }
        Ok(Location(shared.start.0 + index as u64))
    }

    #[inline(always)]
    fn heap_place(&self, handle: Reg, index: Reg) -> Fallible<(ArrayId, i64)> {
        match self.running.get(handle) {
            Value::Array(array) => Ok((array, self.integer(index, Blame::First)?)),
            _ => Err(fault(FaultKind::WrongValue(ValueProblem::NotAnArray))),
        }
    }

    fn heap_location(&mut self, handle: Reg, index: Reg) -> Fallible<Location> {
        let (array, index) = self.heap_place(handle, index)?;
        let (location, _) = self.memory.element(array, index)?;
        Ok(location)
    }

    /// Tells whoever follows a schedule which value an access has.
    #[inline(always)]
    fn tell(&self, value: i64) {
        if let Some(turns) = self.turns {
            turns.borrow_mut().tell(value);
        }
    }

    #[inline(always)]
    fn note_read(&mut self, pc: Pc, delivery: Delivery, location: Location) {
        self.tally.count(delivery);
        if delivery.delivers() {
            let (extent, site) = (Extent::one(location), self.code.site(pc));
            self.listener.on(Event::Read { extent, site });
        }
    }

    #[inline(always)]
    fn note_write(&mut self, pc: Pc, delivery: Delivery, location: Location) {
        self.tally.count(delivery);
        if delivery.delivers() {
            let (extent, site) = (Extent::one(location), self.code.site(pc));
            self.listener.on(Event::Write { extent, site });
        }
    }
}
