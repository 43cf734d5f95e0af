# Who runs preplay: `as root`, `as user` (an ordinary one, which needs no entry in any file), and
# `as contained`, root where no mount namespace may be made, as in a container. None is ever skipped.

ordinary=54321

as() {
    local who=$1
    shift
    case $who in
    root) if [ "$EUID" -eq 0 ]; then "$@"; else unshare -r "$@"; fi ;;
    user)
        if [ "$EUID" -eq 0 ]; then
            setpriv --reuid $ordinary --regid $ordinary --clear-groups env HOME=/nonexistent "$@"
        else
            "$@"
        fi
        ;;
    contained)
        unshare -U -r sh -c 'cd /proc/sys/user && echo 0 >max_mnt_namespaces && echo 0 >max_user_namespaces &&
            cd "$OLDPWD" && exec "$@"' sh "$@"
        ;;
    esac
}

# A directory of that user's, with the tool within reach: preplay is where it stands.
room_for() {
    room=$(mktemp -d "${TMPDIR:-/tmp}/preplay-harm-XXXXXX")
    chmod 755 "$room"
    if ! as "$1" test -x "$PREPLAY"; then
        cp "$PREPLAY" "$room"
        cp -r "$(dirname "$PREPLAY")"/src/runtime/*.so "$room"
        export PREPLAY_LIBRARY=$room PREPLAY=$room/preplay
    fi
    [ "$1" != user ] || [ "$EUID" -ne 0 ] || chown $ordinary:$ordinary "$room"
    cd "$room"
}

# All of a directory: names, kinds, modes, owners, times of change and bytes.
tree_of() {
    (cd "$1" && find . -printf '%p %y %m %U %G %T@ %l\n' | LC_ALL=C sort && find . -type f -print0 | LC_ALL=C sort -z | xargs -0r sha256sum)
}
