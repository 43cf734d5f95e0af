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

@test "every command has a page that scdoc accepts, with every option of --help" {
    command -v scdoc || skip "no scdoc"
    "$PREPLAY" manual | scdoc >/dev/null
    for command in $("$PREPLAY" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p'); do
        "$PREPLAY" manual "$command" >"$BATS_TEST_TMPDIR/page"
        scdoc <"$BATS_TEST_TMPDIR/page" >/dev/null
        for option in $("$PREPLAY" "$command" --help | sed -n 's/^  .\{4\}\(--[a-z-]*\).*/\1/p'); do
            grep -q -e "\*$option\*" "$BATS_TEST_TMPDIR/page"
        done
    done
    run -2 "$PREPLAY" manual nothing
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
