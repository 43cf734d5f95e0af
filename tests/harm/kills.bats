# A few of the kills that kills.bash does by the hundred: bash tests/harm/kills.bash 200

@test "SIGKILL at any moment: nothing is left, every trace is readable, every report true" {
    run bash "$BATS_TEST_DIRNAME/kills.bash" 10
    echo "$output"
    [ "$status" -eq 0 ]
}
