# The common path of an access, linked into the executable so that instrumented code reaches it by a
# direct call. A look-up of the granule's state, then of what the thread knows about that state; if the
# strand has made such an access before, that is all. Everything else is in the library.
#
# The layout of a thread's record is that of `Thread` (src/thread.rs), which checks these numbers:
#    0  directory of shadow memory
#    8  what an entry must have besides its state
#   16  states known for reads; 8208: for writes (1024 each)
# A granule has eight bytes, a chunk of the directory 2^27 granules, a state four bytes.

    .intel_syntax noprefix

    .section .tbss.heddle, "awT", @nobits
    .p2align 3
    .type heddle_slot, @object
    .size heddle_slot, 8
heddle_slot:
    .zero 8

    .text

# rdi: the address. Others of the caller's registers that a call may change are free.
.macro hook name, slow, table, bytes
    .p2align 4
    .globl \name
    .hidden \name
    .type \name, @function
\name:
    mov rcx, qword ptr fs:heddle_slot@TPOFF
    test rcx, rcx
    jz 1f
    mov rdx, qword ptr [rcx]
    mov rax, rdi
    shr rax, 30
    mov rdx, qword ptr [rdx + rax * 8]
    test rdx, rdx
    jz 2f
    mov eax, edi
    shr eax, 1
    and eax, 0x1ffffffc
    mov eax, dword ptr [rdx + rax]
    mov edx, eax
    and edx, 1023
    shl rax, 32
    or rax, qword ptr [rcx + 8]
    .if \bytes == 0xff
    cmp rax, qword ptr [rcx + rdx * 8 + \table]
    jne 2f
    .else
    xor rax, qword ptr [rcx + rdx * 8 + \table]
    jnz 3f
    .endif
1:  ret
    .if \bytes != 0xff
    # Not all bytes are known; these may be.
3:  cmp rax, 0xff
    ja 2f
    mov ecx, edi
    and ecx, 7
    shr eax, cl
    test al, \bytes
    jz 1b
    .endif
2:  mov rsi, qword ptr [rsp]
    jmp qword ptr [rip + \slow@GOTPCREL]
    .size \name, . - \name
.endm

    hook __tsan_read1, heddle_unknown_read1, 16, 0x01
    hook __tsan_read2, heddle_unknown_read2, 16, 0x03
    hook __tsan_read4, heddle_unknown_read4, 16, 0x0f
    hook __tsan_read8, heddle_unknown_read8, 16, 0xff
    hook __tsan_write1, heddle_unknown_write1, 8208, 0x01
    hook __tsan_write2, heddle_unknown_write2, 8208, 0x03
    hook __tsan_write4, heddle_unknown_write4, 8208, 0x0f
    hook __tsan_write8, heddle_unknown_write8, 8208, 0xff

# Sixteen bytes, of which the vectorisers are fond: two neighbouring granules, if the address is that of
# the first.
.macro wide_hook name, slow, table
    .p2align 4
    .globl \name
    .hidden \name
    .type \name, @function
\name:
    mov rcx, qword ptr fs:heddle_slot@TPOFF
    test rcx, rcx
    jz 1f
    test dil, 7
    jnz 2f
    mov rdx, qword ptr [rcx]
    mov rax, rdi
    shr rax, 30
    mov rdx, qword ptr [rdx + rax * 8]
    test rdx, rdx
    jz 2f
    mov eax, edi
    shr eax, 1
    and eax, 0x1ffffffc
    cmp eax, 0x1ffffffc
    je 2f
    mov r8d, dword ptr [rdx + rax + 4]
    mov eax, dword ptr [rdx + rax]
    mov r9, qword ptr [rcx + 8]
    mov edx, eax
    and edx, 1023
    cmp r8d, eax
    jne 3f
    shl rax, 32
    or rax, r9
    cmp rax, qword ptr [rcx + rdx * 8 + \table]
    jne 2f
1:  ret
3:  shl rax, 32
    or rax, r9
    cmp rax, qword ptr [rcx + rdx * 8 + \table]
    jne 2f
    mov edx, r8d
    and edx, 1023
    shl r8, 32
    or r8, r9
    cmp r8, qword ptr [rcx + rdx * 8 + \table]
    je 1b
2:  mov rsi, qword ptr [rsp]
    jmp qword ptr [rip + \slow@GOTPCREL]
    .size \name, . - \name
.endm

    wide_hook __tsan_read16, heddle_unknown_read16, 16
    wide_hook __tsan_unaligned_read16, heddle_unknown_read16, 16
    wide_hook __tsan_write16, heddle_unknown_write16, 8208
    wide_hook __tsan_unaligned_write16, heddle_unknown_write16, 8208

# Stacks are read from frames when a report needs them, so calls cost nothing.
    .globl __tsan_func_entry
    .hidden __tsan_func_entry
    .type __tsan_func_entry, @function
__tsan_func_entry:
    ret
    .globl __tsan_func_exit
    .hidden __tsan_func_exit
    .type __tsan_func_exit, @function
__tsan_func_exit:
    ret

# Where the library puts the calling thread's record.
    .type heddle_hook_slot, @function
heddle_hook_slot:
    mov rax, qword ptr fs:0
    lea rax, [rax + heddle_slot@TPOFF]
    ret

    .type heddle_hook_start, @function
heddle_hook_start:
    lea rdi, [rip + heddle_hook_slot]
    jmp qword ptr [rip + heddle_register_hooks@GOTPCREL]

    .section .init_array, "aw", @init_array
    .p2align 3
    .quad heddle_hook_start

    .section .note.GNU-stack, "", @progbits
