#!/usr/bin/env bash
# Which processor each thread of a copy runs on, on an emulated machine (QEMU, no KVM) with two nodes of memory, its disk at node 0
# and its card at node 1: streams belong to node 1, writers to node 0. Usage: test-numa.sh FDT.JAR
# Needs qemu-system-x86, busybox-static, e2fsprogs, and apt-get for Debian's cloud kernel.
set -euo pipefail
jar=$(realpath "$1")
java_home=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(type -P javac)")")")}
cache=$(realpath -m "${NUMA_CACHE:-target/numa}")
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
for program in qemu-system-x86_64 busybox mkfs.ext4 cpio dpkg; do
  type -P "$program" >/dev/null || { echo "test-numa: '$program' is not installed: apt install qemu-system-x86 busybox-static e2fsprogs cpio" >&2; exit 2; }
done

# The kernel, from its package, which is not installed.
if ! compgen -G "$cache/boot/vmlinuz-*" >/dev/null; then
  mkdir -p "$cache"
  package=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends/ {print $2; exit}')
  (cd "$cache" && apt-get download -q "$package" && dpkg -x "$package"_*.deb . && rm -f "$package"_*.deb)
fi
kernel=$(compgen -G "$cache/boot/vmlinuz-*")
release=${kernel##*/vmlinuz-}

# The server, on this machine; the emulated one reaches it at 10.0.2.2.
export FDT_HOME=$work/home FDT_CACHE=off
mkdir "$work/data"
: >"$work/out"
for i in 1 2 3 4; do head -c 8000000 /dev/urandom >"$work/data/$i"; done
"$java_home/bin/java" -jar "$jar" serve --bind 127.0.0.1 --port 0 x="$work/data" >"$work/out" 2>"$work/log" &
server=$!
for _ in $(seq 300); do
  port=$(sed -n 's/^READY port=//p' "$work/out")
  if [ -n "$port" ] || ! kill -0 "$server" 2>/dev/null; then break; fi
  sleep 0.2
done
[ -n "$port" ] || { echo 'test-numa: the server did not start' >&2; cat "$work/log" >&2; exit 1; }

# The first file system: busybox, modules, a Java, the libraries that it loads, and the command.
root=$work/root
mkdir -p "$root"/{bin,proc,sys,dev,tmp,disk,etc,lib64,fdt} "$root/lib/x86_64-linux-gnu"
cp "$(type -P busybox)" "$root/bin/busybox"
for module in virtio virtio_ring virtio_pci virtio_pci_modern_dev virtio_pci_legacy_dev virtio_net virtio_blk failover net_failover; do
  find "$cache/lib/modules" -name "$module.ko" -exec cp --parents -t "$root" {} + 2>/dev/null || true
done
if [ -d "$root$cache/lib/modules" ]; then mv "$root$cache/lib/modules" "$root/lib/modules"; fi
"$java_home/bin/jlink" --strip-debug --no-header-files --no-man-pages --output "$root/java" \
  --add-modules java.base,java.logging,java.management,java.naming,java.xml,jdk.crypto.ec,jdk.management,jdk.net,jdk.unsupported
libraries=$(find "$root/java" -name '*.so' -exec ldd {} + 2>/dev/null | awk '$3 ~ /^\/(usr\/)?lib/ && $1 !~ /libjvm|libjava/ {print $3}' | sort -u)
for library in $libraries libpthread.so.0 libdl.so.2 librt.so.1 libm.so.6 libgcc_s.so.1 libstdc++.so.6; do
  case $library in /*) ;; *) library=/lib/x86_64-linux-gnu/$library ;; esac
  cp -L "$library" "$root/lib/x86_64-linux-gnu/"
done
cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
cp "$jar" "$root/fdt/fdt.jar"
cp "$FDT_HOME/token" "$root/fdt/token"
cat >"$root/init" <<END
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp FDT_HOME=/tmp/home FDT_CACHE=off
mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev 2>/dev/null
depmod; modprobe virtio_pci; modprobe virtio_net; modprobe virtio_blk
ip link set lo up; ip addr add 10.0.2.15/24 dev eth0; ip link set eth0 up
mount -t ext4 /dev/vda /disk
echo "NODES \$(cat /sys/devices/system/node/node0/cpulist) \$(cat /sys/devices/system/node/node1/cpulist)"
echo "CARD \$(cat /sys/class/net/eth0/device/../numa_node) DISK \$(cat /sys/block/vda/device/../numa_node)"
/java/bin/java -XX:TieredStopAtLevel=1 -jar /fdt/fdt.jar copy -r -v --explain --limit 1MB/s --accept-new --token-file /fdt/token \
  fdt://10.0.2.2:$port/x/ /disk/ >/tmp/copy 2>&1 &
copy=\$!
while kill -0 \$copy 2>/dev/null; do
  for task in /proc/\$copy/task/*; do
    echo "THREAD \$(cut -d' ' -f2- \$task/stat 2>/dev/null | sed 's/^(\\(.*\\)) .*/\\1/') \$(sed 's/.*) //' \$task/stat 2>/dev/null | cut -d' ' -f37) \$(sed -n 's/^Cpus_allowed_list:[^0-9]*//p' \$task/status 2>/dev/null)"
  done
  sleep 2
