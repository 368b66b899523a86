// Stands before the header of GNU's C++ library of the same name: strings become part of the program, where they are
// instrumented. Those compiled into the library are not.
#pragma GCC system_header
#ifdef _GLIBCXX_EXTERN_TEMPLATE
#pragma push_macro("_GLIBCXX_EXTERN_TEMPLATE")
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#include_next <bits/basic_string.tcc>
#pragma pop_macro("_GLIBCXX_EXTERN_TEMPLATE")
#else
#include_next <bits/basic_string.tcc>
#endif
