# The common path of an access, linked into the executable: instrumented code reaches it by a direct call,
# or has the first part of it in line (`hooks.ll`). Three steps, each for what the one before cannot tell:
#
# 1. The state of the granule is known: the strand has made such an access before. That is all.
# 2. Nobody else knows of the granule, and it has no history: it needs none.
# 3. The strand has made such an access at the same place of the program to another granule in the same
#    state: this one takes the same step. In memory that is nobody's stack.
# 4. Everything else is in the library.
#
# `heddle_again_*` are steps 2 to 4. They leave all registers as they are, vectors included, so that code
# with step 1 in line need not save any.
#
# Layouts are those of `Known` and `Taking` (heddle-rt), which src/thread.rs checks:
#   Known:      0 what an entry has besides its state
#               8 states known for reads, 8200 for writes (1024 each)
#           16392 steps, or null
#           16400 the first granule that no other thread knows of, 16408 how many there are; 16416, 16424 likewise
#   Taking:     0 where addresses begin, 8 how many they are, four times; 64 valid while this number is that at 72
#              80 where further addresses begin, 88 where these end
#              96 steps of reads, 24672 of writes (1024 each, of 24 bytes):
#                 state, epoch and bytes; the place of the program; the next state; the number of its meter, if
#                 the step races
#           49248 meters: 0 the address that is expected, 8 how far it is to the one after that
# A granule has eight bytes, a state four.

    .intel_syntax noprefix

    .section .tbss.heddle, "awT", @nobits
    .p2align 6
    .globl heddle_known
    .hidden heddle_known
    .type heddle_known, @object
    .size heddle_known, 16432
heddle_known:
    .zero 16432

# What the library tells, and is told (`Hooks` in src/thread.rs).
    .section .data.heddle, "aw", @progbits
    .p2align 3
    .globl heddle_states
    .hidden heddle_states
heddle_states:
    .quad 0
heddle_settled:
    .quad 0
    .quad heddle_known_of

    .text

# The address of a granule's state, to \to; rdi: the address. To `none` if nothing is checked.
.macro cell to, scratch, none
    mov \to, qword ptr [rip + heddle_states]
    test \to, \to
    jz \none
    mov \scratch, rdi
    shr \scratch, 3
    lea \to, [\to + \scratch * 4]
.endm

# Steps 1 to 4; rdi: the address. Others of the caller's registers that a call may change are free.
.macro hook name, again, table, bytes
    .p2align 4
    .globl \name
    .hidden \name
    .type \name, @function
\name:
    cell rdx, rax, 1f
    mov eax, dword ptr [rdx]
    mov edx, eax
    and edx, 1023
    shl rax, 32
    or rax, qword ptr fs:heddle_known@TPOFF
    xor rax, qword ptr fs:[rdx * 8 + heddle_known@TPOFF + \table]
    jnz 3f
1:  ret
    .if \bytes == 0xff
3:  jmp \again
    .else
    # Not all bytes are known; these may be.
3:  cmp rax, 0xff
    ja 2f
    mov ecx, edi
    and ecx, 7
    shr eax, cl
    test al, \bytes
    jz 1b
2:  jmp \again
    .endif
    .size \name, . - \name
.endm

# Two neighbouring granules, if the address is that of the first: what vectorisers are fond of.
.macro wide_hook name, again, table
    .p2align 4
    .globl \name
    .hidden \name
    .type \name, @function
\name:
    test dil, 7
    jnz 2f
    cell rdx, rax, 1f
    mov eax, dword ptr [rdx]
    mov r8d, dword ptr [rdx + 4]
    mov r9, qword ptr fs:heddle_known@TPOFF
    mov edx, eax
    and edx, 1023
    mov ecx, eax
    shl rax, 32
    or rax, r9
    cmp rax, qword ptr fs:[rdx * 8 + heddle_known@TPOFF + \table]
    jne 2f
    cmp ecx, r8d
    jne 3f
1:  ret
3:  mov edx, r8d
    and edx, 1023
    shl r8, 32
    or r8, r9
    cmp r8, qword ptr fs:[rdx * 8 + heddle_known@TPOFF + \table]
    je 1b
2:  jmp \again
    .size \name, . - \name
.endm

# Registers are saved such that whoever reads the stack finds its way through.
.macro save registers:vararg
    .irp register, \registers
    push \register
    .cfi_adjust_cfa_offset 8
    .endr
.endm
.macro restore registers:vararg
    .irp register, \registers
    pop \register
    .cfi_adjust_cfa_offset -8
    .endr
.endm

# Step 4: the library, which leaves every register as it is, and finds the place of the program on the stack.
.macro ask slow
    jmp qword ptr [rip + \slow@GOTPCREL]
.endm

