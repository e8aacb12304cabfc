#!/bin/sh
# @count@ of: @command@
# @cost@
#
# Submit it by `sh FILE`, in a directory that all nodes see. What comes out is in @name@/: shard-K.json and what the
# shard said in shard-K.txt, report.json and merge.txt. A shard that is killed or runs out of time goes back to the
# queue and on from its checkpoint. Nodes need detcheck on their PATH.
set -eu
mkdir -p @name@
array=$(sbatch --parsable <<'END'
#!/bin/sh
#SBATCH --job-name=@name@
#SBATCH --array=1-@shards@
#SBATCH --cpus-per-task=@threads@
#SBATCH --time=@minutes@
#SBATCH --requeue
#SBATCH --signal=B:USR1@60
#SBATCH --open-mode=append
#SBATCH --output=@name@/shard-%a.txt
@setup@
shard=@name@/shard-$SLURM_ARRAY_TASK_ID
again=true
@command@ --shard auto @checkpoint@--json "$shard.json" &
trap 'kill $! 2>/dev/null' USR1
trap 'again=false; kill $! 2>/dev/null' TERM
while status=0; wait $! || status=$?; kill -0 $! 2>/dev/null; do :; done
# Above 127 it was told to end or was killed. 1 is a finding, which the report holds.
if $again && [ $status -gt 127 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 100 ]; then
    scontrol requeue "$SLURM_JOB_ID"
    sleep 60
fi
[ $status -le 1 ]
END
)
sbatch --dependency=afterany:"${array%%;*}" <<'END'
#!/bin/sh
#SBATCH --job-name=@name@-merge
#SBATCH --output=@name@/merge.txt
set -e
@setup@
detcheck merge @name@/shard-*.json -o @name@/report.json
@judge@detcheck gate @name@/report.json@policies@
END
