#!/usr/bin/env bash
# Installs the programs that tests and the short benchmarks start, with apt-get and pip. Does nothing where all are there.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin

# A program, or a file by its whole path, and the package of Debian and Ubuntu that has it.
programs='
  chromium chromium
  curl    curl
  dbus-run-session dbus
  pg_ctlcluster postgresql
  fish    fish
  fusermount3 fuse3
  g++     g++
  gnome-keyring-daemon gnome-keyring
  groff   groff-base
  nginx   nginx
  openssl openssl
  perl    perl-base
  mkfs.ext4 e2fsprogs
  pip3    python3-pip
  python3 python3
  rpmbuild rpm
  rsync   rsync
  script  bsdutils
  secret-tool libsecret-tools
  setfacl acl
  setpriv util-linux
  slurmctld slurmctld
  slurmd  slurmd
  sbatch  slurm-client
  ss      iproute2
  ssh     openssh-client
  sshd    openssh-server
  strace  strace
  systemd-analyze systemd
  tcsh    tcsh
  time    time
  zsh     zsh
  /usr/include/fuse3/fuse.h libfuse3-dev'

# The lines of those programs that are not there. Not a keyword of the shell, for which "command -v time" stands too.
missing() {
  while read -r program package; do
    if [ -n "$program" ] && ! type -P "$program" >/dev/null && ! [[ $program == /* && -e $program ]]; then
      echo "$program $package"
    fi
  done <<<"$programs"
}

# A store that speaks S3, for this user. The versions are pinned; it needs no web server beside it.
store() {
  if ! type -P moto_server >/dev/null && ! [ -x ~/.local/bin/moto_server ]; then
    echo 'test-dependencies: installing moto_server'
    python3 -m pip install --quiet --user --break-system-packages 'moto[s3]==5.2.5' 'flask==3.1.3' 'flask-cors==6.0.5'
  fi
}

if [ -z "$(missing)" ]; then
  store
  exit
fi
if ! command -v apt-get >/dev/null; then
  echo "test-dependencies: no apt-get here, install these programs by other means: $(missing | cut -d ' ' -f 1 | xargs)" >&2
  exit 1
fi
root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "test-dependencies: run this as root: apt-get install $(missing | cut -d ' ' -f 2 | xargs)" >&2
    exit 1
  fi
  root=(sudo)
fi
mapfile -t packages < <(missing | cut -d ' ' -f 2)
echo "test-dependencies: installing ${packages[*]}"
apt_get=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq)
"${apt_get[@]}" update
"${apt_get[@]}" install --yes --no-install-recommends "${packages[@]}" >/dev/null
if [ -n "$(missing)" ]; then
  echo "test-dependencies: still not there: $(missing | cut -d ' ' -f 1 | xargs)" >&2
  exit 1
fi
store
