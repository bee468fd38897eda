/* math.cl with uniform values, which the device stores once per subgroup. build: plain */
#define INDEX get_group_id(0)
#define LOCAL_INDEX 0
#define ITEMS get_num_groups(0)
#include "math.cl"
