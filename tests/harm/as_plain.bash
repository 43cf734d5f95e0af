# A program ends under the recorder as it ends without it.

# build NAME [FLAG...]: NAME.c as NAME.plain and NAME.recorded, in the working directory
build() {
    local name=$1
    shift
    gcc -g -O1 -pthread "$BATS_TEST_DIRNAME/programs/$name.c" -o "$name.plain" "$@"
    "$PREPLAY" cc -g -O1 -pthread "$BATS_TEST_DIRNAME/programs/$name.c" -o "$name.recorded" "$@"
}

# The limit of time is no measure: a program that hangs would do so for ever.
limited() { timeout -s KILL 120 "$@"; }

# same_as_plain NAME [ARGUMENT...]: exit code and output; what preplay said is in "$said"
same_as_plain() {
    local name=$1 expected code
    shift
    expected=$(limited "./$name.plain" "$@" 2>/dev/null) && code=0 || code=$?
    rm -rf trace
    actual=$(limited "$PREPLAY" record -d trace "./$name.recorded" "$@" 2>said) && status=0 || status=$?
    said=$(cat said)
    [ "$status" -eq "$code" ] || { echo "$name $*: exit code $status, plain $code; $said"; return 1; }
    [ "$actual" = "$expected" ] || { echo "$name $*: $actual; plain: $expected"; return 1; }
}
