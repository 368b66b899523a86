// Stands before the header of GNU's C++ library of the same name. There, whoever takes a share of an object (copies a
// `shared_ptr`) adds one to a count by an operation that also acquires, though it does not look at the count: in the run
// at hand, what it does next would come after all that other owners have done before, and in no other. Here that
// operation only releases; whoever gives a share back looks at the count, and acquires.
#pragma GCC system_header
#ifndef HEDDLE_ATOMICITY_H
#define HEDDLE_ATOMICITY_H
#pragma push_macro("__atomic_add_dispatch")
#undef __atomic_add_dispatch
#define __atomic_add_dispatch __heddle_other_add_dispatch
#include_next <ext/atomicity.h>
#pragma pop_macro("__atomic_add_dispatch")

namespace __gnu_cxx _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION

  inline void
  __attribute__ ((__always_inline__))
  __atomic_add_dispatch(_Atomic_word* __mem, int __val)
  {
#if _GLIBCXX_RELEASE >= 11
    if (__is_single_threaded())
      __atomic_add_single(__mem, __val);
    else
#endif
      __atomic_fetch_add(__mem, __val, __ATOMIC_RELEASE);
  }

_GLIBCXX_END_NAMESPACE_VERSION
}
#endif
