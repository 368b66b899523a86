/* Everything is in ocr.h. */
#include "../ocr.h"
