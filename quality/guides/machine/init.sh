#!/bin/bash
# The first process of a machine of the tests: a copy of this one on which everything can be changed. It has
# files, processes and a network of its own. Arguments: an empty folder, the machine's name and address.
set -euo pipefail
folder=$1 name=$2 address=$3
mount -t tmpfs -o size=4G tmpfs "$folder"
mkdir "$folder"/{changes,work,root}
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/changes,workdir=$folder/work" "$folder/root"
cd "$folder/root"
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs tmpfs run
mkdir -p run/postgresql run/machine && chmod 777 run/postgresql
hostname "$name"
ip link set lo up
# The other end is in the network of the test.
until ip link show eth0 > /dev/null 2>&1; do sleep 0.05; done
ip address add "$address/24" dev eth0
ip link set eth0 up
# bash collects processes that have ended, as the first process must.
exec chroot . bash -c 'while :; do sleep 1 & wait "$!"; done'
