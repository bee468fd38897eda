/* counter.h - counter-based events whose counters are in memory that others see: the program's, or a board that
 * processes share. With the names that Intel's driver had for their functions before, which programs find with
 * zeDriverGetExtensionFunctionAddress.
 */
#ifndef XETILE_SOFT_ZE_COUNTER_H
#define XETILE_SOFT_ZE_COUNTER_H

#include "ze_soft.h"

/* The older numbers of the structures that are chained to an event's descriptor. */
enum { SOFT_SYNC_MODE_EXP = 0x30016, SOFT_SYNC_ALLOCATION_EXP = 0x3001d, SOFT_AGGREGATE_STORAGE_EXP = 0x30027 };

/* The older names. The others are those above: zexEventGetDeviceAddress, zexCounterBasedEvent{Get,Open,Close}IpcHandle,
 * zexDeviceGetAggregatedCopyOffloadIncrementValue. */
ZE_APIEXPORT ze_result_t zexCounterBasedEventCreate(ze_context_handle_t context, ze_device_handle_t device,
                                                    uint64_t *device_address, uint64_t *host_address, uint64_t value,
                                                    const ze_event_desc_t *desc, ze_event_handle_t *event);
ZE_APIEXPORT ze_result_t zexCounterBasedEventCreate2(ze_context_handle_t context, ze_device_handle_t device,
                                                     const ze_event_counter_based_desc_t *desc,
                                                     ze_event_handle_t *event);

/* The counter of a moment. */
struct soft_counter {
    _Atomic uint64_t *at;     /* for commands */
    _Atomic uint64_t *host;   /* for the host: the program may keep two */
    uint64_t value;           /* that it must have reached for the moment to be set */
    uint64_t increment;       /* added by each command that sets the moment; 0: no command does */
    bool decides;             /* whether the moment is set; otherwise it only tells other processes */
    struct soft_board *board; /* that it belongs to; NULL: it is in the program's memory */
    _Atomic uint64_t point;   /* on the board */
};

/* With the moment's lock held: */
bool soft_counter_reached(ze_event_handle_t moment, bool by_host);
void soft_counter_advance(ze_event_handle_t moment, ze_result_t result); /* a command that sets it is done */
void soft_counter_repeat(ze_event_handle_t moment);                      /* such a command will run (again) */
void soft_counter_free(struct soft_counter *c);

/* The board of an event for other processes. NULL: no memory, or not such a file, of which it takes ownership; the
 * event gets its flags from there. */
struct soft_board *soft_board_new(const struct _ze_event_handle_t *event);
struct soft_board *soft_board_open(const struct soft_ipc *from, int file, ze_event_handle_t event);
bool soft_board_describe(const struct soft_board *b, struct soft_ipc *to);
/* As the event's latest; false: no memory. */
bool soft_board_publish(struct soft_board *b, ze_event_handle_t moment);
/* The counter of the latest moment; NULL: there is none, or it is `last`, or no memory. */
struct soft_counter *soft_board_follow(struct soft_board *b, const struct soft_counter *last);
void soft_board_release(struct soft_board *b);

#endif
