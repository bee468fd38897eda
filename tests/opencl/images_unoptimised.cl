/* CL2.0, build: none - images and samplers lie in variables */
#include "images.h"
