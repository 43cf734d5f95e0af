/* SPDX-License-Identifier: MIT */
/* The rest of what libtsan offers to programs and means nothing to a recorder. It must be
 * there: a program that was built for ThreadSanitizer may mention any of it, and would not
 * start otherwise (tests/cli/abi.bats holds the list against the compilers' own). */
#include "runtime/process.h"

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters
#define UNUSED __attribute__((unused))
#define PLACE  const char *file UNUSED, int line UNUSED

#define NOTHING(name, parameters)                                                                  \
    FUNCTION(void, name, parameters)                                                               \
    {                                                                                              \
    }
#define ADDRESS const volatile void *address UNUSED
#define LENGTH  unsigned long length UNUSED

NOTHING(AnnotateBenignRace, (PLACE, ADDRESS, const char *why UNUSED))
NOTHING(AnnotateBenignRaceSized, (PLACE, ADDRESS, LENGTH, const char *why UNUSED))
NOTHING(WTFAnnotateBenignRaceSized, (PLACE, ADDRESS, LENGTH, const char *why UNUSED))
NOTHING(AnnotateCondVarSignal, (PLACE, ADDRESS))
NOTHING(AnnotateCondVarSignalAll, (PLACE, ADDRESS))
NOTHING(AnnotateCondVarWait, (PLACE, ADDRESS, const volatile void *lock UNUSED))
NOTHING(AnnotateEnableRaceDetection, (PLACE, int enable UNUSED))
NOTHING(AnnotateExpectRace, (PLACE, ADDRESS, const char *why UNUSED))
NOTHING(AnnotateFlushExpectedRaces, (PLACE))
NOTHING(AnnotateFlushState, (PLACE))
NOTHING(AnnotateMemoryIsInitialized, (PLACE, ADDRESS, LENGTH))
NOTHING(AnnotateMemoryIsUninitialized, (PLACE, ADDRESS, LENGTH))
NOTHING(AnnotateMutexIsNotPHB, (PLACE, ADDRESS))
NOTHING(AnnotateMutexIsUsedAsCondVar, (PLACE, ADDRESS))
NOTHING(AnnotateNewMemory, (PLACE, ADDRESS, LENGTH))
NOTHING(AnnotateNoOp, (PLACE, ADDRESS))
NOTHING(AnnotatePCQCreate, (PLACE, ADDRESS))
NOTHING(AnnotatePCQDestroy, (PLACE, ADDRESS))
NOTHING(AnnotatePCQGet, (PLACE, ADDRESS))
NOTHING(AnnotatePCQPut, (PLACE, ADDRESS))
NOTHING(AnnotatePublishMemoryRange, (PLACE, ADDRESS, LENGTH))
NOTHING(AnnotateUnpublishMemoryRange, (PLACE, ADDRESS, LENGTH))
NOTHING(AnnotateThreadName, (PLACE, const char *name UNUSED))
NOTHING(AnnotateTraceMemory, (PLACE, ADDRESS))
NOTHING(__tsan_flush_memory, (void))
NOTHING(__sanitizer_print_stack_trace, (void))
NOTHING(__sanitizer_set_report_path, (const char *path UNUSED))
NOTHING(__sanitizer_set_report_fd, (void *file UNUSED))
NOTHING(__sanitizer_set_death_callback, (void (*callback)(void) UNUSED))

/* Questions that have no answer here: about reports that a recorder does not make, about
 * a heap that is the C library's, and the callbacks that a program may define for itself
 * (hence weak). They answer 0, whatever they are asked. */
__attribute__((used)) static long zero(void)
{
    return 0;
}

#define ZERO(name) __asm__(".weak " #name "\n.type " #name ", @function\n.set " #name ", zero");

