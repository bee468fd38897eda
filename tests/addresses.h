/* addresses.h - memory of the test's `device`, passed to a kernel as a number. */
#ifndef TEST_ADDRESSES_H
#define TEST_ADDRESSES_H

#include "xetile.h"
#include "ze_dispatch.h" /* here, as what it defines is asked for below: addresses of the host make a GPU hang */

#if defined(ZE_DISPATCH_VULKAN_) /* where addresses on the device are others than the host's */
#define ADDRESS(p) ZED_ARG(zed_address(&device, p))
#else
#define ADDRESS(p) ZED_ARG((uint64_t)(uintptr_t)(p))
#endif

#endif
