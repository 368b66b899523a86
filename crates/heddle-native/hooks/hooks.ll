; The first part of the common path of an access, in line: is the state of its granule known to the strand?
; The rest is in hooks.s, whose layouts these are. `heddle cc` adds this to what the compiler has
; instrumented and lets it optimise once more. Calls are not merged: each stands for a place of the program.
;
; Text of LLVM's intermediate language, without anything that is numbered per module.

@heddle_states = external hidden global ptr, align 8
@heddle_known = external hidden thread_local(localexec) global [16432 x i8], align 64

; What differs between what an entry must be for the strand to know the granule's state, and what it is: 0, or
; below 256 the bytes that are not known. `table`: 8 for reads, 8200 for writes.
define internal i64 @heddle.unknown(ptr %base, ptr %address, i64 %table, i64 %ahead) alwaysinline nounwind sanitize_thread {
  %number = ptrtoint ptr %address to i64
  %granule = lshr i64 %number, 3
  %at = add i64 %granule, %ahead
  %cell = getelementptr i32, ptr %base, i64 %at
  %state = load atomic i32, ptr %cell monotonic, align 4
  %row = and i32 %state, 1023
  %index = zext i32 %row to i64
  %own = call ptr @llvm.threadlocal.address.p0(ptr @heddle_known)
  %entries = getelementptr i8, ptr %own, i64 %table
  %place = getelementptr i64, ptr %entries, i64 %index
  %entry = load i64, ptr %place, align 8
  %wanted = load i64, ptr %own, align 8
  %wide = zext i32 %state to i64
  %high = shl i64 %wide, 32
  %want = or i64 %high, %wanted
  %difference = xor i64 %want, %entry
  ret i64 %difference
}

; Whether the strand has made such an access before, or nothing is checked: of a whole granule, ...
define internal i1 @heddle.whole(ptr %address, i64 %table) alwaysinline nounwind sanitize_thread {
  %base = load ptr, ptr @heddle_states, align 8, !invariant.load !{}
  %off = icmp eq ptr %base, null
  br i1 %off, label %yes, label %look
look:
  %unknown = call i64 @heddle.unknown(ptr %base, ptr %address, i64 %table, i64 0)
  %known = icmp eq i64 %unknown, 0
  ret i1 %known
yes:
  ret i1 true
}

; ... of some of its bytes, ...
define internal i1 @heddle.part(ptr %address, i64 %table, i64 %bytes) alwaysinline nounwind sanitize_thread {
  %base = load ptr, ptr @heddle_states, align 8, !invariant.load !{}
  %off = icmp eq ptr %base, null
  br i1 %off, label %yes, label %look
look:
  %unknown = call i64 @heddle.unknown(ptr %base, ptr %address, i64 %table, i64 0)
  %known = icmp eq i64 %unknown, 0
  br i1 %known, label %yes, label %part
part:
  %few = icmp ult i64 %unknown, 256
  br i1 %few, label %bytes.of, label %no
bytes.of:
  %number = ptrtoint ptr %address to i64
  %first = and i64 %number, 7
  %touched = shl i64 %bytes, %first
  %missing = and i64 %unknown, %touched
  %covered = icmp eq i64 %missing, 0
  ret i1 %covered
yes:
  ret i1 true
no:
  ret i1 false
}

; ... of two granules.
define internal i1 @heddle.both(ptr %address, i64 %table) alwaysinline nounwind sanitize_thread {
  %base = load ptr, ptr @heddle_states, align 8, !invariant.load !{}
  %off = icmp eq ptr %base, null
  br i1 %off, label %yes, label %look
look:
  %number = ptrtoint ptr %address to i64
  %within = and i64 %number, 7
  %aligned = icmp eq i64 %within, 0
  br i1 %aligned, label %first, label %no
first:
  %unknown = call i64 @heddle.unknown(ptr %base, ptr %address, i64 %table, i64 0)
  %known = icmp eq i64 %unknown, 0
  br i1 %known, label %second, label %no
second:
  %unknown.next = call i64 @heddle.unknown(ptr %base, ptr %address, i64 %table, i64 1)
  %known.next = icmp eq i64 %unknown.next, 0
  ret i1 %known.next
yes:
  ret i1 true
no:
  ret i1 false
}

declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull)
; What loops touch one after the other is checked before them, by the library.
declare void @heddle_run_read(ptr, i64, i64) nounwind
declare void @heddle_run_write(ptr, i64, i64) nounwind
declare void @heddle_run_update(ptr, i64, i64) nounwind
; A read and a write that the compiler told apart become one of these.
declare void @__tsan_unaligned_read_write2(ptr) nounwind
declare void @__tsan_unaligned_read_write4(ptr) nounwind
declare void @__tsan_unaligned_read_write8(ptr) nounwind
declare preserve_allcc void @heddle_again_read1(ptr) cold nounwind
declare preserve_allcc void @heddle_again_read2(ptr) cold nounwind
declare preserve_allcc void @heddle_again_read4(ptr) cold nounwind
declare preserve_allcc void @heddle_again_read8(ptr) cold nounwind
declare preserve_allcc void @heddle_again_read16(ptr) cold nounwind
declare preserve_allcc void @heddle_again_write1(ptr) cold nounwind
declare preserve_allcc void @heddle_again_write2(ptr) cold nounwind
declare preserve_allcc void @heddle_again_write4(ptr) cold nounwind
declare preserve_allcc void @heddle_again_write8(ptr) cold nounwind
declare preserve_allcc void @heddle_again_write16(ptr) cold nounwind
declare preserve_allcc void @heddle_again_update1(ptr) cold nounwind
declare preserve_allcc void @heddle_again_update2(ptr) cold nounwind
declare preserve_allcc void @heddle_again_update4(ptr) cold nounwind
declare preserve_allcc void @heddle_again_update8(ptr) cold nounwind
declare preserve_allcc void @heddle_again_update16(ptr) cold nounwind

define available_externally void @__tsan_read1(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.part(ptr %address, i64 8, i64 1)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_read1(ptr %address) nomerge
  br label %done
done:
  ret void
}

define available_externally void @__tsan_read2(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.part(ptr %address, i64 8, i64 3)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_read2(ptr %address) nomerge
  br label %done
done:
  ret void
}

define available_externally void @__tsan_read4(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.part(ptr %address, i64 8, i64 15)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_read4(ptr %address) nomerge
  br label %done
done:
  ret void
}

define available_externally void @__tsan_read8(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.whole(ptr %address, i64 8)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_read8(ptr %address) nomerge
  br label %done
done:
  ret void
}

define available_externally void @__tsan_read16(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.both(ptr %address, i64 8)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_read16(ptr %address) nomerge
  br label %done
done:
  ret void
}

define available_externally void @__tsan_unaligned_read16(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.both(ptr %address, i64 8)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_read16(ptr %address) nomerge
  br label %done
done:
  ret void
}

define available_externally void @__tsan_write1(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.part(ptr %address, i64 8200, i64 1)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_write1(ptr %address) nomerge
  br label %done
done:
  ret void
}

define available_externally void @__tsan_write2(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.part(ptr %address, i64 8200, i64 3)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_write2(ptr %address) nomerge
  br label %done
done:
  ret void
}

define available_externally void @__tsan_write4(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.part(ptr %address, i64 8200, i64 15)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_write4(ptr %address) nomerge
  br label %done
done:
  ret void
}

define available_externally void @__tsan_write8(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.whole(ptr %address, i64 8200)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_write8(ptr %address) nomerge
  br label %done
done:
  ret void
}

define available_externally void @__tsan_write16(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.both(ptr %address, i64 8200)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_write16(ptr %address) nomerge
  br label %done
done:
  ret void
}

define available_externally void @__tsan_unaligned_write16(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.both(ptr %address, i64 8200)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_write16(ptr %address) nomerge
  br label %done
done:
  ret void
}

define available_externally void @__tsan_read_write1(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.part(ptr %address, i64 8200, i64 1)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_update1(ptr %address) nomerge
  br label %done
done:
  ret void
}

define available_externally void @__tsan_read_write2(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.part(ptr %address, i64 8200, i64 3)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_update2(ptr %address) nomerge
  br label %done
done:
  ret void
}

define available_externally void @__tsan_read_write4(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.part(ptr %address, i64 8200, i64 15)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_update4(ptr %address) nomerge
  br label %done
done:
  ret void
}

define available_externally void @__tsan_read_write8(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.whole(ptr %address, i64 8200)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_update8(ptr %address) nomerge
  br label %done
done:
  ret void
}

define available_externally void @__tsan_read_write16(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.both(ptr %address, i64 8200)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_update16(ptr %address) nomerge
  br label %done
done:
  ret void
}

define available_externally void @__tsan_unaligned_read_write16(ptr %address) alwaysinline nounwind sanitize_thread {
  %known = call i1 @heddle.both(ptr %address, i64 8200)
  br i1 %known, label %done, label %again
again:
  call preserve_allcc void @heddle_again_update16(ptr %address) nomerge
  br label %done
done:
  ret void
}
