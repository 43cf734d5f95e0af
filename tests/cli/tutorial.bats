# The tutorial and the README tell the truth.

bats_require_minimum_version 1.5.0

@test "every output of docs/tutorial.md is what the commands print" {
    command -v jq && command -v gcc || skip "no jq or gcc"
    cd "$BATS_TEST_DIRNAME/../.."
    run -0 python3 tests/cli/tutorial.py docs/tutorial.md examples
}

@test "so is the output in the README" {
    command -v gcc || skip "no gcc"
    cd "$BATS_TEST_DIRNAME/../.."
    run -0 python3 tests/cli/tutorial.py README.md examples
}
