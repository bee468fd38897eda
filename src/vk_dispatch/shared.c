/* shared.c - what the queues of one device share: the list of allocations, and a lock. */
#include "internal.h"

#if defined(_WIN32)
XE_FN_ void vkd_lock_(vkd_shared_ *s) { AcquireSRWLockExclusive((struct _RTL_SRWLOCK *)&s->lock); }
XE_FN_ void vkd_unlock_(vkd_shared_ *s) { ReleaseSRWLockExclusive((struct _RTL_SRWLOCK *)&s->lock); }
#else
XE_FN_ void vkd_lock_(vkd_shared_ *s) { pthread_mutex_lock(&s->lock); }
XE_FN_ void vkd_unlock_(vkd_shared_ *s) { pthread_mutex_unlock(&s->lock); }
#endif

/* Makes what the device shares with queues that are opened later; its family has so many queues. */
XE_FN_ bool vkd_share_(vkd_device *d, uint32_t queues)
{
    d->shared_ = (vkd_shared_ *)calloc(1, sizeof *d->shared_);
    if (!d->shared_) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for what queues share");
    d->shared_->queues = queues;
#if !defined(_WIN32)
    if (pthread_mutex_init(&d->shared_->lock, NULL) == 0) return true;
    free(d->shared_);
    d->shared_ = NULL;
    return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a lock");
#else
    return true;
#endif
}

XE_FN_ void vkd_unshare_(vkd_device *d)
{
    if (!d->shared_ || d->borrowed_) return;
#if !defined(_WIN32)
    pthread_mutex_destroy(&d->shared_->lock);
#endif
    free(d->shared_->memory);
    free(d->shared_);
}

/* Of memory: what the host calls it. */
XE_FN_ void *vkd_host_(const vkd_resource_ *r) { return (void *)(uintptr_t)r->handle; }

/* The number of allocations that begin at or before p: the list is in the order of addresses. The lock is held. */
static size_t vkd_allocations_upto_(const vkd_shared_ *s, const void *p)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)s->memory[middle]->handle <= (uintptr_t)p) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Adds an allocation to the list; false and an error if out of memory. */
XE_FN_ bool vkd_keep_memory_(vkd_device *d, const vkd_resource_ *r)
{
    vkd_shared_ *s = d->shared_;
    vkd_resource_ *kept = (vkd_resource_ *)malloc(sizeof *kept), **more;
    bool ok = kept != NULL;
    vkd_lock_(s);
    if (ok && s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 32;
        more = (vkd_resource_ **)realloc(s->memory, room * sizeof *more);
        ok = more != NULL;
        if (ok) s->memory = more, s->room = room;
    }
    if (ok) {
        size_t at = vkd_allocations_upto_(s, vkd_host_(r));
        *kept = *r;
        kept->owner = d;
        memmove(s->memory + at + 1, s->memory + at, (s->count++ - at) * sizeof *s->memory);
        s->memory[at] = kept;
    }
    vkd_unlock_(s);
    if (ok) return true;
    free(kept);
    return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a list of allocations");
}

/* Takes an allocation out of the list, that at p or (p NULL) any that this device made; false: there is none. */
XE_FN_ bool vkd_take_memory_(vkd_device *d, const void *p, vkd_resource_ *taken)
{
    vkd_shared_ *s = d->shared_;
    bool found;
    vkd_lock_(s);
    size_t at = p ? vkd_allocations_upto_(s, p) : s->count;
    while (!p && at && s->memory[at - 1]->owner != d) at--;
    found = at && (!p || vkd_host_(s->memory[at - 1]) == p);
    if (found) {
        vkd_resource_ *r = s->memory[at - 1];
        *taken = *r;
        free(r);
        memmove(s->memory + at - 1, s->memory + at, (s->count-- - at) * sizeof *s->memory);
    }
    vkd_unlock_(s);
    return found;
}

/* The allocation that p points into; NULL: none. It stays where it is until it is freed. */
XE_FN_ const vkd_resource_ *vkd_allocation_(const vkd_device *d, const void *p)
{
    const vkd_resource_ *found;
    vkd_lock_(d->shared_);
    size_t at = vkd_allocations_upto_(d->shared_, p);
    found = at ? d->shared_->memory[at - 1] : NULL;
    if (found && (uintptr_t)p - (uintptr_t)found->handle >= found->bytes) found = NULL;
    vkd_unlock_(d->shared_);
    return found;
}
