#!/bin/bash
# Four workers of a plan: qsub -v FDT_PLAN=/shared/plan42 pbs.sh
#PBS -N fdt
#PBS -J 0-3
#PBS -l select=1:ncpus=2:mem=2gb
#PBS -r y

# PBS_ARRAY_INDEX is the index; the count is that of -J.
export FDT_OF=4
exec ${FDT:-fdt} worker
