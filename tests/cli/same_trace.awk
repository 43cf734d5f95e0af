# Prints a .std trace with names replaced by numbers, in the order in which they
# appear, so that a written trace and a recording of its program can be compared.
# Left out is what only one of them can have: starts and ends of threads, values,
# allocation, branches, fences, variables that one thread alone uses or none
# writes, and the place at which threads leave a barrier, which is right after the
# last one has entered.
function number(class, name) {
    if (!((class, name) in numbers))
        numbers[class, name] = ++count[class]
    return class numbers[class, name]
}
BEGIN {
    FS = "|"
    class["fork"] = class["join"] = "thread"
    class["r"] = class["w"] = class["atomicr"] = class["atomicw"] = class["atomicrmw"] = "v"
    class["notify"] = class["notifyall"] = "c"
    class["post"] = class["semwait"] = "s"
    class["oncebegin"] = class["onceend"] = class["oncepass"] = "o"
    class["begin"] = class["end"] = "block"
}
{
    open_at = index($2, "(")
    plain = op[NR] = substr($2, 1, open_at - 1)
    close_at = match($2, /\)[^)]*$/)
    operand[NR] = substr($2, open_at + 1, close_at - open_at - 1)
    thread[NR] = $1
    sub(/^atomiclook/, "atomicr", plain) # which of them it is depends on the code around
    sub(/^atomiclook/, "atomicr", op[NR])
    sub(/^try/, "", plain)
    sub(/!$/, "", plain)
    sub(/\.[a-z]*/, "", plain)
    sub(/\.[a-z]*/, "", op[NR]) # C has not every order for every operation
    kind[NR] = plain
    if (class[plain] == "v") {
        if (operand[NR] in user && user[operand[NR]] != $1)
            shared[operand[NR]] = 1
        user[operand[NR]] = $1
        if (plain !~ /r$/)
            written[operand[NR]] = 1
    }
}
END {
    for (i = 1; i <= NR; i++) {
        if (kind[i] ~ /^(threadstart|threadend|alloc|free|exit|branch|fence)$/)
            continue
        if (class[kind[i]] == "block" && operand[i] ~ /^thread_/)
            continue # the function a thread starts in
        if (class[kind[i]] == "v" && !(operand[i] in shared && operand[i] in written))
            continue
        text = operand[i]
        if (kind[i] == "join" && joined[text]++)
            continue # C joins a thread once
        if (kind[i] ~ /^(wait|woken)$/) {
            split(text, two, ",")
            text = number("c", two[1]) "," number("l", two[2])
            sub(/^try/, "", op[i])
        } else if (kind[i] == "enter")
            text = "b" # one barrier used by different numbers of threads is two in C
        else if (text != "")
            text = number(class[kind[i]] != "" ? class[kind[i]] : "l", text)
        line = number("thread", thread[i]) "|" op[i] "(" text ")"
        if (kind[i] == "atomicr" && line == last[thread[i]])
            continue # spinning costs no trace
        last[thread[i]] = line
        print line
    }
}
