# `main` for programs of event-driven tasks: the runtime executes them from mainEdt on. A program that
# has a main of its own keeps it.

        .text
        .weak   main
        .weak   mainEdt
        .type   main, @function
main:
        mov     mainEdt@GOTPCREL(%rip), %rdx
        jmp     *heddle_ocr_main@GOTPCREL(%rip)
        .size   main, . - main
        .section .note.GNU-stack,"",@progbits
