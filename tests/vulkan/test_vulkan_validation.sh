#!/bin/sh
# Programs through Vulkan with the validation layer (Debian's vulkan-validationlayers), which says nothing about them.
. "$(dirname "$0")/../test.sh"
export XETILE_VULKAN_VALIDATE=1
[ -x "$BUILD/hello_vulkan" ] || { skip "validation" "Vulkan's headers are missing"; report; exit; }
"$BUILD/hello_vulkan" > "$work/said" 2>&1 || { skip "validation" "$(tail -n 1 "$work/said")"; report; exit; }
for program in hello_vulkan vulkan/gather vulkan/softmax test_vulkan test_vulkan_math; do
    [ -x "$BUILD/$program" ] || { skip "$program" "it is not built"; continue; }
    # The layer adds up the local memory of all kernels of a module, of which each has its own.
    XETILE_SPV_DIR="$work" TEST_EXCEPT=kernels_of_one_module_each_have_local_memory "$BUILD/$program" > "$work/said" 2>&1
    check "$program ends well" test $? = 0
    check "$program: no message" sh -c "! grep '^vulkan: ' '$work/said'"
done
report
