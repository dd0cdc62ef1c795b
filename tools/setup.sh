# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by tools/run and tools/check: installs Debian packages, configures and builds.

build_packages='gcc libc6-dev binutils meson ninja-build pkg-config libgsl-dev libjansson-dev libxxhash-dev libisal-dev libsodium-dev libcmocka-dev python3'
check_packages='clang clang-format clang-tidy libclang-rt-14-dev python3-jsonschema'

die()
{
	printf '%s: %s\n' "$(basename "$0")" "$*" >&2
	exit 1
}

missing_packages()
{
	local package
	for package in "$@"; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
			printf '%s ' "$package"
	done
}

# Installs those of the named packages that are missing.
need_packages()
{
	local missing log sudo=''
	command -v dpkg-query >/dev/null ||
		die "this script installs Debian packages, and there is no dpkg here. By hand: $*"
	missing=$(missing_packages "$@")
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" -ne 0 ]; then
		command -v sudo >/dev/null ||
			die "packages are missing, and installing them needs root. As root: apt-get install ${missing% }"
		sudo=sudo
	fi
	printf 'Installing: %s\n' "${missing% }" >&2
	# shellcheck disable=SC2086 # word splitting is meant
	log=$(mktemp)
	{
		$sudo env DEBIAN_FRONTEND=noninteractive apt-get update -qq &&
			$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
	} >"$log" 2>&1 || {
		cat "$log" >&2
		die "apt-get could not install: ${missing% }"
	}
	rm -f "$log"
}

# configure DIRECTORY COMPILER [MESON OPTION...]: once; ninja reconfigures by itself afterwards.
configure()
{
	local directory=$1 compiler=$2
	shift 2
	[ -f "$directory/build.ninja" ] || CC=$compiler meson setup "$directory" "$@"
}
