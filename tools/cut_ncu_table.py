#!/usr/bin/env python3
"""Cuts some kernels out of the table of `ncu --csv`, small enough to be a test.

Usage: cut_ncu_table.py TABLE.csv OUT.csv --ids 0,4,6

Keeps the lines in front of the table, its columns, and of the launches of those IDs the metrics that
Hone's rules read, as they are, but for names of kernels beyond their first 120 letters.
"""

import argparse
import csv

KEPT = {"Duration", "Memory Throughput", "DRAM Throughput", "L2 Cache Throughput", "Compute (SM) Throughput",
        "L2 Hit Rate", "Achieved Occupancy", "Theoretical Occupancy", "Waves Per SM", "# SMs",
        "Registers Per Thread", "Block Limit Registers", "Block Limit Shared Mem", "Block Limit Warps",
        "Block Limit SM", "Block Limit Barriers",
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
        "memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table")
    parser.add_argument("out")
    parser.add_argument("--ids", required=True)
    options = parser.parse_args()
    ids = set(options.ids.split(","))
    with open(options.table, newline="") as file:
        rows = list(csv.reader(file))
    header = next(i for i, row in enumerate(rows) if row and row[0] == "ID")
    name, metric = rows[header].index("Kernel Name"), rows[header].index("Metric Name")
    with open(options.out, "w", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        file.write("==PROF== Disconnected from process 623\n")
        writer.writerow(rows[header])
        for row in rows[header + 1:]:
            if len(row) > metric and row[0] in ids and row[metric] in KEPT:
                writer.writerow(row[:name] + [row[name][:120]] + row[name + 1:])


if __name__ == "__main__":
    main()
