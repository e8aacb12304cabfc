# @count@ of: @command@
# @cost@
#
# `make -f FILE -j N` runs N of them at a time. What comes out is in @name@/: shard-K.json and what the shard said in
# shard-K.txt, and report.json. The same line goes on with what is not done yet. detcheck has to be on the PATH.
shards := $(patsubst %,@name@/shard-%.json,$(shell seq @shards@))

.PHONY: all
.DELETE_ON_ERROR:
all: @name@/report.json
	@judge@@setup_and@detcheck gate @name@/report.json@policies@

@name@/report.json: $(shards)
	@setup_and@detcheck merge @name@/shard-*.json -o $@

# 1 is a finding, which the report holds. Shards of another plan are made anew.
$(shards): @name@/shard-%.json: $(firstword $(MAKEFILE_LIST))
	@mkdir -p @name@
	@setup_and@@command@ --shard $*/@shards@ @checkpoint@--json $@ \
	    > @name@/shard-$*.txt || [ $$? -eq 1 ]
