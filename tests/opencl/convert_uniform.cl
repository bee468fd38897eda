/* convert.cl where every value is the same in a whole subgroup: the device keeps such values once. build: plain */
#define INDEX get_group_id(0)
#define ITEMS get_num_groups(0)
#include "convert.cl"
