/* devices.c - the instance, and its devices in order of preference. */
#include "internal.h"

/* Prints what the validation layer says, and counts it. */
static VKAPI_ATTR VkBool32 VKAPI_CALL vkd_complaint_(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                     VkDebugUtilsMessageTypeFlagsEXT types,
                                                     const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    vkd_device *d = (vkd_device *)user;
    (void)types;
    if (severity < VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT) return VK_FALSE;
    fprintf(stderr, "vulkan: %s\n", data->pMessage);
    d->complaints++;
    return VK_FALSE;
}

static bool vkd_has_layer_(vkd_device *d, const char *name)
{
    VkLayerProperties layers[64];
    uint32_t count = 64;
    VkResult result = d->vk_->vkEnumerateInstanceLayerProperties(&count, layers);
    for (uint32_t i = 0; (result == VK_SUCCESS || result == VK_INCOMPLETE) && i < count; i++) {
        if (strcmp(layers[i].layerName, name) == 0) return true;
    }
    return false;
}

static bool vkd_create_messenger_(vkd_device *d, const VkDebugUtilsMessengerCreateInfoEXT *info)
{
    PFN_vkVoidFunction create = d->vk_->vkGetInstanceProcAddr(d->instance, "vkCreateDebugUtilsMessengerEXT");
    PFN_vkVoidFunction destroy = d->vk_->vkGetInstanceProcAddr(d->instance, "vkDestroyDebugUtilsMessengerEXT");
    if (!create || !destroy) return vkd_fail_(d, VKD_NO_LOADER, "Vulkan has no debug messengers");
    memcpy(&d->vk_->vkDestroyDebugUtilsMessengerEXT, &destroy, sizeof destroy);
    VkResult result = ((PFN_vkCreateDebugUtilsMessengerEXT)create)(d->instance, info, NULL, &d->messenger_);
    return vkd_check_(d, result, "vkCreateDebugUtilsMessengerEXT", "%s", "");
}

XE_FN_ bool vkd_create_instance_(vkd_device *d, bool validate)
{
    const char *layer = "VK_LAYER_KHRONOS_validation", *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkDebugUtilsMessengerCreateInfoEXT messages;
    VkApplicationInfo app;
    VkInstanceCreateInfo info;
    uint32_t version = 0;
    if (!vkd_find_loader_(d) || !VKD_CALL_(d, vkEnumerateInstanceVersion, (&version))) return false;
    if (version < VK_API_VERSION_1_3)
        return vkd_fail_(d, VKD_NO_LOADER, "the loader has Vulkan %u.%u, and 1.3 is needed",
                         VK_API_VERSION_MAJOR(version),
                         VK_API_VERSION_MINOR(version));
    VKD_CLEAR_(app, APPLICATION_INFO);
    VKD_CLEAR_(info, INSTANCE_CREATE_INFO);
    VKD_CLEAR_(messages, DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
    messages.messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    messages.messageType =
        VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
    messages.pfnUserCallback = vkd_complaint_;
    messages.pUserData = d;
    app.apiVersion = VK_API_VERSION_1_3;
    info.pApplicationInfo = &app;
    if (validate && !vkd_has_layer_(d, layer))
        return vkd_check_(d, VK_ERROR_LAYER_NOT_PRESENT, "vkEnumerateInstanceLayerProperties", "(%s)", layer);
    if (validate) {
        info.pNext = &messages;
        info.enabledLayerCount = info.enabledExtensionCount = 1;
        info.ppEnabledLayerNames = &layer;
        info.ppEnabledExtensionNames = &extension;
    }
    if (!VKD_CALL_(d, vkCreateInstance, (&info, NULL, &d->instance)) || !vkd_find_instance_(d)) return false;
    return !validate || vkd_create_messenger_(d, &messages);
}

XE_FN_ void vkd_get_features_(const vkd_device *d, VkPhysicalDevice device, vkd_features_ *f)
{
    VKD_CLEAR_(f->all, PHYSICAL_DEVICE_FEATURES_2);
    VKD_CLEAR_(f->in_1_1, PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
    VKD_CLEAR_(f->in_1_2, PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    VKD_CLEAR_(f->in_1_3, PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    f->all.pNext = &f->in_1_1;
    f->in_1_1.pNext = &f->in_1_2;
    f->in_1_2.pNext = &f->in_1_3;
    d->vk_->vkGetPhysicalDeviceFeatures2(device, &f->all);
}

/* 0 is best; -1: cannot run kernels. */
static int vkd_rank_(const vkd_device *d, VkPhysicalDevice device, VkPhysicalDeviceProperties2 *p)
{
    vkd_features_ f;
    d->vk_->vkGetPhysicalDeviceProperties2(device, p);
    if (p->properties.apiVersion < VK_API_VERSION_1_3) return -1;
    vkd_get_features_(d, device, &f);
    if (!f.in_1_2.bufferDeviceAddress || !f.in_1_2.vulkanMemoryModel) return -1;
    switch (p->properties.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 1;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
    default: return 3;
    }
}

/* Finds the devices, best first; those of one rank in the loader's order. Returns their number, -1 on error. */
XE_FN_ int vkd_find_devices_(vkd_device *d, VkPhysicalDevice *found, vkd_info *infos)
{
    VkPhysicalDevice all[VKD_MAX_DEVICES];
    uint32_t count = VKD_MAX_DEVICES;
    int n = 0;
    VkResult result = d->vk_->vkEnumeratePhysicalDevices(d->instance, &count, all);
    if (result != VK_INCOMPLETE && !vkd_check_(d, result, "vkEnumeratePhysicalDevices", "%s", "")) return -1;
    for (int rank = 0; rank < 4; rank++) {
        for (uint32_t i = 0; i < count; i++) {
            VkPhysicalDeviceProperties2 p;
            VkPhysicalDeviceDriverProperties driver;
            VKD_CLEAR_(p, PHYSICAL_DEVICE_PROPERTIES_2);
            VKD_CLEAR_(driver, PHYSICAL_DEVICE_DRIVER_PROPERTIES);
            p.pNext = &driver;
            if (vkd_rank_(d, all[i], &p) != rank) continue;
            memset(&infos[n], 0, sizeof infos[n]);
            infos[n].index = n;
            infos[n].target = "vulkan";
            infos[n].gpu = rank < 3;
            infos[n].vendor_id = p.properties.vendorID;
            infos[n].device_id = p.properties.deviceID;
            snprintf(infos[n].name, sizeof infos[n].name, "%s", p.properties.deviceName);
            snprintf(infos[n].driver, sizeof infos[n].driver, "%s %s", driver.driverName, driver.driverInfo);
            found[n++] = all[i];
        }
    }
    if (!n) vkd_fail_(d, VKD_NO_DEVICE, "none of %" PRIu32 " devices has Vulkan 1.3 and addresses of buffers", count);
    return n ? n : -1;
}