ZERO(ValgrindSlowdown)
ZERO(__tsan_default_options)
ZERO(__tsan_default_suppressions)
ZERO(__tsan_on_report)
ZERO(__tsan_on_initialize)
ZERO(__tsan_on_finalize)
ZERO(__tsan_symbolize_external)
ZERO(__tsan_symbolize_external_ex)
ZERO(__tsan_external_assign_tag)
ZERO(__tsan_external_register_header)
ZERO(__tsan_external_register_tag)
ZERO(__tsan_get_alloc_stack)
ZERO(__tsan_get_current_report)
ZERO(__tsan_get_report_data)
ZERO(__tsan_get_report_loc)
ZERO(__tsan_get_report_loc_object_type)
ZERO(__tsan_get_report_mop)
ZERO(__tsan_get_report_mutex)
ZERO(__tsan_get_report_stack)
ZERO(__tsan_get_report_tag)
ZERO(__tsan_get_report_thread)
ZERO(__tsan_get_report_unique_tid)
ZERO(__tsan_locate_address)
ZERO(__tsan_testonly_barrier_init)
ZERO(__tsan_testonly_barrier_wait)
ZERO(__tsan_testonly_shadow_stack_current_size)
ZERO(__tsan_on_thread_idle)
ZERO(__tsan_check_no_mutexes_held)
ZERO(__tsan_test_only_on_fork)
ZERO(__sanitizer_acquire_crash_state)
ZERO(__sanitizer_annotate_contiguous_container)
ZERO(__sanitizer_annotate_double_ended_contiguous_container)
ZERO(__sanitizer_contiguous_container_find_bad_address)
ZERO(__sanitizer_cov_dump)
ZERO(__sanitizer_cov_reset)
ZERO(__sanitizer_double_ended_contiguous_container_find_bad_address)
ZERO(__sanitizer_dump_coverage)
ZERO(__sanitizer_finish_switch_fiber)
ZERO(__sanitizer_free_hook)
ZERO(__sanitizer_get_current_allocated_bytes)
ZERO(__sanitizer_get_free_bytes)
ZERO(__sanitizer_get_heap_size)
ZERO(__sanitizer_get_module_and_offset_for_pc)
ZERO(__sanitizer_get_report_path)
ZERO(__sanitizer_get_unmapped_bytes)
ZERO(__sanitizer_ignore_free_hook)
ZERO(__sanitizer_install_malloc_and_free_hooks)
ZERO(__sanitizer_malloc_hook)
ZERO(__sanitizer_print_memory_profile)
ZERO(__sanitizer_purge_allocator)
ZERO(__sanitizer_report_error_summary)
ZERO(__sanitizer_return_address)
ZERO(__sanitizer_sandbox_on_notify)
ZERO(__sanitizer_start_switch_fiber)
ZERO(__sanitizer_symbolize_global)
ZERO(__sanitizer_symbolize_pc)
ZERO(__sanitizer_on_print)
ZERO(__sanitizer_weak_hook_memcmp)
ZERO(__sanitizer_weak_hook_memmem)
ZERO(__sanitizer_weak_hook_strcasecmp)
ZERO(__sanitizer_weak_hook_strcasestr)
ZERO(__sanitizer_weak_hook_strcmp)
ZERO(__sanitizer_weak_hook_strncasecmp)
ZERO(__sanitizer_weak_hook_strncmp)
ZERO(__sanitizer_weak_hook_strstr)

/* Coverage of other kinds than the one we ask for (--branches). */
ZERO(__sanitizer_cov_8bit_counters_init)
ZERO(__sanitizer_cov_bool_flag_init)
ZERO(__sanitizer_cov_pcs_init)
ZERO(__sanitizer_cov_trace_cmp)
ZERO(__sanitizer_cov_trace_cmp1)
ZERO(__sanitizer_cov_trace_cmp2)
ZERO(__sanitizer_cov_trace_cmp4)
ZERO(__sanitizer_cov_trace_cmp8)
ZERO(__sanitizer_cov_trace_const_cmp1)
ZERO(__sanitizer_cov_trace_const_cmp2)
ZERO(__sanitizer_cov_trace_const_cmp4)
ZERO(__sanitizer_cov_trace_const_cmp8)
ZERO(__sanitizer_cov_trace_div4)
ZERO(__sanitizer_cov_trace_div8)
ZERO(__sanitizer_cov_trace_gep)
ZERO(__sanitizer_cov_trace_pc_guard)
ZERO(__sanitizer_cov_trace_pc_guard_init)
ZERO(__sanitizer_cov_trace_pc_indir)
ZERO(__sanitizer_cov_trace_switch)

FUNCTION(int, RunningOnValgrind, (void))
{
    return 0;
}

FUNCTION(int, ThreadSanitizerQuery, (const char *query))
{
    const char *known = "pure_happens_before";
    while (*known && *known == *query)
        known++, query++;
    return !*known && !*query;
}
