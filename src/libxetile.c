/* libxetile.c - the bodies of all the headers, in the one file of a program that has them: libxetile is made of it, and
 * the examples, tests and benches of this repository are linked with it. Those of vk_dispatch.h need Vulkan's headers. */
#define XETILE_IMPLEMENTATION
#include "../coopvec.h"
#include "../xetile.h"
#include "../ze_dispatch.h"
#if defined(__has_include)
#if __has_include(<vulkan/vulkan_core.h>)
#include "../vk_dispatch.h"
#endif
#endif
