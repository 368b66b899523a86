//! `sanitizer/linux_syscall_hooks.h`: system calls that the program makes by hand, told before and after.
//!
//! Those on descriptors order what happens on both sides, as the C library's calls do; of the others nothing is to be
//! known. They have to be there nevertheless, because programs are linked with them.

use crate::access;
use crate::descriptors;
use crate::shim::export;
use std::ffi::{c_int, c_long};

export! {
    /// A file is about to be closed.
    ["__sanitizer_syscall_pre_impl_close"] fn pre_close(file: c_long) at pc {
        descriptors::releases(file as c_int, pc);
    }

    /// Bytes are about to be written to a file.
    ["__sanitizer_syscall_pre_impl_write"] fn pre_write(file: c_long, from: c_long, len: c_long) at pc {
        access::read(from as usize, usize::try_from(len).unwrap_or(0), pc);
        descriptors::releases(file as c_int, pc);
    }

    /// Bytes were read from a file.
    ["__sanitizer_syscall_post_impl_read"] fn post_read(got: c_long, file: c_long, to: c_long, _len: c_long) at pc {
        if got > 0 {
            access::write(to as usize, got as usize, pc);
        }
        descriptors::got(file as c_int, got as isize, pc);
    }

    /// Of these nothing is to be known.
    [
        "__sanitizer_syscall_post_impl_close", "__sanitizer_syscall_post_impl_write",
        "__sanitizer_syscall_pre_impl_read"
    ] fn nothing() at _pc {}
}

/// Functions that do nothing, before and after each system call named.
macro_rules! hooks {
    ($($name:ident)*) => {$(
        const _: () = {
            #[unsafe(export_name = concat!("__sanitizer_syscall_pre_impl_", stringify!($name)))]
            extern "C" fn before() {}

            #[unsafe(export_name = concat!("__sanitizer_syscall_post_impl_", stringify!($name)))]
            extern "C" fn after() {}
        };
    )*};
}

hooks! {
    accept accept4 access acct add_key adjtimex alarm bdflush bind brk capget capset chdir chmod chown chown16
    chroot clock_adjtime clock_getres clock_gettime clock_nanosleep clock_settime connect creat delete_module
    dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 exit
    exit_group faccessat fanotify_init fanotify_mark fchdir fchmod fchmodat fchown fchown16 fchownat fcntl
    fcntl64 fdatasync fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat fstat64 fstatat64 fstatfs
    fstatfs64 fsync ftruncate futex futimesat get_mempolicy get_robust_list getcpu getcwd getdents getdents64
    getegid getegid16 geteuid geteuid16 getgid getgid16 getgroups getgroups16 gethostname getitimer getpeername
    getpgid getpgrp getpid getppid getpriority getresgid getresgid16 getresuid getresuid16 getrlimit getrusage
    getsid getsockname getsockopt gettid gettimeofday getuid getuid16 getxattr init_module inotify_add_watch
    inotify_init inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents io_setup io_submit ioctl
    ioperm ioprio_get ioprio_set ipc kexec_load keyctl kill lchown lchown16 lgetxattr link linkat listen
    listxattr llistxattr llseek lookup_dcookie lremovexattr lseek lsetxattr lstat lstat64 madvise mbind
    migrate_pages mincore mkdir mkdirat mknod mknodat mlock mlockall mmap_pgoff mount move_pages mprotect
    mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink mremap msgctl msgget msgrcv msgsnd
    msync munlock munlockall munmap name_to_handle_at nanosleep newfstat newfstatat newlstat newstat newuname
    ni_syscall nice old_getrlimit old_mmap old_readdir old_select oldumount olduname open open_by_handle_at
    openat pause pciconfig_iobase pciconfig_read pciconfig_write perf_event_open personality pipe pipe2
    pivot_root poll ppoll pread64 preadv prlimit64 process_vm_readv process_vm_writev pselect6 ptrace pwrite64
    pwritev quotactl readlink readlinkat readv reboot recv recvfrom recvmmsg recvmsg remap_file_pages
    removexattr rename renameat request_key restart_syscall rmdir rt_sigaction rt_sigpending rt_sigprocmask
    rt_sigqueueinfo rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min
    sched_getaffinity sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setparam
    sched_setscheduler sched_yield select semctl semget semop semtimedop send sendfile sendfile64 sendmmsg
    sendmsg sendto set_mempolicy set_robust_list set_tid_address setdomainname setfsgid setfsgid16 setfsuid
    setfsuid16 setgid setgid16 setgroups setgroups16 sethostname setitimer setns setpgid setpriority setregid
    setregid16 setresgid setresgid16 setresuid setresuid16 setreuid setreuid16 setrlimit setsid setsockopt
    settimeofday setuid setuid16 setxattr sgetmask shmat shmctl shmdt shmget shutdown sigaction sigaltstack
    signal signalfd signalfd4 sigpending sigprocmask socket socketcall socketpair splice spu_create spu_run
    ssetmask stat stat64 statfs statfs64 stime swapoff swapon symlink symlinkat sync syncfs sysctl sysfs sysinfo
    syslog tee tgkill time timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create
    timerfd_gettime timerfd_settime times tkill truncate umask umount uname unlink unlinkat unshare uselib ustat
    utime utimensat utimes vfork vhangup vmsplice wait4 waitid waitpid writev
}
