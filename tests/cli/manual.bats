# Man pages and completions come from the option table.

bats_require_minimum_version 1.5.0

@test "bash completes commands and options" {
    "$PREPLAY" completion bash >"$BATS_TEST_TMPDIR/completion"
    source "$BATS_TEST_TMPDIR/completion"
    COMP_WORDS=(preplay rep) COMP_CWORD=1
    _preplay
    [ "${COMPREPLY[*]}" = "replay report" ]
    COMP_WORDS=(preplay run --max-r) COMP_CWORD=2
    _preplay
    [ "${COMPREPLY[*]}" = "--max-replays" ]
    COMP_WORDS=(preplay check --max-r)
    _preplay || true
    [ "${#COMPREPLY[@]}" -eq 0 ]
}

@test "zsh and fish read theirs" {
    for shell in zsh fish; do
        "$PREPLAY" completion $shell >"$BATS_TEST_TMPDIR/$shell"
        grep -q max-replays "$BATS_TEST_TMPDIR/$shell"
        ! command -v $shell || $shell -n "$BATS_TEST_TMPDIR/$shell"
    done
    run -2 "$PREPLAY" completion csh
}

commands() {
    "$PREPLAY" --help | sed -n 's/^  \([a-z+]*\)  *.*/\1/p'
}

# options_of COMMAND: the long ones of its --help.
options_of() {
    "$PREPLAY" "$1" --help | sed -n 's/^  .\{4\}\(--[a-z-]*\).*/\1/p'
}

@test "every command has a page that scdoc accepts, with every option of --help" {
    command -v scdoc || skip "no scdoc"
    "$PREPLAY" manual | scdoc >/dev/null
    [ "$(commands | wc -l)" -ge 19 ]
    for command in $(commands); do
        "$PREPLAY" manual "$command" >"$BATS_TEST_TMPDIR/page"
        scdoc <"$BATS_TEST_TMPDIR/page" >/dev/null
        "$PREPLAY" manual | grep -qF "*preplay-$command*(1)"
        for option in $(options_of "$command"); do
            grep -q -e "\*$option\*" "$BATS_TEST_TMPDIR/page"
        done
    done
    run -2 "$PREPLAY" manual nothing
}

@test "every page tells what for, how it is called, what it reads, and how it ends" {
    for command in $(commands); do
        "$PREPLAY" manual "$command" >"$BATS_TEST_TMPDIR/page"
        for section in SYNOPSIS DESCRIPTION OPTIONS EXAMPLES "EXIT CODES" ENVIRONMENT "SEE ALSO"; do
            # with something in it
            awk -v title="# $section" '$0 == title { inside = 1; next } /^#/ { inside = 0 }
                inside && NF { found = 1 } END { exit !found }' "$BATS_TEST_TMPDIR/page" ||
                { echo "$command: no $section"; false; }
        done
        "$PREPLAY" "$command" --help >"$BATS_TEST_TMPDIR/help"
        ! grep -q -e '--json\|TRACE\|PROGRAM' "$BATS_TEST_TMPDIR/help" || grep -q '^# FILES$' "$BATS_TEST_TMPDIR/page"
    done
}

@test "examples have only options that there are" {
    for command in $(commands); do
        "$PREPLAY" manual "$command" | sed -n 's/^\*\$ \(.*\)\*$/\1/p' | tr -d '\\' >"$BATS_TEST_TMPDIR/examples"
        [ -s "$BATS_TEST_TMPDIR/examples" ]
        while read -r first second rest; do
            [ "$first $second" != "preplay $command" ] || [[ $command == c[c+]* ]] && continue
            for word in $rest; do
                [[ $word != --?* ]] || options_of "$command" | grep -qx -e "$word" ||
                    { echo "$command: $word"; false; }
            done
        done <"$BATS_TEST_TMPDIR/examples"
    done
}

@test "the models stand where -m is, and preplay-cc in its page" {
    for command in $(commands); do
        ! options_of "$command" | grep -qx -e --model || "$PREPLAY" manual "$command" >"$BATS_TEST_TMPDIR/page"
        [ ! -e "$BATS_TEST_TMPDIR/page" ] && continue
        for model in rf value branch sync; do
            grep -q "^\*$model\*$" "$BATS_TEST_TMPDIR/page"
        done
        rm "$BATS_TEST_TMPDIR/page"
    done
    run -0 "$PREPLAY" manual cc
    [[ "$output" == *preplay-cc*--branches*"CC=preplay-cc"*PREPLAY\\_CC* ]]
}

@test "every engine has a page, and stands in the manual" {
    engines=$("$PREPLAY" predict -e nothing "$BATS_TEST_DIRNAME/../../examples/hidden-race.std" 2>&1 | sed 's/.*there are: //; s/,//g')
    [ "$(wc -w <<<"$engines")" -gt 10 ]
    for engine in $engines; do
        grep -q "^# $engine" "$BATS_TEST_DIRNAME/../../docs/engines/$engine.md" || { echo "$engine has no page"; false; }
        "$PREPLAY" manual predict | grep -q "^\*$engine\*$"
        "$PREPLAY" compare --help | grep -qw "^Engines:.* $engine"
    done
}
