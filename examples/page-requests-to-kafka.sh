#!/usr/bin/env bash
# Sends page requests to partition 0 of a topic as they arrive, until it is stopped or fails. Let a service
# manager start it again, one at a time for a topic.
#
# Usage: page-requests-to-kafka.sh BROKERS TOPIC [ID]
# ID: where an empty topic begins: after this page request (default: 0, with the first one)
set -euo pipefail
brokers=$1 topic=$2 start=${3:-0}

# The position is in the topic: the ID of its last message.
last=$(kcat -C -q -b "$brokers" -t "$topic" -p 0 -o -1 -e | sed 's/^{"id":\([0-9]*\),.*/\1/')

# A last line that was cut is dropped. kcat reads 1,024 bytes at a time, and would keep the end of a line until the next
# one comes: so lines are filled up with spaces, which JSON allows.
whole_lines='BEGIN { $| = 1 } print $_, " " x (-(length() + 1) % 1024), "\n" if s/\n\z//'

# kcat tries each message again until the brokers have it, in order.
wfh page-requests follow --after "${last:-$start}" | perl -ne "$whole_lines" |
  kcat -P -z lz4 -b "$brokers" -t "$topic" -p 0 -X enable.idempotence=true \
    -X enable.gapless.guarantee=true -X message.timeout.ms=0