# Whether steps may be taken here: to `no` if not. Leaves the steps in r11 and the place of the program,
# which lies \depth bytes up the stack, in rsi; rax is lost.
.macro may_take no, depth
    mov r11, qword ptr fs:[heddle_known@TPOFF + 16392]
    test r11, r11
    jz \no
    .irp stretch, 0, 16, 32, 48
    mov rax, rdi
    sub rax, qword ptr [r11 + \stretch]
    cmp rax, qword ptr [r11 + \stretch + 8]
    jb 10f
    .endr
    # What of the thread's own stack may have a history.
    mov rax, qword ptr [r11 + 80]
    cmp rdi, qword ptr [rax]
    jb \no
    cmp rdi, qword ptr [r11 + 88]
    jae \no
    jmp 11f
10: mov rax, qword ptr [r11 + 64]
    mov eax, dword ptr [rax]
    cmp eax, dword ptr [r11 + 72]
    jne \no
11: mov rsi, qword ptr [rsp + \depth]
.endm

# A state is set for the first time: to `no` if its block of 2^12 granules has no memory yet. rdx is lost.
.macro has_memory no
    mov rdx, rdi
    shr rdx, 15
    add rdx, qword ptr [rip + heddle_settled]
    cmp byte ptr [rdx], 0
    je \no
.endm

# The row of the step that the state \state takes at rsi, to \row.
.macro row row, row32, state, table
    imul \row32, \state, 0x9E3779B1
    shr \row32, 20
    xor \row32, esi
    and \row32, 1023
    lea \row32, [\row + \row * 2]
    lea \row, [r11 + \row * 8 + \table]
.endm

# To \no if not all these granules, rdx being the first, lie in the stretch that \stretch says. rax is lost.
.macro unshared_in stretch, granules, no
    mov rax, rdx
    sub rax, qword ptr fs:[heddle_known@TPOFF + \stretch]
    .rept \granules
    cmp rax, qword ptr fs:[heddle_known@TPOFF + \stretch + 8]
    jae \no
    inc rax
    .endr
.endm

# Step 2 for as many granules as `states`, which is dword or qword, has: returns if they need no history.
.macro unshared states, granules
    save rax, rdx
    mov rdx, rdi
    shr rdx, 3
    unshared_in 16400, \granules, 2f
    jmp 3f
2:  unshared_in 16416, \granules, 1f
3:  mov rax, qword ptr [rip + heddle_states]
    cmp \states ptr [rax + rdx * 4], 0
    jne 1f
    restore rdx, rax
    ret
    .cfi_def_cfa_offset 24
1:  restore rdx, rax
.endm

# Steps 2 to 4 for one granule.
.macro again name, slow, steps, bytes
    .p2align 4
    .globl \name
    .hidden \name
    .type \name, @function
\name:
    .cfi_startproc
    unshared dword, 1
    save rax, rcx, rdx, rsi, r8
    may_take 3f, 40
    cell r8, rdx, 3f
    mov eax, dword ptr [r8]
    test eax, eax
    jz 4f
5:  row rdx, edx, eax, \steps
    mov r11, rax
    shl r11, 32
    or r11, qword ptr fs:heddle_known@TPOFF
    .if \bytes != 0xff
    mov ecx, edi
    and ecx, 7
    save rdx
    mov edx, \bytes
    shl edx, cl
    mov r11b, dl
    restore rdx
    .endif
    cmp r11, qword ptr [rdx]
    jne 3f
    cmp rsi, qword ptr [rdx + 8]
    jne 3f
    mov ecx, dword ptr [rdx + 20]
    mov edx, dword ptr [rdx + 16]
    test ecx, ecx
    jnz 6f
    lock cmpxchg dword ptr [r8], edx
    jne 3f
    restore r8, rsi, rdx, rcx, rax
    ret
    .cfi_def_cfa_offset 48
# It races: the meter says which elements do, and this must be the next one.
6:  mov r11, qword ptr fs:[heddle_known@TPOFF + 16392]
    mov r11, qword ptr [r11 + rcx * 8 + 49248]
    cmp rdi, qword ptr [r11]
    jne 3f
    lock cmpxchg dword ptr [r8], edx
    jne 3f
    mov rcx, qword ptr [r11 + 8]
    add qword ptr [r11], rcx
    restore r8, rsi, rdx, rcx, rax
    ret
    .cfi_def_cfa_offset 48
4:  has_memory 3f
    jmp 5b
3:  restore r8, rsi, rdx, rcx, rax
    ask \slow
    .cfi_endproc
    .size \name, . - \name
.endm

# The state that r8d (in eax) goes to, by a step or because it is known, to r9d: to `no` if there is none.
# rcx and rdx are lost.
.macro next steps, table, no
    row rdx, edx, eax, \steps
    mov rcx, rax
    shl rcx, 32
    or rcx, qword ptr fs:heddle_known@TPOFF
    mov r9d, dword ptr [rdx + 16]
    cmp rcx, qword ptr [rdx]
    jne 7f
    cmp rsi, qword ptr [rdx + 8]
    jne 7f
    cmp dword ptr [rdx + 20], 0
    jne \no
    jmp 8f
