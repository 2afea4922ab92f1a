#include "starloom.h"
this is no C