done
wait \$copy
echo "STATUS \$?"
cat /tmp/copy
poweroff -f
END
chmod +x "$root/init"
(cd "$root" && find . | cpio --quiet -o -H newc | gzip -1) >"$work/initrd"
truncate -s 256M "$work/disk"
mkfs.ext4 -q "$work/disk"

timeout "${NUMA_SECONDS:-600}" qemu-system-x86_64 -accel tcg,thread=multi -machine q35 -cpu max -smp 4 -m 2G -nographic -no-reboot \
  -object memory-backend-ram,id=m0,size=1G -object memory-backend-ram,id=m1,size=1G \
  -numa node,nodeid=0,cpus=0-1,memdev=m0 -numa node,nodeid=1,cpus=2-3,memdev=m1 \
  -device pxb-pcie,id=near0,bus=pcie.0,bus_nr=32,numa_node=0 -device pcie-root-port,id=port0,bus=near0,chassis=1 \
  -device pxb-pcie,id=near1,bus=pcie.0,bus_nr=64,numa_node=1 -device pcie-root-port,id=port1,bus=near1,chassis=2 \
  -drive if=none,id=disk,format=raw,file="$work/disk" -device virtio-blk-pci,drive=disk,bus=port0 \
  -netdev user,id=net -device virtio-net-pci,netdev=net,bus=port1,romfile= \
  -kernel "$kernel" -initrd "$work/initrd" -append 'console=ttyS0 panic=-1 quiet' </dev/null >"$work/console" 2>&1 || true
tr -d '\r' <"$work/console" >"$work/lines"
mkdir -p target && cp "$work/lines" target/numa-console.txt
grep -E '^(NODES|CARD)' "$work/lines" || { tail -30 "$work/lines" >&2; exit 1; }
grep 'threads placed' "$work/lines" || true

# Thread, the processors on which it was seen, and those that it may use.
awk '$1 == "THREAD" && NF == 4 && $2 ~ /^fdt-/ {
  name = $2; sub(/^fdt-[0-9a-f]+-/, "fdt-SESSION-", name)
  seen[name] = seen[name] (index(seen[name] " ", " " $3 " ") ? "" : " " $3); may[name] = $4
} END { for (name in may) printf "%-40s on %-10s of %s\n", name, seen[name], may[name] }' "$work/lines" | sort | tee "$work/table"
grep -q '^STATUS 0' "$work/lines" || { echo 'test-numa: the copy failed; see target/numa-console.txt' >&2; exit 1; }
expect() {
  grep -E "$1" "$work/table" >"$work/these" || { echo "test-numa: no thread $1 was seen" >&2; exit 1; }
  if grep -v " of $2\$" "$work/these"; then echo "test-numa: those belong to processors $2" >&2; exit 1; fi
}
expect '^fdt-client-[0-9]' 2-3
expect '^fdt-SESSION-wr' 0-1 # the kernel keeps 15 characters of a name
echo "$release: streams on the node of the card, writers on that of the disk"