7:  mov r9d, eax
    mov edx, eax
    and edx, 1023
    cmp rcx, qword ptr fs:[rdx * 8 + heddle_known@TPOFF + \table]
    jne \no
8:
.endm

# Steps 2 to 4 for two granules, whose states change at once.
.macro again_wide name, slow, steps, table
    .p2align 4
    .globl \name
    .hidden \name
    .type \name, @function
\name:
    .cfi_startproc
    test dil, 7
    jnz 9f
    unshared qword, 2
9:  save rax, rcx, rdx, rsi, r8, r9, r10
    test dil, 7
    jnz 3f
    may_take 3f, 56
    cell r8, rdx, 3f
    mov eax, r8d
    and eax, 63
    cmp eax, 60
    je 3f
    mov r10, qword ptr [r8]
    mov eax, r10d
    test eax, eax
    jz 4f
5:  next \steps, \table, 3f
    mov rcx, r10
    shr rcx, 32
    cmp ecx, eax
    mov eax, ecx
    mov ecx, r9d
    je 6f
    test eax, eax
    jz 3f
    save r9
    next \steps, \table, 9f
    restore rcx
6:  shl r9, 32
    or rcx, r9
    mov rax, r10
    lock cmpxchg qword ptr [r8], rcx
    jne 3f
    restore r10, r9, r8, rsi, rdx, rcx, rax
    ret
    .cfi_def_cfa_offset 64
4:  has_memory 3f
    jmp 5b
    .cfi_def_cfa_offset 72
9:  restore r9
3:  restore r10, r9, r8, rsi, rdx, rcx, rax
    ask \slow
    .cfi_endproc
    .size \name, . - \name
.endm

    again heddle_again_read1, heddle_access_read1, 96, 0x01
    again heddle_again_read2, heddle_access_read2, 96, 0x03
    again heddle_again_read4, heddle_access_read4, 96, 0x0f
    again heddle_again_read8, heddle_access_read8, 96, 0xff
    again_wide heddle_again_read16, heddle_access_read16, 96, 8
    again heddle_again_write1, heddle_access_write1, 24672, 0x01
    again heddle_again_write2, heddle_access_write2, 24672, 0x03
    again heddle_again_write4, heddle_access_write4, 24672, 0x0f
    again heddle_again_write8, heddle_access_write8, 24672, 0xff
    again_wide heddle_again_write16, heddle_access_write16, 24672, 8200
    again heddle_again_update1, heddle_access_update1, 24672, 0x01
    again heddle_again_update2, heddle_access_update2, 24672, 0x03
    again heddle_again_update4, heddle_access_update4, 24672, 0x0f
    again heddle_again_update8, heddle_access_update8, 24672, 0xff
    again_wide heddle_again_update16, heddle_access_update16, 24672, 8200

    hook __tsan_read1, heddle_again_read1, 8, 0x01
    hook __tsan_read2, heddle_again_read2, 8, 0x03
    hook __tsan_read4, heddle_again_read4, 8, 0x0f
    hook __tsan_read8, heddle_again_read8, 8, 0xff
    hook __tsan_write1, heddle_again_write1, 8200, 0x01
    hook __tsan_write2, heddle_again_write2, 8200, 0x03
    hook __tsan_write4, heddle_again_write4, 8200, 0x0f
    hook __tsan_write8, heddle_again_write8, 8200, 0xff
    wide_hook __tsan_read16, heddle_again_read16, 8
    wide_hook __tsan_unaligned_read16, heddle_again_read16, 8
    wide_hook __tsan_write16, heddle_again_write16, 8200
    wide_hook __tsan_unaligned_write16, heddle_again_write16, 8200
# A read, and a write of the same bytes with nothing in between.
    hook __tsan_read_write1, heddle_again_update1, 8200, 0x01
    hook __tsan_read_write2, heddle_again_update2, 8200, 0x03
    hook __tsan_read_write4, heddle_again_update4, 8200, 0x0f
    hook __tsan_read_write8, heddle_again_update8, 8200, 0xff
    wide_hook __tsan_read_write16, heddle_again_update16, 8200
    wide_hook __tsan_unaligned_read_write16, heddle_again_update16, 8200

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

# What the calling thread knows.
    .type heddle_known_of, @function
heddle_known_of:
    mov rax, qword ptr fs:0
    lea rax, [rax + heddle_known@TPOFF]
    ret

    .type heddle_hook_start, @function
heddle_hook_start:
    lea rdi, [rip + heddle_states]
    jmp qword ptr [rip + heddle_register_hooks@GOTPCREL]

    .section .init_array, "aw", @init_array
    .p2align 3
    .quad heddle_hook_start

    .section .note.GNU-stack, "", @progbits
