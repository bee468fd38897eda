/* CL2.0, build: none - images and samplers are in variables */
#include "images.h"
