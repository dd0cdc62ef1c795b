#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# instrument.sh LD OBJCOPY OUTPUT OBJECT...: joins objects compiled with -fsanitize=thread
# and renames every runtime symbol that GCC or Clang may call to ours, so that
# the program around them can be built with any sanitizer.
set -eu
ld=$1
objcopy=$2
output=$3
shift 3

names() {
	for width in 8 16 32 64 128; do
		for op in load store exchange fetch_add fetch_sub fetch_and fetch_or fetch_xor \
			fetch_nand compare_exchange_strong compare_exchange_weak compare_exchange_val; do
			echo "atomic${width}_$op"
		done
	done
	for bytes in 1 2 4 8 16; do
		for op in read write unaligned_read unaligned_write volatile_read volatile_write \
			unaligned_volatile_read unaligned_volatile_write read_write \
			unaligned_read_write; do
			echo "$op$bytes"
		done
	done
	printf '%s\n' init func_entry func_exit read_range write_range memcpy memset memmove \
		atomic_thread_fence atomic_signal_fence vptr_update vptr_read
}

"$ld" -r -o "$output.joined" "$@"
names | sed 's/.*/__tsan_& futexsim_tsan_&/' >"$output.names"
"$objcopy" --redefine-syms="$output.names" "$output.joined"
# GCC leaves block operations to an interceptor: calls of the library's own names.
printf '%s\n' memcpy memset memmove | sed 's/.*/& futexsim_tsan_&/' >"$output.names"
"$objcopy" --redefine-syms="$output.names" "$output.joined" "$output"
rm -f "$output.joined" "$output.names"
