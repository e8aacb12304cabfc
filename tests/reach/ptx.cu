/* Every function as a kernel in PTX, by its own name: ptx.py reads what nvcc makes of this. */
extern "C" {
#include "device.h"
}
