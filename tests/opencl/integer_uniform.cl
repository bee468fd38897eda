/* integer.cl where every value is the same in a whole subgroup: the device keeps such values once. build: plain */
#define INDEX get_group_id(0)
#include "integer.cl"
