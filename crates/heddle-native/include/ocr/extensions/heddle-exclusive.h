/* Included by `heddle cc --ocr` in front of sources that use DB_MODE_EW. */

#ifndef HEDDLE_EXCLUSIVE_H
#define HEDDLE_EXCLUSIVE_H

#ifdef __cplusplus
extern "C"
#endif
void heddle_ocr_expect_exclusion(void);

__attribute__((constructor)) static void heddle_ocr_expects_exclusion(void)
{
    heddle_ocr_expect_exclusion();
}

#endif
