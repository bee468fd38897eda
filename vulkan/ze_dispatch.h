/* ze_dispatch.h - written by join.sh: vk_dispatch.h under the names of ze_dispatch.h, so that a program that is written
 * for Level Zero runs through Vulkan as it stands: compile it with -Ivulkan before the folder of the other headers, or
 * put this file in the place of theirs. What Vulkan lacks is an undefined name. docs/vulkan.md has more. */
#ifndef ZE_DISPATCH_H
#define ZE_DISPATCH_H
#define ZE_DISPATCH_VULKAN_ /* for the few programs that tell them apart */

#include "vk_dispatch.h"

/* Vulkan's drivers take no flags, and its modules say how large their groups are. */
#define zed_module_load(module, d, words, bytes, flags) vkd_module_load(module, d, words, bytes)
#define zed_module_load_cached(module, d, words, bytes, flags, folder)                                                 \
    vkd_module_load_cached(module, d, words, bytes, folder)

#define ZED_ALLOC_ALIGN VKD_ALLOC_ALIGN
#define ZED_ALLOC_KIND VKD_ALLOC_KIND
#define ZED_ALLOC_SIZE VKD_ALLOC_SIZE
#define ZED_ARG VKD_ARG
#define ZED_ARG_COUNT VKD_ARG_COUNT
#define ZED_ARG_MEMORY VKD_ARG_MEMORY
#define ZED_ARG_RANGE VKD_ARG_RANGE
#define ZED_ARG_TYPE VKD_ARG_TYPE
#define ZED_BATCH_LAUNCH VKD_BATCH_LAUNCH
#define ZED_BATCH_STATE VKD_BATCH_STATE
#define ZED_CAPABILITY VKD_CAPABILITY
#define ZED_COLUMN_MAJOR VKD_COLUMN_MAJOR
#define ZED_CONSTANT VKD_CONSTANT
#define ZED_CONSTANT_ID VKD_CONSTANT_ID
#define ZED_CONSTANT_RANGE VKD_CONSTANT_RANGE
#define ZED_CONSTANT_TYPE VKD_CONSTANT_TYPE
#define ZED_CONVERSION VKD_CONVERSION
#define ZED_DEVICE VKD_DEVICE
#define ZED_ERRORS VKD_ERRORS
#define ZED_EVENT_STATE VKD_EVENT_STATE
#define ZED_FILL_PATTERN VKD_FILL_PATTERN
#define ZED_GROUPS VKD_GROUPS
#define ZED_GROUP_TOO_LARGE VKD_GROUP_TOO_LARGE
#define ZED_HOST VKD_HOST
#define ZED_KERNEL_NAME VKD_KERNEL_NAME
#define ZED_KERNEL_NOT_LOADED VKD_KERNEL_NOT_LOADED
#define ZED_LOAD VKD_LOAD
#define ZED_LOAD_CACHED VKD_LOAD_CACHED
#define ZED_LOCAL_MEMORY VKD_LOCAL_MEMORY
#define ZED_LOCAL_SIZE VKD_LOCAL_SIZE
#define ZED_MAX_ARGS VKD_MAX_ARGS
#define ZED_MAX_DEVICES VKD_MAX_DEVICES
#define ZED_MEMORY_RANGE VKD_MEMORY_RANGE
#define ZED_MODULE VKD_MODULE
#define ZED_MUL_OPTIMAL VKD_MUL_OPTIMAL
#define ZED_NOT_ALLOCATED VKD_NOT_ALLOCATED
#define ZED_NOT_OPEN VKD_NOT_OPEN
#define ZED_NO_DEVICE VKD_NO_DEVICE
#define ZED_NO_LOADER VKD_NO_LOADER
#define ZED_NO_SUCH_DEVICE VKD_NO_SUCH_DEVICE
#define ZED_NO_VECTORS VKD_NO_VECTORS
#define ZED_NULL_POINTER VKD_NULL_POINTER
#define ZED_OK VKD_OK
#define ZED_OTHER_DEVICE VKD_OTHER_DEVICE
#define ZED_OUTER_PRODUCT_OPTIMAL VKD_OUTER_PRODUCT_OPTIMAL
#define ZED_OUT_OF_MEMORY VKD_OUT_OF_MEMORY
#define ZED_PARAM_LOCAL VKD_PARAM_LOCAL
#define ZED_PARAM_PTR VKD_PARAM_PTR
#define ZED_PARAM_TEXT VKD_PARAM_TEXT
#define ZED_PARAM_VALUE VKD_PARAM_VALUE
#define ZED_RESULTS VKD_RESULTS
#define ZED_ROW_MAJOR VKD_ROW_MAJOR
#define ZED_SAME_DEVICE VKD_SAME_DEVICE
#define ZED_SHARED VKD_SHARED
#define ZED_SOURCE VKD_SOURCE
#define ZED_SOURCE_WITH VKD_SOURCE_WITH
#define ZED_SUBGROUP_SIZE VKD_SUBGROUP_SIZE
#define ZED_TARGET VKD_TARGET
#define zed_address vkd_address
#define zed_alloc vkd_alloc
#define zed_arg vkd_arg
#define zed_arg_f vkd_arg_f
#define zed_arg_f_to vkd_arg_f_to
#define zed_arg_i vkd_arg_i
#define zed_arg_i_to vkd_arg_i_to
#define zed_arg_local vkd_arg_local
#define zed_arg_local_to vkd_arg_local_to
#define zed_arg_ptr vkd_arg_ptr
#define zed_arg_ptr_to vkd_arg_ptr_to
#define zed_arg_u vkd_arg_u
#define zed_arg_u_to vkd_arg_u_to
#define zed_batch vkd_batch
#define zed_batch_begin vkd_batch_begin
#define zed_batch_begin_timed vkd_batch_begin_timed
#define zed_batch_change vkd_batch_change
#define zed_batch_change_n vkd_batch_change_n
#define zed_batch_convert vkd_batch_convert
#define zed_batch_copy vkd_batch_copy
#define zed_batch_end vkd_batch_end
#define zed_batch_follow vkd_batch_follow
#define zed_batch_free vkd_batch_free
#define zed_batch_launch vkd_batch_launch
#define zed_batch_launch_n vkd_batch_launch_n
#define zed_batch_ns vkd_batch_ns
#define zed_batch_print_times vkd_batch_print_times
#define zed_batch_run vkd_batch_run
#define zed_batch_signal vkd_batch_signal
#define zed_batch_start vkd_batch_start
#define zed_batch_wait vkd_batch_wait
#define zed_cache_log vkd_cache_log
#define zed_clear_error vkd_clear_error
#define zed_close vkd_close
#define zed_constant vkd_constant
#define zed_conversion vkd_conversion
#define zed_convert_matrices vkd_convert_matrices
#define zed_converted_bytes vkd_converted_bytes
#define zed_copy vkd_copy
#define zed_device vkd_device
#define zed_error vkd_error
#define zed_event vkd_event
#define zed_event_create vkd_event_create
#define zed_event_done vkd_event_done
#define zed_event_free vkd_event_free
#define zed_event_wait vkd_event_wait
#define zed_fill vkd_fill
#define zed_fill_pattern vkd_fill_pattern
#define zed_follow vkd_follow
#define zed_free vkd_free
#define zed_get_error vkd_get_error
#define zed_groups vkd_groups
#define zed_info vkd_info
#define zed_kernel vkd_kernel
#define zed_kernel_clone vkd_kernel_clone
#define zed_kernel_free vkd_kernel_free
#define zed_kernel_get vkd_kernel_get
#define zed_launch vkd_launch
#define zed_launch_n vkd_launch_n
#define zed_launch_timed vkd_launch_timed
#define zed_launch_timed_n vkd_launch_timed_n
#define zed_layout vkd_layout
#define zed_list vkd_list
#define zed_load_all vkd_load_all
#define zed_load_source vkd_load_source
#define zed_local vkd_local
#define zed_local_size vkd_local_size
#define zed_module vkd_module
#define zed_module_free vkd_module_free
#define zed_module_load_source vkd_module_load_source
#define zed_open vkd_open
#define zed_open_queue vkd_open_queue
#define zed_options vkd_options
#define zed_param vkd_param
#define zed_print_error vkd_print_error
#define zed_print_list vkd_print_list
#define zed_result_name vkd_result_name
#define zed_signal vkd_signal
#define zed_size_of vkd_size_of
#define zed_source vkd_source
#define zed_start vkd_start
#define zed_start_n vkd_start_n
#define zed_subgroup_size vkd_subgroup_size
#define zed_target vkd_target
#define zed_target_log vkd_target_log
#define zed_wait vkd_wait

#endif /* ZE_DISPATCH_H */
