/* integer.cl with uniform values, which the device stores once per subgroup. build: plain */
#define INDEX get_group_id(0)
#include "integer.cl"
