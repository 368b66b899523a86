/* There is no profiler: nothing to declare. */
