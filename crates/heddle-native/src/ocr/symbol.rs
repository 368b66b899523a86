//! What `ocr.h` has in line or as a macro, as functions: libraries that were built with another `ocr.h` call them.

use std::arch::naked_asm;

/// Functions that are another under a second name. A jump leaves all arguments as they are, however many.
macro_rules! second_names {
    ($($symbol:literal is $function:literal;)*) => {$(
        const _: () = {
            #[unsafe(naked)]
            #[unsafe(export_name = $symbol)]
            unsafe extern "C" fn shim() {
                naked_asm!(concat!("jmp ", $function, "@PLT"))
            }
        };
    )*};
}

second_names! {
    "PRINTF" is "printf";
    "ocrPrintf" is "printf";
    "SNPRINTF" is "snprintf";
    "ocrSnprintf" is "snprintf";
    "getArgc" is "ocrGetArgc";
    "getArgv" is "ocrGetArgv";
}
