/* CL2.0, build: plain */
#include "images.h"
