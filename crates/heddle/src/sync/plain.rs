//! Values that are plain numbers, whatever the type parameter says.

use std::any::TypeId;
use std::marker::PhantomData;

/// The identity of a type, its lifetimes left out.
fn id_of<T: ?Sized>() -> TypeId {
    trait Named {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T: ?Sized> Named for PhantomData<T> {
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }
    let named: &dyn Named = &PhantomData::<T>;
    // SAFETY: only the lifetime of the trait object changes; `id` reads nothing of it.
    let named = unsafe { std::mem::transmute::<&dyn Named, &(dyn Named + 'static)>(named) };
    named.id()
}

/// The bytes of a number; none for values of other types.
pub(super) fn bytes<T: ?Sized>(value: &T) -> Option<&[u8]> {
    let id = id_of::<T>();
    let numbers = [
        TypeId::of::<u8>(),
        TypeId::of::<i8>(),
        TypeId::of::<u16>(),
        TypeId::of::<i16>(),
        TypeId::of::<u32>(),
        TypeId::of::<i32>(),
        TypeId::of::<u64>(),
        TypeId::of::<i64>(),
        TypeId::of::<u128>(),
        TypeId::of::<i128>(),
        TypeId::of::<usize>(),
        TypeId::of::<isize>(),
        TypeId::of::<f32>(),
        TypeId::of::<f64>(),
        TypeId::of::<bool>(),
        TypeId::of::<char>(),
    ];
    if !numbers.contains(&id) {
        return None;
    }
    let (start, len) = (std::ptr::from_ref(value).cast::<u8>(), size_of_val(value));
    // SAFETY: a type without lifetimes is what its identity says: a number, which has no padding.
    Some(unsafe { std::slice::from_raw_parts(start, len) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_plain_and_nothing_else_is() {
        assert_eq!(bytes(&0x0102u16), Some(&0x0102u16.to_ne_bytes()[..]));
        assert_eq!(bytes(&true), Some(&[1][..]));
        let text = String::from("x");
        assert_eq!(bytes(&text.as_str()), None);
        assert_eq!(bytes("x"), None);
        assert_eq!(bytes(&vec![1]), None);
        assert_eq!(bytes(&[1u8][..]), None);
        assert_eq!(bytes(&(1u8, 2u32)), None);
    }
}
