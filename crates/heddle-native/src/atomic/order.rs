//! Memory orders as compilers pass them.

use std::ffi::c_int;

/// How an operation orders others around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Order {
    acquires: bool,
    releases: bool,
    total: bool,
    blind: bool,
}

/// The bit by which `heddle cc` says that a read-modify-write's value is not used.
const UNUSED: c_int = 1 << 30;

impl Order {
    const RELAXED: Self = Self::new(false, false, false);
    pub(super) const ACQUIRE_RELEASE: Self = Self::new(true, true, false);

    const fn new(acquires: bool, releases: bool, total: bool) -> Self {
        Self {
            acquires,
            releases,
            total,
            blind: false,
        }
    }

    /// From the ABI's number; what is not known is taken as the strongest. Hints in the upper bits do not
    /// matter.
    pub(super) fn from_abi(order: c_int) -> Self {
        match order & 0x7fff {
            0 => Self::RELAXED,
            1 | 2 => Self::new(true, false, false),
            3 => Self::new(false, true, false),
            4 => Self::ACQUIRE_RELEASE,
            _ => Self::new(true, true, true),
        }
    }

    /// The same for a read-modify-write, whose value may be known not to be used.
    pub(super) fn of_change(order: c_int) -> Self {
        Self {
            blind: order & UNUSED != 0,
            ..Self::from_abi(order)
        }
    }

    pub(super) fn is_relaxed(self) -> bool {
        !self.acquires && !self.releases
    }

    /// Whether nothing depends on the value that the operation finds: it would go on in the same way with any other.
    pub(super) fn is_blind(self) -> bool {
        self.blind
    }

    pub(super) fn acquires(self) -> bool {
        self.acquires
    }

    pub(super) fn releases(self) -> bool {
        self.releases
    }

    /// Whether it takes part in the one order of all sequentially consistent operations.
    pub(super) fn is_total(self) -> bool {
        self.total
    }

    /// What of it applies to a load.
    pub(super) fn of_load(self) -> Self {
        Self {
            releases: false,
            ..self
        }
    }

    /// What of it applies to a store.
    pub(super) fn of_store(self) -> Self {
        Self {
            acquires: false,
            ..self
        }
    }

    /// The weakest order that is as strong as both.
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            acquires: self.acquires | other.acquires,
            releases: self.releases | other.releases,
            total: self.total | other.total,
            blind: self.blind & other.blind,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_of_the_abi_orders_as_c11_says() {
        let sides = |order| {
            let order = Order::from_abi(order);
            (order.acquires(), order.releases())
        };
        let expected = [
            (false, false),
            (true, false),
            (true, false),
            (false, true),
            (true, true),
            (true, true),
        ];
        assert_eq!([0, 1, 2, 3, 4, 5].map(sides), expected);
        assert_eq!(
            sides(0x1_0003),
            (false, true),
            "a hint for hardware transactions is ignored"
        );
    }

    #[test]
    fn a_change_whose_value_is_not_used_is_blind_and_ordered_as_any() {
        let order = Order::of_change(UNUSED | 4);
        assert!(order.is_blind() && order.acquires() && order.releases());
        assert!(!Order::of_change(4).is_blind());
        assert!(Order::of_change(UNUSED).is_relaxed());
    }
}
